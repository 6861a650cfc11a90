/**
 * How methods fare in folders as users have them: unequal shares, few categories, strangers, noisy or few web pictures.
 *
 * Problems are drawn from `cub-resnet50.npz`, `cub-web.npz` and the photographs of birds-mini (features extracted once), regimes from each
 * of them, for several seeds; methods use their default parameters. Every measurement is kept in `--out DIR/measured.jsonl` and not made
 * again; tables, figures and summaries go into the same folder. Options: `--data DIR`, `--out DIR`, `--methods A,B:parameter=value|rivals|all`,
 * `--regimes A,B`, `--problems A,B`, `--seeds N`, `--quick` (five regimes, one seed), `--report` (measure nothing),
 * `--write` (into docs/results.md and docs/figures). With `--generalized` the auxiliary categories are candidates, a fifth of their
 * pictures is in every folder, and what is measured is kept in files of its own.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accuracy, meanCategoryAccuracy } from '../src/fit/index.js';
import { type Backend, createBackend } from '../src/linalg/index.js';
import { WhitenedSpace } from '../src/methods/blocks/whitened-space.js';
import { fewShotMethods } from '../src/methods/few-shot/index.js';
import { methods } from '../src/methods/index.js';
import { writeResults } from './shared/results.js';
import { ceiling } from './wild/ceiling.js';
import { measure, measureFeatures } from './wild/measure.js';
import { type WildSource, wildSources } from './wild/problems.js';
import { applies, drawRegime, type Regime, regimes } from './wild/regimes.js';
import { ceilingName, drawFigure, own, writeGeneralizedReport, writeReport } from './wild/report.js';
import { type Cell, featuresAlone, Journal, summarize } from './wild/results.js';

/** The own method, plain baselines, and every few-shot method; two of them also measured from the web pictures' mean. */
const rivals = [
  own,
  'lr',
  'prototype',
  'eszsl',
  ...fewShotMethods.map(({ name }) => name),
  'whitened-means:origin=web',
  'whitened-em:origin=web',
];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'scratch/wild' },
      methods: { type: 'string', default: 'rivals' },
      regimes: { type: 'string' },
      problems: { type: 'string' },
      seeds: { type: 'string' },
      generalized: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const sources = wildSources(values.data, join(values.out, 'features'));
  const problemNames = chosen('problem', values.problems, Object.keys(sources));
  const quick = Object.keys(regimes).filter((name) => regimes[name].quick);
  const regimeNames = values.regimes
    ? chosen('regime', values.regimes, Object.keys(regimes))
    : values.quick
      ? quick
      : Object.keys(regimes);
  const seeds = Number(values.seeds ?? (values.quick ? 1 : 3));
  mkdirSync(values.out, { recursive: true });
  const { generalized } = values;
  const suffix = generalized ? '-generalized' : '';
  const journal = new Journal(join(values.out, `measured${suffix}.jsonl`));
  if (!values.report) {
    const backend = await createBackend();
    try {
      for (const problem of problemNames)
        for (let seed = 1; seed <= seeds; seed++)
          await measureProblem(
            problem,
            sources[problem],
            regimeNames,
            seed,
            generalized,
            methodNames(values.methods, generalized),
            journal,
            backend,
          );
    } finally {
      backend.dispose();
    }
  }
  const lines = journal.lines.filter(
    (line) => problemNames.includes(line.problem) && regimeNames.includes(line.regime) && line.seed <= seeds,
  );
  if (lines.length === 0) throw new Error('nothing was measured; leave out --report');
  const titles = new Map(Object.entries(sources).map(([name, { title }]) => [name, title]));
  const command = `npm run bench -- wild${generalized ? ' --generalized' : ''} --seeds ${seeds}${values.problems ? ` --problems ${values.problems}` : ''}${values.regimes ? ` --regimes ${values.regimes}` : ''}`;
  const text = (generalized ? writeGeneralizedReport : writeReport)(lines, titles, command);
  writeFileSync(join(values.out, `summary${suffix}.json`), `${JSON.stringify(summarize(lines), null, 1)}\n`);
  writeFileSync(join(values.out, `report${suffix}.md`), `${text}\n`);
  if (generalized) {
    console.log(text);
    if (values.write) writeResults('wild-generalized', text);
    return;
  }
  const figure = drawFigure(lines);
  writeFileSync(join(values.out, 'wild.svg'), figure);
  console.log(text);
  if (!values.write) return;
  const folder = new URL('../docs/figures/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('wild.svg', folder), figure);
  writeResults('wild', `![Accuracy by regime, mean over problems](figures/wild.svg)\n\n${text}`);
}

