/** Options that several commands share, and what they turn into. */
import { UsageError } from '../errors.js';
import type { Backend } from '../linalg/index.js';
import { createBackend, deviceChoices } from '../linalg/index.js';
import { currentName, findMethod, type MethodSpec, methods } from '../methods/index.js';
import { featureScalings, type LoadOptions } from '../problem/index.js';
import type { OptionSpec } from './command.js';
import { nearest } from './parse.js';

export const backendOptions = {
  device: { type: 'choice', choices: deviceChoices, default: 'auto', description: 'Where to compute.' },
  threads: { type: 'integer', minimum: 1, description: 'Threads of the numerical backend (all cores if not given).' },
} as const satisfies Record<string, OptionSpec>;

/** Loaded before the command begins (run.ts). */
export const pluginOption = {
  plugin: {
    type: 'list',
    placeholder: 'FILE',
    description: 'Modules with methods or sources of your own (docs/extending.md).',
  },
} as const satisfies Record<string, OptionSpec>;

export const problemOptions = {
  semantics: {
    type: 'string',
    default: 'semantics',
    placeholder: 'NAME',
    description: 'Semantic vectors to use: the arrays aux_NAME and test_NAME; several kinds with commas between.',
  },
  scaling: { type: 'choice', choices: featureScalings, default: 'l2', description: 'Scaling of the features.' },
  'centre-features': { type: 'flag', description: "Subtract each domain's own mean from its features." },
  'centre-semantics': { type: 'flag', description: 'Subtract the mean from the semantic vectors.' },
  'unit-semantics': {
    type: 'flag',
    description: 'Bring semantic vectors to unit length (advisable for word vectors).',
  },
  dtype: { type: 'choice', choices: ['float64', 'float32'], default: 'float64', description: 'Precision.' },
  'web-file': {
    type: 'string',
    placeholder: 'FILE',
    description: 'Web pictures from this file, for problems without any (an xlsa17 pair).',
  },
  splits: {
    type: 'string',
    placeholder: 'FILE',
    description: 'Attributes and splits of an xlsa17 pair, if not att_splits.mat beside the features.',
  },
} as const satisfies Record<string, OptionSpec>;

export interface ProblemValues {
  semantics: string;
  scaling: string;
  'centre-features': boolean;
  'centre-semantics': boolean;
  'unit-semantics': boolean;
  dtype: string;
  'web-file': string | undefined;
  splits: string | undefined;
}

export function loadOptions(values: ProblemValues, signal: AbortSignal): LoadOptions {
  return {
    semantics: values.semantics,
    scaling: values.scaling as LoadOptions['scaling'],
    centreFeatures: values['centre-features'],
    centreSemantics: values['centre-semantics'],
    unitSemantics: values['unit-semantics'],
    dtype: values.dtype as LoadOptions['dtype'],
    webFile: values['web-file'],
    splits: values.splits,
    signal,
  };
}

export function openBackend(values: { device: string; threads: number | undefined }): Promise<Backend> {
  return createBackend({ device: values.device as (typeof deviceChoices)[number], threads: values.threads });
}

/**
 * The method, and a note where it has another name now.
 * @throws UsageError, with the method that was probably meant
 */
export function methodNamed(name: string, note: (text: string) => void = () => {}): MethodSpec {
  const names = methods.map((spec) => spec.name);
  const current = currentName(name);
  if (names.includes(current)) {
    if (current !== name) note(`${name} is now called ${current}`);
    return findMethod(current);
  }
  const near = nearest(name, names);
  throw new UsageError(
    `there is no method "${name}"`,
    `${near ? `Did you mean "${near}"? ` : ''}"bowerbird methods" lists them all.`,
  );
}
