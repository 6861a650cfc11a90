/** Help texts, written from the option data. */
import type { Command, OptionSpec } from './command.js';
import { globalOptions } from './parse.js';

export function commandHelp(command: Command): string {
  const usage = ['bowerbird', command.name, ...command.arguments.map(argumentUsage), '[options]'].join(' ');
  const sections = [`Usage: ${usage}`, '', command.description ?? command.summary];
  if (command.arguments.length > 0)
    sections.push('', 'Arguments:', ...table(command.arguments.map((a) => [a.name, a.description])));
  const rows = Object.entries({ ...command.options, ...globalOptions }).map(([name, spec]) => [
    optionUsage(name, spec),
    optionDescription(spec),
  ]);
  sections.push('', 'Options:', ...table(rows), '', 'Examples:');
  for (const example of command.examples) sections.push(`  ${example.command}`, `      ${example.explanation}`);
  return sections.join('\n');
}

export function overview(commands: readonly { name: string; summary: string }[], version: string): string {
  return [
    `bowerbird ${version}: image classifiers for categories nobody has labelled`,
    '',
    'Usage: bowerbird COMMAND [arguments] [options]',
    '',
    'Commands:',
    ...table(commands.map((command) => [command.name, command.summary])),
    '',
    'bowerbird COMMAND --help shows the options of a command and an example; -v the version.',
  ].join('\n');
}

/** Of commands that share their first word. */
export function familyHelp(word: string, commands: readonly { name: string; summary: string }[]): string {
  return [
    `Usage: bowerbird ${word} COMMAND [arguments] [options]`,
    '',
    'Commands:',
    ...table(commands.map((command) => [command.name, command.summary])),
    '',
    `bowerbird ${word} COMMAND --help shows the options of a command and an example.`,
  ].join('\n');
}

export function argumentUsage(argument: Command['arguments'][number]): string {
  const name = argument.rest ? `${argument.name}…` : argument.name;
  return argument.optional ? `[${name}]` : name;
}

export function optionUsage(name: string, spec: OptionSpec): string {
  const flag = spec.short ? `-${spec.short}, --${name}` : `--${name}`;
  if (spec.type === 'flag') return flag;
  const fallback = { string: 'TEXT', number: 'X', integer: 'N', list: 'A,B,…', choice: '' }[spec.type];
  return `${flag} ${spec.placeholder ?? (spec.type === 'choice' ? spec.choices.join('|') : fallback)}`;
}

export function optionDescription(spec: OptionSpec): string {
  if (spec.type === 'flag' || spec.default === undefined) return spec.description;
  return `${spec.description} [default: ${Array.isArray(spec.default) ? spec.default.join(',') : spec.default}]`;
}

function table(rows: string[][]): string[] {
  const width = Math.min(34, Math.max(...rows.map((row) => row[0].length)));
  return rows.map(([left, right]) =>
    left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  );
}
