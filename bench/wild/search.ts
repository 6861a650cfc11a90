/**
 * Parameters of rivals by the project's own search (`compare --tune`): N trials each on the validation categories of a problem as
 * it comes, test labels unseen. What was chosen is kept line by line, and every trial in a folder of the problem and seed.
 */
import { join } from 'node:path';
import { compare, searchable } from '../../src/evaluation/index.js';
import type { Backend } from '../../src/linalg/index.js';
import { findMethod, type ParameterValue } from '../../src/methods/index.js';
import type { Problem } from '../../src/problem/index.js';
import { Journal, own } from './results.js';

interface Search {
  readonly problem: string;
  readonly seed: number;
  readonly trials: number;
  readonly method: string;
}

export interface Searched extends Search {
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Mean per-category accuracy on the validation categories, from 0 to 1. */
  readonly validationAccuracy: number;
}

export const openSearched = (file: string): Journal<Search, Searched> =>
  new Journal(file, ({ problem, seed, trials, method }) => [problem, seed, trials, method].join('|'));

/** What a method with parameters of a search is called in journal and tables. */
const searchedName = (method: string, trials: number) => `${method}:search=${trials}`;

/** The method and the trials where the name says that parameters are searched for, else undefined. */
export function parseSearched(name: string): { method: string; trials: number } | undefined {
  const found = /^(.*):search=(\d+)$/.exec(name);
  return found ? { method: found[1], trials: Number(found[2]) } : undefined;
}

/** These methods and, of rivals with parameters, the same with parameters of a search. */
export function withSearches(names: readonly string[], trials: number): string[] {
  if (trials === 0) return [...names];
  const rivals = names.filter((name) => name !== own && !name.includes(':') && searchable(findMethod(name)));
  return [...names, ...rivals.map((name) => searchedName(name, trials))];
}

interface Task {
  readonly name: string;
  readonly seed: number;
  readonly trials: number;
  /** Share of wrong labels of made-up validation web pictures, where the problem has none of its own. */
  readonly validationNoise?: number;
  readonly out: string;
}

/** Searches for the parameters of these methods together, since their trials share whitened spaces. */
export async function searchParameters(
  { name, seed, trials, validationNoise, out }: Task,
  problem: Problem,
  methods: readonly string[],
  journal: Journal<Search, Searched>,
  backend: Backend,
): Promise<void> {
  const { rows, skipped, failed } = await compare({
    problem,
    folder: join(out, 'searches', `${name}-${seed}`),
    methods: methods.map(findMethod),
    trials,
    seed,
    syntheticValidation: problem.validationWeb ? undefined : validationNoise,
    jobs: 1,
    threads: backend.threads,
    device: backend.device,
  });
  for (const { method, parameters, chosenBy, validationAccuracy, note } of rows)
    if (chosenBy === 'search')
      journal.add({ problem: name, seed, trials, method, parameters, validationAccuracy: validationAccuracy! });
    else console.error(`${name}, seed ${seed}, ${method}: ${note ?? 'no search'}`);
  for (const { method, reason } of skipped) console.error(`${name}, seed ${seed}, ${method}: ${reason}`);
  for (const { method, message } of failed) console.error(`${name}, seed ${seed}, ${method}: ${message}`);
}
