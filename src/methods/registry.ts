/** Every method by name: those that come with Bowerbird, and those that somebody registered. */
import { ArgumentError } from '../errors.js';
import { currentName } from '../learner/index.js';
import { adaptationMethods } from './adaptation/index.js';
import { bowerbirdSpec } from './bowerbird/bowerbird.js';
import { combinedMethods } from './combined/index.js';
import { fewShotMethods } from './few-shot/index.js';
import { modernMethods } from './modern/index.js';
import { paperMethods } from './paper.js';
import { withLearntRanges } from './searched-ranges.js';
import type { MethodSpec } from './spec.js';
import { transductiveMethods } from './transductive/index.js';
import { webMethods } from './web/index.js';
import { zeroShotMethods } from './zero-shot/index.js';

/** As their files declare them, before ranges were learnt. */
export const declaredMethods: readonly MethodSpec[] = [
  bowerbirdSpec,
  ...paperMethods,
  ...webMethods,
  ...adaptationMethods,
  ...zeroShotMethods,
  ...transductiveMethods,
  ...combinedMethods,
  ...fewShotMethods,
  ...modernMethods,
];

const known: MethodSpec[] = declaredMethods.map(withLearntRanges);

/** Grows as methods are registered. */
export const methods: readonly MethodSpec[] = known;

const builtIn: ReadonlySet<MethodSpec> = new Set(known);
/** Where threads find a method that somebody registered. */
const modules = new Map<MethodSpec, string>();

/**
 * Makes a method known to fits, searches and comparisons of this process.
 * @param module the address of the module that exports it in `methods`, so that threads can load it too; without it the
 * method works in this thread alone
 * @throws ArgumentError for a name that is taken or cannot be one
 */
export function registerMethod(spec: MethodSpec, module?: string | URL): void {
  if (!/^[a-z0-9][a-z0-9+-]*$/.test(spec.name))
    throw new ArgumentError(
      `"${spec.name}" cannot be the name of a method`,
      'Names are of small letters, digits, hyphens and plus signs.',
    );
  const other = known.find(({ name }) => name === spec.name);
  if (other && other !== spec)
    throw new ArgumentError(`there is a method "${spec.name}" already`, 'Choose another name.');
  if (!other) known.push(spec);
  if (module !== undefined && !builtIn.has(spec)) modules.set(spec, String(module));
}

/** Whether threads can have the method. */
export function isShareable(spec: MethodSpec): boolean {
  return builtIn.has(spec) || modules.has(spec);
}

/** What a thread has to load to know every method that is known here. */
export function pluginModules(): string[] {
  return [...new Set(modules.values())];
}

/** @throws ArgumentError that lists the names there are */
export function findMethod(name: string): MethodSpec {
  const found = methods.find((spec) => spec.name === currentName(name));
  if (found) return found;
  throw new ArgumentError(`there is no method "${name}"`, `Methods: ${methods.map((spec) => spec.name).join(', ')}.`);
}
