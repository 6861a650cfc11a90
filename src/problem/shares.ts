/**
 * What somebody knows beforehand of how often each category is shown among the test pictures. It is prior knowledge, not
 * an estimate: methods that take it (`shares` is one of their parameters) do not question it.
 */
import { ArgumentError } from '../errors.js';
import { candidateNames, type Problem } from './problem.js';

/** Numbers by the name of a candidate category are relative to each other: { wren: 3, finch: 1 } means three quarters. */
export type KnownShares = 'unknown' | 'equal' | Readonly<Record<string, number>>;

/**
 * The problem with what is known of the shares of its categories.
 * @example
 * const result = await fit(withShares(problem, { 'House Wren': 3, 'Song Sparrow': 1 }), 'bowerbird');
 * @throws ArgumentError where a category is missing or unknown, or a number cannot be a share
 */
export function withShares(problem: Problem, known: KnownShares): Problem {
  const { testShares: _, ...rest } = problem;
  if (known === 'unknown') return rest;
  return { ...rest, testShares: shareVector(candidateNames(problem), known) };
}

function shareVector(names: readonly string[], known: Exclude<KnownShares, 'unknown'>): Float64Array {
  if (known === 'equal') return new Float64Array(names.length).fill(1 / names.length);
  const extra = Object.keys(known).find((name) => !names.includes(name));
  if (extra !== undefined)
    throw new ArgumentError(
      `shares name "${extra}", which is none of the categories to choose from`,
      `These are: ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}.`,
    );
  const missing = names.find((name) => !Object.hasOwn(known, name));
  if (missing !== undefined)
    throw new ArgumentError(
      `shares do not say how frequent "${missing}" is`,
      'Give a number for every category, 0 for one that does not occur; or say "equal" or "unknown".',
    );
  const values = Float64Array.from(names, (name) => known[name]);
  const wrong = values.findIndex((value) => !(value >= 0 && Number.isFinite(value)));
  if (wrong >= 0)
    throw new ArgumentError(
      `the share of "${names[wrong]}" is ${known[names[wrong]]}; it must be a number of at least 0`,
    );
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total === 0) throw new ArgumentError('all shares are 0', 'At least one category must occur.');
  return values.map((value) => value / total);
}
