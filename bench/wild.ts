/**
 * How methods fare in folders as users have them: unequal shares, few categories, strangers, noisy or few web pictures.
 *
 * Problems are drawn from `cub-resnet50.npz`, `cub-web.npz` and the photographs of birds-mini (features extracted once), regimes from each
 * of them, for several seeds; methods use their default parameters, and with `--search N` the rivals also those that a search of N trials on
 * the validation categories of each problem chooses. Every measurement is kept in `--out DIR/measured.jsonl`, every search in
 * `DIR/searched.jsonl`, and not made again; tables, figures and summaries go into the same folder. Options: `--data DIR`, `--out DIR`,
 * `--methods A,B:parameter=value|rivals|all`, `--regimes A,B`, `--problems A,B`, `--seeds N`, `--search N`, `--quick` (five regimes, one
 * seed), `--report` (measure nothing), `--write` (into docs/results.md and docs/figures; a run with searches has a place of its own).
 * With `--generalized` the auxiliary categories are candidates, a fifth of their pictures is in every folder, and what is measured is
 * kept in files of its own.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBackend } from '../src/linalg/index.js';
import { fewShotMethods } from '../src/methods/few-shot/index.js';
import { methods } from '../src/methods/index.js';
import { writeResults } from './shared/results.js';
import { measureAll } from './wild/measure-all.js';
import { wildSources } from './wild/problems.js';
import { regimes } from './wild/regimes.js';
import { drawFigure, writeGeneralizedReport, writeReport } from './wild/report.js';
import { openMeasured, own, summarize } from './wild/results.js';
import { withSearches } from './wild/search.js';

/** Two few-shot methods, measured from the web pictures' mean. */
const fromWeb = ['whitened-means:origin=web', 'whitened-em:origin=web'];

/** The own method, plain baselines, and every few-shot method. */
const rivals = [own, 'lr', 'prototype', 'eszsl', ...fewShotMethods.map(({ name }) => name), ...fromWeb];

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
      search: { type: 'string', default: '0' },
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
  const journal = openMeasured(join(values.out, `measured${suffix}.jsonl`));
  const trials = Number(values.search);
  if (!Number.isSafeInteger(trials) || trials < 0)
    throw new Error(`--search ${values.search}: give a number of trials`);
  if (!values.report) {
    const backend = await createBackend();
    try {
      await measureAll(
        {
          sources: Object.fromEntries(problemNames.map((name) => [name, sources[name]])),
          regimes: regimeNames,
          seeds: Array.from({ length: seeds }, (_, k) => k + 1),
          methods: withSearches(methodNames(values.methods, generalized), trials),
          ...{ generalized, out: values.out },
        },
        journal,
        backend,
      );
    } finally {
      backend.dispose();
    }
  }
  const lines = problemNames.flatMap((name) =>
    journal.lines.filter((line) => line.problem === name && regimeNames.includes(line.regime) && line.seed <= seeds),
  );
  if (lines.length === 0) throw new Error('nothing was measured; leave out --report');
  const titles = new Map(Object.entries(sources).map(([name, { title }]) => [name, title]));
  const command = `npm run bench -- wild${generalized ? ' --generalized' : ''} --seeds ${seeds}${trials > 0 ? ` --search ${trials}` : ''}${values.problems ? ` --problems ${values.problems}` : ''}${values.regimes ? ` --regimes ${values.regimes}` : ''}`;
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
  if (trials > 0) {
    writeResults('wild-search', text);
    return;
  }
  const folder = new URL('../docs/figures/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('wild.svg', folder), figure);
  writeResults('wild', `![Accuracy by regime, mean over problems](figures/wild.svg)\n\n${text}`);
}

/** `rivals` are, where auxiliary categories are candidates, all methods that admit these. */
function methodNames(given: string, generalized: boolean): string[] {
  const other = generalized ? 'standard' : 'generalized';
  const admitted = methods.flatMap(({ setting, name }) => (setting !== other && name !== 'clip' ? [name] : []));
  const all = generalized ? [...admitted, ...fromWeb] : [...rivals, ...admitted];
  return [
    ...new Set(
      given.split(',').flatMap((name) => {
        if (name === 'rivals') return generalized ? all : rivals;
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
