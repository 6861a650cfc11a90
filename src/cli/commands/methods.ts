/** `bowerbird methods`: the methods there are, what they use and what can be set. */
import { methods } from '../../methods/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'methods',
  summary: 'List the methods, what they learn from and their parameters.',
  arguments: [],
  options: {},
  examples: [
    { command: 'bowerbird methods', explanation: 'A line for each method.' },
    { command: 'bowerbird methods --json', explanation: 'With citations, parameters, defaults and search ranges.' },
  ],
  async run({ print, printJson }) {
    printJson(methods.map(({ create: _, ...spec }) => spec));
    const width = Math.max(...methods.map((spec) => spec.name.length));
    for (const { name, title, uses, parameters } of methods) {
      print(`${name.padEnd(width)}  ${title}`);
      print(
        `${' '.repeat(width)}  uses ${uses.join(', ')}; parameters ${Object.keys(parameters).join(', ') || 'none'}`,
      );
    }
    return 0;
  },
});
