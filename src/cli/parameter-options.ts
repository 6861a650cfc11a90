/** Parameters of a method as options of a command. */
import type { ParameterSpec } from '../parameters.js';

export function numberOption(parameter: ParameterSpec<number>) {
  const type: 'integer' | 'number' = parameter.whole ? 'integer' : 'number';
  return { type, minimum: parameter.least, description: describe(parameter) } as const;
}

export function choiceOption<Word extends string>(parameter: ParameterSpec<Word>) {
  return { type: 'choice', choices: parameter.values ?? [], description: describe(parameter) } as const;
}

/** A sentence that ends with the default. */
function describe({ description, default: value }: ParameterSpec): string {
  return `${description[0].toUpperCase()}${description.slice(1)} (${value}).`;
}
