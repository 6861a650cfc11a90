/** The parameters of trial k of a random search (Bergstra and Bengio 2012): a function of seed, trial and parameter name alone. */
import { Random } from '../linalg/index.js';
import type { MethodSpec, ParameterValue, SearchRange } from '../methods/index.js';
import type { Parameters } from './results.js';

/** Whether a search has anything to choose for this method. */
export function searchable(spec: MethodSpec): boolean {
  return Object.values(spec.parameters).some(({ range }) => range !== undefined);
}

/**
 * One random setting. Methods that share a parameter's name and range get the same values in the same trial, so that special
 * cases are compared on equal draws. Defaults are no candidates: they may have been chosen by people who had seen results.
 */
export function sampleParameters(spec: MethodSpec, seed: number, trial: number): Parameters {
  const parameters: Record<string, ParameterValue> = {};
  for (const [name, { range }] of Object.entries(spec.parameters))
    if (range) parameters[name] = draw(range, new Random(seed, trial).fork(nameNumber(name)));
  return parameters;
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
