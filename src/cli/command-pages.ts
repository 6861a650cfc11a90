/** The pages docs/commands.md and docs/parameters.md, written from the data that parser, help and methods work with. */
import { methods } from '../methods/index.js';
import type { Command } from './command.js';
import { commands } from './commands/index.js';
import { commandHelp } from './help.js';
import { methodLines } from './method-lines.js';

export async function commandPage(): Promise<string> {
  const all: Command[] = await Promise.all(Object.values(commands).map((load) => load()));
  const link = (name: string) => name.replaceAll(' ', '-');
  const contents = all.map(({ name, summary }) => `- [\`${name}\`](#${link(name)}): ${summary}`);
  const sections = all.map((command) => `## ${command.name}\n\n\`\`\`text\n${commandHelp(command)}\n\`\`\``);
  return ['# Commands', 'Written by `npm run docs`.', contents.join('\n'), ...sections].join('\n\n').concat('\n');
}

export function parameterPage(): string {
  const sections = methods.map((spec) => `## ${spec.name}\n\n\`\`\`text\n${methodLines(spec).join('\n')}\n\`\`\``);
  const about =
    'What `fit --set NAME=VALUE`, `tune`, `compare` and `learner.parameters` of a workspace can set, as ' +
    '`bowerbird methods NAME` prints it. Written by `npm run docs`.';
  return ['# Methods and their parameters', about, ...sections].join('\n\n').concat('\n');
}
