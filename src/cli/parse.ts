/** Turns command-line words into checked arguments and options of a command. */
import { parseArgs } from 'node:util';
import { UsageError } from '../errors.js';
import type { Command, OptionSpec } from './command.js';

export interface ParsedLine {
  args: string[];
  options: Record<string, unknown>;
  json: boolean;
  quiet: boolean;
  help: boolean;
}

/** Options every command takes. */
export const globalOptions = {
  json: { type: 'flag', description: 'Print the result as one JSON document on stdout.' },
  quiet: { type: 'flag', short: 'q', description: 'No progress on stderr.' },
  help: { type: 'flag', short: 'h', description: 'Show this help.' },
} as const satisfies Record<string, OptionSpec>;

export function parseLine(command: Command, words: string[]): ParsedLine {
  const specs: Record<string, OptionSpec> = { ...command.options, ...globalOptions };
  const raw = tokens(command, specs, words);
  const help = raw.values.help === true;
  const options: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(command.options)) options[name] = convert(name, spec, raw.values[name]);
  if (!help) checkArguments(command, raw.positionals);
  return { args: raw.positionals, options, json: raw.values.json === true, quiet: raw.values.quiet === true, help };
}

type RawValue = string | boolean | (string | boolean)[] | undefined;

function tokens(command: Command, specs: Record<string, OptionSpec>, words: string[]) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      {
        type: spec.type === 'flag' ? ('boolean' as const) : ('string' as const),
        multiple: spec.type === 'list',
        ...(spec.short ? { short: spec.short } : {}),
      },
    ]),
  );
  try {
    const parsed = parseArgs({
      args: joinNegativeNumbers(specs, words),
      options,
      allowPositionals: true,
      strict: true,
    });
    return { values: parsed.values as Record<string, RawValue>, positionals: parsed.positionals };
  } catch (error) {
    const message = (error as Error).message;
    const unknown = /Unknown option '(-[^']+)'/.exec(message)?.[1];
    if (!unknown) throw new UsageError(message.split('\n')[0], `See "bowerbird ${command.name} --help".`);
    const near = nearest(unknown.replace(/^-+/, ''), Object.keys(specs));
    throw new UsageError(
      `unknown option ${unknown}`,
      near ? `Did you mean --${near}?` : `See "bowerbird ${command.name} --help".`,
    );
  }
}

/** `--x -3` reads as `--x=-3` (and `-x -3` as `-x-3`) for numeric options; parseArgs alone takes -3 for an option. */
function joinNegativeNumbers(specs: Record<string, OptionSpec>, words: string[]): string[] {
  const numeric = new Map<string, string>();
  for (const [name, { type, short }] of Object.entries(specs)) {
    if (type !== 'number' && type !== 'integer') continue;
    numeric.set(`--${name}`, '=');
    if (short) numeric.set(`-${short}`, '');
  }
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const joined: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const joint = i < end ? numeric.get(words[i]) : undefined;
    if (joint !== undefined && /^-[\d.]/.test(words[i + 1] ?? '')) joined.push(`${words[i]}${joint}${words[++i]}`);
    else joined.push(words[i]);
  }
  return joined;
}

function convert(name: string, spec: OptionSpec, raw: RawValue): unknown {
  if (spec.type === 'flag') return raw === true;
  if (raw === undefined) return spec.type === 'list' && spec.default ? [...spec.default] : spec.default;
  if (spec.type === 'list')
    return (raw as string[])
      .flatMap((part) => part.split(','))
      .map((part) => part.trim())
      .filter(Boolean);
  const text = String(raw);
  if (spec.type === 'choice') {
    if (!spec.choices.includes(text))
      throw new UsageError(`--${name} is "${text}"; it must be one of ${spec.choices.join(', ')}`);
    return text;
  }
  if (spec.type === 'string') return text;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || (spec.type === 'integer' && !Number.isSafeInteger(value)))
    throw new UsageError(
      `--${name} is "${text}"; it must be ${spec.type === 'integer' ? 'a whole number' : 'a number'}`,
    );
  if (spec.minimum !== undefined && value < spec.minimum)
    throw new UsageError(`--${name} is ${value}; it must be at least ${spec.minimum}`);
  if (spec.maximum !== undefined && value > spec.maximum)
    throw new UsageError(`--${name} is ${value}; it must be at most ${spec.maximum}`);
  return value;
}

function checkArguments(command: Command, given: string[]): void {
  const required = command.arguments.filter((argument) => !argument.optional);
  if (given.length < required.length) {
    const missing = required[given.length];
    throw new UsageError(
      `${missing.name} is missing: ${missing.description}`,
      `Example: ${command.examples[0].command}`,
    );
  }
  for (const [i, { name, choices }] of command.arguments.entries())
    if (choices && given[i] !== undefined && !choices.includes(given[i]))
      throw new UsageError(`${name} is "${given[i]}"; it must be one of ${choices.join(', ')}`);
  const unlimited = command.arguments.some((argument) => argument.rest);
  if (!unlimited && given.length > command.arguments.length)
    throw new UsageError(
      `unexpected argument "${given[command.arguments.length]}"`,
      `See "bowerbird ${command.name} --help".`,
    );
}

/** The candidate closest in edit distance, if it is close enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++)
      current[j] = Math.min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    previous = current;
  }
  return previous[b.length];
}
