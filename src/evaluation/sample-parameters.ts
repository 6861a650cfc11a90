/** The parameters of trial k of a random search (Bergstra and Bengio 2012): a function of seed, trial and parameter name alone. */
import { Random } from '../linalg/index.js';
import type { MethodSpec, ParameterSpec, ParameterValue, SearchRange } from '../methods/index.js';
import type { Parameters } from './results.js';

/** Whether a search has anything to choose for this method. */
export function searchable({ parameters }: Pick<MethodSpec, 'parameters'>): boolean {
  return Object.values(parameters).some(({ range }) => range !== undefined);
}

/** What a search draws from: a method, or what is left of one when its parts have been chosen. */
export type Searched = Pick<MethodSpec, 'parameters'>;

/**
 * The setting of one trial. Trial 0 is the defaults, so that no search ends with less than them on the validation
 * categories; odd trials draw every parameter from its range; the other even ones leave each at its default with chance ½.
 * A choice that is all there is to search for is gone through, its default first. The rule is the same for all methods.
 * Parameters of one name lie at the same place of their ranges in the same trial, so that special cases are compared on
 * like draws.
 */
export function sampleParameters(searched: Searched, seed: number, trial: number): Parameters {
  const only = onlyChoice(searched);
  if (only) return { [only.name]: only.values[trial % only.values.length] };
  const { parameters: declared } = searched;
  const parameters: Record<string, ParameterValue> = {};
  for (const [name, { range, default: value }] of Object.entries(declared)) {
    if (!range) continue;
    const random = new Random(seed, trial).fork(nameNumber(name));
    const drawn = draw(range, random);
    const stays = trial === 0 || (trial % 2 === 0 && random.uniform() < 0.5);
    parameters[name] = stays ? value : drawn;
  }
  return parameters;
}

/** How many trials differ from each other; endless where anything is drawn. */
export function distinctTrials(searched: Searched): number {
  return onlyChoice(searched)?.values.length ?? Number.POSITIVE_INFINITY;
}

/** The one parameter to search for, where there is one and it has a few values only; its default comes first. */
function onlyChoice({ parameters }: Searched): { name: string; values: ParameterValue[] } | undefined {
  const [[name, { range, default: value }] = ['', {} as ParameterSpec], ...others] = Object.entries(parameters).filter(
    ([, each]) => each.range,
  );
  if (others.length > 0 || range?.kind !== 'choice') return undefined;
  return { name, values: [value, ...range.values.filter((other) => other !== value)] };
}

function draw(range: SearchRange, random: Random): ParameterValue {
  if (range.kind === 'choice') return range.values[random.integer(range.values.length)];
  const { low, high } = range;
  if (range.kind === 'integer') return low + random.integer(high - low + 1);
  const share = random.uniform();
  const value = range.kind === 'log' ? low * (high / low) ** share : low + share * (high - low);
  // Four digits are as good as sixteen, and people copy them.
  return Math.min(high, Math.max(low, Number(value.toPrecision(4))));
}

/** FNV-1a, 32 bits. */
function nameNumber(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
