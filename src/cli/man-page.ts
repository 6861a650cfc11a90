/** The manual page bowerbird(1), written from the option data in the man macros. */
import type { Command } from './command.js';
import { argumentUsage, optionDescription, optionUsage } from './help.js';
import { globalOptions } from './parse.js';

export function manPage(commands: readonly Command[], version: string): string {
  const sections = commands.flatMap((command) => [
    `.SS ${literal(command.name)}`,
    `.B ${literal(`bowerbird ${command.name}`)}`,
    text([...command.arguments.map(argumentUsage), '[options]'].join(' ')),
    '.PP',
    text(command.description ?? command.summary),
    ...command.arguments.flatMap(({ name, description }) => entry(name, description)),
    ...Object.entries(command.options).flatMap(([name, spec]) =>
      entry(optionUsage(name, spec), optionDescription(spec)),
    ),
    ...command.examples.flatMap(({ command: line, explanation }) => [
      '.PP',
      text(`${capitalized(explanation.replace(/\.$/, ''))}:`),
      ...['.PP', '.RS 4', '.nf', text(line), '.fi', '.RE'],
    ]),
  ]);
  return [
    `.TH BOWERBIRD 1 "" "bowerbird ${version}" "User Commands"`,
    '.SH NAME',
    'bowerbird \\- image classifiers for categories nobody has labelled',
    '.SH SYNOPSIS',
    '.B bowerbird',
    text('COMMAND [arguments] [options]'),
    '.SH DESCRIPTION',
    text(
      'Trains a fine-grained image classifier from noisy web pictures of the categories, clean pictures of neighbouring ' +
        'categories, and the words of their names.',
    ),
    '.SH OPTIONS OF EVERY COMMAND',
    ...Object.entries(globalOptions).flatMap(([name, spec]) => entry(optionUsage(name, spec), optionDescription(spec))),
    ...entry('-v, --version', 'Show the version.'),
    '.SH COMMANDS',
    ...sections,
    '.SH EXIT STATUS',
    ...entry('0', 'Done.'),
    ...entry('1', 'Failed; the message has a code that docs/troubleshooting.md explains.'),
    ...entry('2', 'The command line is wrong.'),
    ...entry('3', 'Done, though some pictures failed.'),
    ...entry('130', 'Interrupted; the same command goes on.'),
    '',
  ].join('\n');
}

const entry = (tag: string, description: string) => ['.TP', `.B ${literal(tag)}`, text(description)];

/** With the characters that mean something to the formatter as they are. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

/** As one argument of a macro. */
const literal = (plain: string) => text(plain.replaceAll('"', "'"));

const capitalized = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
