/** Measures methods in the regimes of several problems, as they come and with parameters that a search chose. */
import { join } from 'node:path';
import { accuracy, meanCategoryAccuracy } from '../../src/fit/index.js';
import type { Backend } from '../../src/linalg/index.js';
import { WhitenedSpace } from '../../src/methods/blocks/whitened-space.js';
import type { ParameterValue } from '../../src/methods/index.js';
import type { Folder } from '../../src/problem/index.js';
import { ceiling } from './ceiling.js';
import { measure, measureFeatures } from './measure.js';
import type { WildProblem, WildSource } from './problems.js';
import { applies, drawRegime, type Regime, regimes } from './regimes.js';
import { type Cell, ceilingName, featuresAlone, type Journal, type Line } from './results.js';
import { openSearched, parseSearched, searchParameters } from './search.js';

export interface WildRun {
  readonly sources: Readonly<Record<string, WildSource>>;
  readonly regimes: readonly string[];
  readonly seeds: readonly number[];
  /** `name`, `name:parameter=value:…`, or `name:search=N` for parameters of a search of N trials. */
  readonly methods: readonly string[];
  /** Auxiliary categories are candidates. */
  readonly generalized: boolean;
  readonly out: string;
}

type Parameters = Readonly<Record<string, ParameterValue>>;

/** A method with parameters of a search, and what it is called in the journal. */
interface Chosen {
  readonly name: string;
  readonly method: string;
  readonly parameters: Parameters;
}

type Measured = Journal<Cell, Line>;

/** Of methods whose parameters are the defaults. */
const usualSpace = { power: 0.75, shrinkage: 0.3 };

export async function measureAll(run: WildRun, journal: Measured, backend: Backend): Promise<void> {
  const usual = run.methods.filter((name) => !parseSearched(name));
  for (const [name, source] of Object.entries(run.sources))
    for (const seed of run.seeds) {
      const chosen = await chosenParameters(name, source, seed, run, backend);
      for (const [web, group] of regimesByWeb(run.regimes, source)) {
        const made = await source.make(seed, JSON.parse(web));
        const problem = new RegimeGroup(name, seed, made, group, run.generalized, journal, backend);
        if (usual.length > 0) await problem.measureUsual(usual);
        for (const each of chosen) await problem.measureSearched(each);
      }
    }
}

/** The search is made on the problem as it comes, and serves all regimes. */
async function chosenParameters(
  name: string,
  source: WildSource,
  seed: number,
  { methods, out }: WildRun,
  backend: Backend,
): Promise<Chosen[]> {
  const wanted = methods.flatMap((each) => parseSearched(each) ?? []);
  const journal = openSearched(join(out, 'searched.jsonl'));
  for (const trials of new Set(wanted.map((each) => each.trials))) {
    const missing = wanted.filter(
      (each) => each.trials === trials && !journal.has({ problem: name, seed, trials, method: each.method }),
    );
    if (missing.length === 0) continue;
    const { problem } = await source.make(seed, {});
    const task = { name, seed, trials, validationNoise: source.validationNoise, out };
    const names = missing.map(({ method }) => method);
    await searchParameters(task, problem, names, journal, backend);
  }
  return methods.flatMap((each): Chosen[] => {
    const searched = parseSearched(each);
    const found = searched && journal.find({ problem: name, seed, ...searched });
    return found ? [{ name: each, method: found.method, parameters: found.parameters }] : [];
  });
}

/** Regimes with the same web pictures share one problem. */
function regimesByWeb(names: readonly string[], source: WildSource): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    if (!applies(regimes[name], source)) continue;
    const web = JSON.stringify(regimes[name].web ?? {});
    groups.set(web, [...(groups.get(web) ?? []), name]);
  }
  return groups;
}

/** The folders of regimes that share one problem of one seed. */
class RegimeGroup {
  readonly #cells: { regime: string; definition: Regime; draw: number }[];

  constructor(
    readonly name: string,
    readonly seed: number,
    readonly made: WildProblem,
    names: readonly string[],
    readonly generalized: boolean,
    readonly journal: Measured,
    readonly backend: Backend,
  ) {
    this.#cells = names.flatMap((regime) => {
      const definition = regimes[regime];
      return Array.from({ length: definition.draws ?? 1 }, (_, draw) => ({ regime, definition, draw }));
    });
  }

  /** All methods in one folder after another, since they share the whitened pictures. */
  async measureUsual(methods: readonly string[]): Promise<void> {
    const { journal, backend } = this;
    for (const { regime, definition, draw } of this.#cells) {
      const cell = (method: string): Cell => ({ problem: this.name, regime, seed: this.seed, draw, method });
      const wanted = methods.filter((method) => !journal.has(cell(method)));
      const alone = !this.generalized && definition.strangers !== undefined && !journal.has(cell(featuresAlone));
      const best = !this.generalized && regime === 'equal' && !journal.has(cell(ceilingName));
      if (wanted.length === 0 && !alone && !best) continue;
      const folder = drawRegime(definition, this.made, 1000 * this.seed + draw, this.generalized);
      await this.#whiten(folder, usualSpace);
      for (const method of wanted) await this.#measure(cell(method), method, folder, {});
      if (alone) journal.add({ ...cell(featuresAlone), areas: await measureFeatures(folder, backend) });
      if (best) journal.add({ ...cell(ceilingName), ...(await measureCeiling(folder, backend)) });
    }
  }

  /** One method in all folders, since its whitened space is its own. */
  async measureSearched({ name, method, parameters }: Chosen): Promise<void> {
    for (const { regime, definition, draw } of this.#cells) {
      const cell: Cell = { problem: this.name, regime, seed: this.seed, draw, method: name };
      if (this.journal.has(cell)) continue;
      const folder = drawRegime(definition, this.made, 1000 * this.seed + draw, this.generalized);
      const { power, shrinkage } = parameters;
      if (typeof power === 'number' && typeof shrinkage === 'number') await this.#whiten(folder, { power, shrinkage });
      await this.#measure(cell, method, folder, parameters);
    }
  }

  /** Few-shot methods find the pictures whitened, which would otherwise count as time of the first of them. */
  async #whiten({ problem }: Folder, options: { power: number; shrinkage: number }): Promise<void> {
    const space = await WhitenedSpace.learn(problem, this.backend, options);
    for (const features of [problem.webFeatures, problem.testFeatures]) space.centreOf(features);
  }

  async #measure(cell: Cell, method: string, folder: Folder, parameters: Parameters): Promise<void> {
    const found = await measure(method, folder, this.backend, this.seed, parameters);
    this.journal.add({ ...cell, ...found });
    const told = 'failure' in found ? found.failure : `${((100 * found.right) / found.pictures).toFixed(1)} %`;
    console.error(`${cell.problem}, ${cell.regime}, seed ${cell.seed}.${cell.draw}, ${cell.method}: ${told}`);
  }
}

async function measureCeiling(folder: Folder, backend: Backend) {
  const { truth, problem } = folder;
  const predicted = await ceiling(folder, backend);
  return {
    pictures: truth.length,
    right: Math.round(truth.length * accuracy(predicted, truth)),
    macro: meanCategoryAccuracy(predicted, truth, problem.testNames.length),
    strangers: {},
    confidence: { counts: [], stated: [], true: [] },
    seconds: 0,
  };
}