/** All regimes of one problem and seed; regimes with the same web pictures share one problem. */
async function measureProblem(
  name: string,
  source: WildSource,
  regimeNames: readonly string[],
  seed: number,
  generalized: boolean,
  names: readonly string[],
  journal: Journal,
  backend: Backend,
): Promise<void> {
  const groups = new Map<string, [string, Regime][]>();
  for (const regime of regimeNames) {
    if (!applies(regimes[regime], source)) continue;
    const key = JSON.stringify(regimes[regime].web ?? {});
    groups.set(key, [...(groups.get(key) ?? []), [regime, regimes[regime]]]);
  }
  for (const [web, group] of groups) {
    const made = await source.make(seed, JSON.parse(web));
    for (const [regime, definition] of group)
      for (let draw = 0; draw < (definition.draws ?? 1); draw++) {
        const folder = drawRegime(definition, made, 1000 * seed + draw, generalized);
        const cell = (method: string): Cell => ({ problem: name, regime, seed, draw, method });
        // Few-shot methods share the whitened pictures, which would otherwise count as time of the first of them.
        const space = await WhitenedSpace.learn(folder.problem, backend, { power: 0.75, shrinkage: 0.3 });
        for (const features of [made.problem.webFeatures, folder.problem.testFeatures]) space.centreOf(features);
        for (const method of names) {
          if (journal.has(cell(method))) continue;
          const found = await measure(method, folder, backend, seed);
          journal.add({ ...cell(method), ...found });
          const told = 'failure' in found ? found.failure : `${((100 * found.right) / found.pictures).toFixed(1)} %`;
          console.error(`${name}, ${regime}, seed ${seed}.${draw}, ${method}: ${told}`);
        }
        if (generalized) continue;
        if (definition.strangers && !journal.has(cell(featuresAlone)))
          journal.add({ ...cell(featuresAlone), areas: await measureFeatures(folder, backend) });
        if (regime === 'equal' && !journal.has(cell(ceilingName))) {
          const predicted = await ceiling(folder, backend);
          const { truth, problem } = folder;
          journal.add({
            ...cell(ceilingName),
            pictures: truth.length,
            right: Math.round(truth.length * accuracy(predicted, truth)),
            macro: meanCategoryAccuracy(predicted, truth, problem.testNames.length),
            strangers: {},
            confidence: { counts: [], stated: [], true: [] },
            seconds: 0,
          });
        }
      }
  }
}

/** `rivals` are, where auxiliary categories are candidates, all methods that admit these. */
function methodNames(given: string, generalized: boolean): string[] {
  const other = generalized ? 'standard' : 'generalized';
  const admitted = methods.flatMap(({ setting, name }) => (setting !== other && name !== 'clip' ? [name] : []));
  const all = generalized ? admitted : [...rivals, ...admitted];
  return [
    ...new Set(
      given.split(',').flatMap((name) => {
        if (name === 'rivals') return generalized ? admitted : rivals;
        return name === 'all' ? all : [name];
      }),
    ),
  ];
}

function chosen(what: string, given: string | undefined, known: readonly string[]): readonly string[] {
  if (!given) return known;
  const names = given.split(',');
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`there is no ${what} "${unknown}"; there are: ${known.join(', ')}`);
  return names;
}
