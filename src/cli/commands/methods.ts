/** `bowerbird methods`: the methods there are, what they use and what can be set. */
import { type MethodSpec, methods } from '../../methods/index.js';
import { defineCommand } from '../command.js';
import { methodLines } from '../method-lines.js';
import { methodNamed, pluginOption } from '../shared-options.js';

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
  options: pluginOption,
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
      for (const line of methodLines(spec)) print(line);
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
