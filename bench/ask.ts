/**
 * What questions are worth: simulated persons answer what each strategy asks, in folders as users have them.
 *
 * Problems and regimes are those of the benchmark wild. Accuracy is of the whole folder, answered pictures included; a picture
 * that shows no listed category is right when it is called so. A question about a group costs 1 + 0.15 for each of its pictures.
 * Every curve is kept in `--out DIR/curves.jsonl` and not made again. Options: `--data DIR`, `--cache DIR` (features of birds-mini),
 * `--out DIR`, `--problems A,B`, `--regimes NAME:SHARE OF STRANGERS,…`, `--strategies A,B`, `--wrong 0,0.05`, `--seeds N`, `--report`,
 * `--write` (into docs/results.md and docs/figures).
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBackend } from '../src/linalg/index.js';
import { drawFolder, sharesByName } from '../src/problem/index.js';
import { coverage } from './ask/coverage.js';
import { askFigure } from './ask/figure.js';
import { checkpoints, simulate } from './ask/simulate.js';
import { strategies } from './ask/strategies.js';
import { markdownTable } from './shared/document.js';
import { writeResults } from './shared/results.js';
import { wildSources } from './wild/problems.js';

export interface KeptCurve {
  readonly problem: string;
  readonly regime: string;
  readonly strategy: string;
  readonly wrong: number;
  readonly seed: number;
  readonly pictures: number;
  readonly accuracy: number[];
  readonly seconds: number[];
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: join(import.meta.dirname, '../../shared/data') },
      cache: { type: 'string' },
      out: { type: 'string', default: 'scratch/ask' },
      problems: { type: 'string', default: 'cub-resnet50,cub-web,birds-mini-resnet50' },
      regimes: { type: 'string', default: 'equal:0,long-tail:0.3' },
      strategies: { type: 'string', default: Object.keys(strategies).join(',') },
      wrong: { type: 'string', default: '0,0.05' },
      seeds: { type: 'string', default: '1' },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, 'curves.jsonl');
  const kept = readCurves(file);
  if (!values.report) await measure(values, file, kept);
  const text = `${report(kept)}\n\n${coverageTable()}`;
  console.log(text);
  if (!values.write) return;
  writeFileSync(new URL('../docs/figures/ask.svg', import.meta.url), askFigure(kept, checkpoints));
  writeResults('ask', `![Accuracy after so many answers](figures/ask.svg)\n\n${text}`);
}

type Values = Record<'data' | 'out' | 'problems' | 'regimes' | 'strategies' | 'wrong' | 'seeds', string> & {
  cache?: string;
};

async function measure(values: Values, file: string, kept: KeptCurve[]): Promise<void> {
  const backend = await createBackend();
  const sources = wildSources(values.data, values.cache ?? join(values.out, 'features'));
  try {
    for (let seed = 1; seed <= Number(values.seeds); seed++)
      for (const problem of values.problems.split(','))
        for (const regime of values.regimes.split(',')) {
          const wanted = values.wrong.split(',').flatMap((wrong) =>
            values.strategies
              .split(',')
              // Persons who err are only set against asking at random.
              .filter((strategy) => Number(wrong) === 0 || strategy === 'gain' || strategy === 'random')
              .map((strategy) => ({ problem, regime, strategy, wrong: Number(wrong), seed })),
          );
          const missing = wanted.filter((one) => !kept.some((other) => sameCell(one, other)));
          if (missing.length === 0) continue;
          const [shares, share] = regime.split(':');
          const { problem: whole, strangers } = await sources[problem].make(seed, {});
          const folder = drawFolder(
            whole,
            { shares: sharesByName[shares as keyof typeof sharesByName], strangers, strangerShare: Number(share) },
            seed,
          );
          for (const cell of missing) {
            const curve = await simulate(folder, cell.strategy, cell.wrong, backend, seed);
            const found = { ...cell, pictures: folder.truth.length, ...curve };
            kept.push(found);
            appendFileSync(file, `${JSON.stringify(found)}\n`);
            console.error(`${problem} ${regime} ${cell.strategy} ${cell.wrong}: ${percents(curve.accuracy).join(' ')}`);
          }
        }
  } finally {
    backend.dispose();
  }
}

function sameCell(a: Omit<KeptCurve, 'pictures' | 'accuracy' | 'seconds'>, b: KeptCurve): boolean {
  return (['problem', 'regime', 'strategy', 'wrong', 'seed'] as const).every((key) => a[key] === b[key]);
}

function readCurves(file: string): KeptCurve[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function report(kept: readonly KeptCurve[]): string {
  const cells = [...new Set(kept.map(({ problem, regime }) => `${problem} ${regime}`))];
  return cells
    .map((cell) => {
      const own = kept.filter(({ problem, regime }) => `${problem} ${regime}` === cell);
      const rows = [...new Set(own.map(({ strategy, wrong }) => `${strategy}|${wrong}`))].map((key) => {
        const [strategy, wrong] = key.split('|');
        const curves = own.filter((one) => one.strategy === strategy && one.wrong === Number(wrong));
        const name = Number(wrong) > 0 ? `${strategy}, ${Number(wrong) * 100} % of answers wrong` : strategy;
        return [name, ...percents(meanCurve(curves))];
      });
      const random = meanCurve(own.filter(({ strategy, wrong }) => strategy === 'random' && wrong === 0));
      const gain = meanCurve(own.filter(({ strategy, wrong }) => strategy === 'gain' && wrong === 0));
      const reached = answersFor(gain, random.at(-1) ?? 1);
      const [problem, regime] = cell.split(' ');
      const seeds = new Set(own.map(({ seed }) => seed)).size;
      return [
        `**${problem}, ${describeRegime(regime)}** (${own[0].pictures} pictures, ${seeds} ${seeds === 1 ? 'draw' : 'draws'})`,
        '',
        markdownTable(['answers', ...checkpoints.map(String)], rows),
        '',
        reached === undefined
          ? 'What asking at random reaches with 200 answers was not reached with 200.'
          : `What asking at random reaches with 200 answers takes ${Math.ceil(reached)}.`,
      ].join('\n');
    })
    .join('\n\n');
}

function coverageTable(): string {
  const rows = [20, 40, 80].map((checks) => {
    const [few, many] = [coverage(200, checks, 1), coverage(2000, checks, 2)];
    return [String(checks), ...percents([few.held, many.held, many.width, many.bias])];
  });
  return [
    '**The interval for accuracy**, in simulated folders of 150 to 1,500 pictures whose confidence is off, checks among up to three times as many questions about the least sure pictures:',
    '',
    markdownTable(['checks', 'holds in % of 200 folders', 'of 2,000', 'mean width', 'mean error'], rows),
  ].join('\n');
}

function describeRegime(regime: string): string {
  const [shares, share] = regime.split(':');
  return Number(share) > 0 ? `${shares}, ${Number(share) * 100} % strangers` : shares;
}

function meanCurve(curves: readonly KeptCurve[]): number[] {
  return checkpoints.map((_, k) => curves.reduce((sum, { accuracy }) => sum + accuracy[k] / curves.length, 0));
}

/** Answers at which a curve reaches a value, interpolated. */
function answersFor(curve: readonly number[], value: number): number | undefined {
  const k = curve.findIndex((accuracy) => accuracy >= value);
  if (k <= 0) return k === 0 ? 0 : undefined;
  const [before, after] = [checkpoints[k - 1], checkpoints[k]];
  return before + ((value - curve[k - 1]) / (curve[k] - curve[k - 1])) * (after - before);
}

function percents(values: readonly number[]): string[] {
  return values.map((value) => (100 * value).toFixed(1));
}
