/** `bowerbird methods`: the methods there are, what they use and what can be set. */
import { type MethodSpec, methods, type SearchRange } from '../../methods/index.js';
import { defineCommand } from '../command.js';
import { methodNamed } from '../shared-options.js';
import { shortNumber, tableLines } from '../table.js';

type Print = (line: string) => void;

export default defineCommand({
  name: 'methods',
  summary: 'List the methods, what they learn from and their parameters.',
  arguments: [
    {
      name: 'NAME',
      description: 'only this one, with what its parameters mean and where it comes from',
      optional: true,
    },
  ],
  options: {},
  examples: [
    { command: 'bowerbird methods', explanation: 'Two lines for each method.' },
    { command: 'bowerbird methods bowerbird', explanation: 'What "fit --set NAME=VALUE" can set, with defaults.' },
    { command: 'bowerbird methods --json', explanation: 'With citations, parameters, defaults and search ranges.' },
  ],
  async run({ args: [name], print, printJson }) {
    const described = ({ create: _, ...spec }: MethodSpec) => spec;
    if (name === undefined) {
      printJson(methods.map(described));
      printAll(print);
    } else {
      const spec = methodNamed(name);
      printJson(described(spec));
      printOne(spec, print);
    }
    return 0;
  },
});

function printAll(print: Print): void {
  const width = Math.max(...methods.map((spec) => spec.name.length));
  for (const { name, title, uses, parameters } of methods) {
    print(`${name.padEnd(width)}  ${title}`);
    print(`${' '.repeat(width)}  uses ${uses.join(', ')}; parameters ${Object.keys(parameters).join(', ') || 'none'}`);
  }
}

function printOne({ name, title, citation, uses, setting, parameters }: MethodSpec, print: Print): void {
  print(`${name}: ${title}`);
  print(`  from        ${citation}`);
  print(`  uses        ${uses.join(', ')}`);
  print(`  setting     ${setting === 'both' ? 'standard and generalized' : setting}`);
  const value = (each: number | string) => (typeof each === 'number' ? shortNumber(each) : each);
  const columns = [{ title: 'parameter' }, { title: 'default' }, { title: 'searched for in' }, { title: 'meaning' }];
  const rows = Object.entries(parameters).map(([parameter, { default: given, range, description }]) => [
    parameter,
    value(given),
    range ? describeRange(range, value) : '–',
    description,
  ]);
  if (rows.length === 0) print('  parameters  none');
  else for (const line of ['', ...tableLines(columns, rows)]) print(line);
}

function describeRange(range: SearchRange, value: (each: number | string) => string): string {
  if (range.kind === 'choice') return range.values.map(value).join(', ');
  return `${value(range.low)} to ${value(range.high)}`;
}
