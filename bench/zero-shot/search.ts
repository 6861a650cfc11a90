/** A small seeded search: the parameters that do best on auxiliary categories held out from learning. */
import { meanCategoryAccuracy } from '../../src/fit/index.js';
import { type Backend, Random } from '../../src/linalg/index.js';
import { createMethod, type MethodSpec, type ParameterValue, type SearchRange } from '../../src/methods/index.js';
import type { Problem } from '../../src/problem/index.js';
import { heldOutProblem } from './cub.js';

export type Parameters = Readonly<Record<string, ParameterValue>>;

export interface SearchOptions {
  backend: Backend;
  /** Random settings tried; the defaults, which people chose who had seen test results, are not among them. */
  trials: number;
  seed: number;
  /** Parameters that are not searched. */
  fixed?: Parameters;
}

export interface Choice {
  parameters: Parameters;
  /** Mean per-category accuracy on the categories that were held out. */
  heldOut: number;
}

export async function chooseParameters(spec: MethodSpec, problem: Problem, options: SearchOptions): Promise<Choice> {
  const { backend, trials, seed, fixed = {} } = options;
  const rehearsal = heldOutProblem(problem, seed);
  const random = new Random(seed, 1);
  let best: Choice | undefined;
  for (let trial = 0; trial < trials; trial++) {
    const parameters: Record<string, ParameterValue> = {};
    for (const [name, { range }] of Object.entries(spec.parameters)) if (range) parameters[name] = draw(range, random);
    Object.assign(parameters, fixed);
    const heldOut = await score(spec, parameters, rehearsal, backend);
    if (!best || heldOut > best.heldOut) best = { parameters, heldOut };
  }
  return best!;
}

/** Mean per-category accuracy on the test pictures. */
export async function score(
  spec: MethodSpec,
  parameters: Parameters,
  problem: Problem,
  backend: Backend,
): Promise<number> {
  const method = await createMethod(spec, parameters, 1).fit(problem, { backend });
  return meanCategoryAccuracy(method.predict(problem.testFeatures), problem.testLabels!, problem.testNames.length);
}

function draw(range: SearchRange, random: Random): ParameterValue {
  if (range.kind === 'choice') return range.values[random.integer(range.values.length)];
  const { low, high } = range;
  if (range.kind === 'integer') return low + random.integer(high - low + 1);
  const share = random.uniform();
  return range.kind === 'log' ? low * (high / low) ** share : low + share * (high - low);
}
