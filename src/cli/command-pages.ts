/** The page docs/commands.md, written from the same option data as the help texts. */
import type { Command } from './command.js';
import { commands } from './commands/index.js';
import { commandHelp } from './help.js';

export async function commandPage(): Promise<string> {
  const all: Command[] = await Promise.all(Object.values(commands).map((load) => load()));
  const link = (name: string) => name.replaceAll(' ', '-');
  const contents = all.map(({ name, summary }) => `- [\`${name}\`](#${link(name)}): ${summary}`);
  const sections = all.map((command) => `## ${command.name}\n\n\`\`\`text\n${commandHelp(command)}\n\`\`\``);
  return ['# Commands', 'Written by `npm run docs`.', contents.join('\n'), ...sections].join('\n\n').concat('\n');
}
