/** A method and its parameters in lines of text, for `bowerbird methods NAME` and docs/parameters.md. */
import type { MethodSpec } from '../methods/index.js';
import { expected, type ParameterSpec, type ParameterValue } from '../parameters.js';
import { shortNumber, tableLines } from './table.js';

export function methodLines(spec: MethodSpec): string[] {
  const { name, title, citation, uses, setting, parameters, generalizedDefaults: own = {} } = spec;
  const columns = ['parameter', 'default', 'must be', 'searched for in', 'meaning'].map((heading) => ({
    title: heading,
  }));
  const rows = Object.entries(parameters).map(([parameter, each]) => [
    parameter,
    parameter in own ? `${text(each.default)}; generalized ${text(own[parameter])}` : text(each.default),
    expected(each),
    searched(each),
    each.description,
  ]);
  return [
    `${name}: ${title}`,
    `  from        ${citation}`,
    `  uses        ${uses.join(', ')}`,
    `  setting     ${setting === 'both' ? 'standard and generalized' : setting}`,
    ...(rows.length === 0 ? ['  parameters  none'] : ['', ...tableLines(columns, rows)]),
  ];
}

function searched({ range }: ParameterSpec): string {
  if (!range) return '–';
  return range.kind === 'choice' ? range.values.map(text).join(', ') : `${text(range.low)} to ${text(range.high)}`;
}

function text(value: ParameterValue): string {
  return typeof value === 'number' ? shortNumber(value) : value;
}
