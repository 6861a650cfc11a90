/** Every method by name. */
import { ArgumentError } from '../errors.js';
import { adaptationMethods } from './adaptation/index.js';
import { bowerbirdSpec } from './bowerbird/bowerbird.js';
import { combinedMethods } from './combined/index.js';
import { fewShotMethods } from './few-shot/index.js';
import { modernMethods } from './modern/index.js';
import { ourMethods } from './ours.js';
import type { MethodSpec } from './spec.js';
import { transductiveMethods } from './transductive/index.js';
import { webMethods } from './web/index.js';
import { zeroShotMethods } from './zero-shot/index.js';

export const methods: readonly MethodSpec[] = [
  bowerbirdSpec,
  ...ourMethods,
  ...webMethods,
  ...adaptationMethods,
  ...zeroShotMethods,
  ...transductiveMethods,
  ...combinedMethods,
  ...fewShotMethods,
  ...modernMethods,
];

/** @throws ArgumentError that lists the names there are */
export function findMethod(name: string): MethodSpec {
  const found = methods.find((spec) => spec.name === name);
  if (found) return found;
  throw new ArgumentError(`there is no method "${name}"`, `Methods: ${methods.map((spec) => spec.name).join(', ')}.`);
}
