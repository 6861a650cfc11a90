/** Finds the command, parses its line, runs it, and turns what happened into an exit code. */
import { readFileSync } from 'node:fs';
import { BowerbirdError, InterruptedError, PartialFailureError, UsageError } from '../errors.js';
import { namedFileError } from '../formats/index.js';
import { painter } from './colour.js';
import type { Command } from './command.js';
import { commands } from './commands/index.js';
import { commandHelp, familyHelp, overview } from './help.js';
import { nearest, parseLine } from './parse.js';
import { createProgress } from './progress.js';

const exitCodes = { done: 0, failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

/** Whether stdout shall hold a JSON document, and whether it is there already. */
interface Answer {
  readonly json: boolean;
  given: boolean;
}

export async function run(words: string[]): Promise<number> {
  const answer: Answer = { json: words.includes('--json'), given: false };
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    throw error;
  });
  try {
    return await dispatch(words, answer);
  } catch (error) {
    return report(error, answer);
  }
}

async function dispatch(words: string[], answer: Answer): Promise<number> {
  if (words[0] === 'help' && words.length > 1) return dispatch([...words.slice(1), '--help'], answer);
  if (words.length === 0 || ['--help', '-h', 'help'].includes(words[0])) {
    process.stdout.write(`${overview(await allCommands(), version())}\n`);
    return words.length === 0 ? exitCodes.usage : exitCodes.done;
  }
  if (['--version', '-V', '-v'].includes(words[0])) {
    process.stdout.write(`${version()}\n`);
    return exitCodes.done;
  }
  const family = words.length === 2 && ['--help', '-h'].includes(words[1]) ? await familyOf(words[0]) : [];
  if (family.length > 0) {
    process.stdout.write(`${familyHelp(words[0], family)}\n`);
    return exitCodes.done;
  }
  const { command, rest } = await find(words);
  const line = parseLine(command, rest);
  if (line.help) {
    process.stdout.write(`${commandHelp(command)}\n`);
    return exitCodes.done;
  }
  const abort = new AbortController();
  const stop = () => {
    if (abort.signal.aborted) process.exit(exitCodes.interrupted);
    process.stderr.write('\nstopping; press Ctrl-C again to stop at once\n');
    abort.abort(new InterruptedError());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // A parent without signals to send, such as the studio on Windows, sends a message instead.
  const stopAtMessage = (message: unknown) => message === 'stop' && stop();
  process.on('message', stopAtMessage);
  const progress = createProgress(process.stderr, line.quiet || (line.json && !process.stderr.isTTY));
  try {
    const { plugin } = line.options as { plugin?: unknown };
    // Only where there are some: the modules behind it are many.
    if (Array.isArray(plugin)) await (await import('../plugins/index.js')).loadPlugins(plugin);
    return await command.run({
      args: line.args,
      options: line.options as never,
      json: line.json,
      print: (text) => {
        progress.end();
        if (!line.json) process.stdout.write(`${text}\n`);
      },
      paint: painter(process.stdout),
      printJson: (value) => {
        progress.end();
        if (!line.json) return;
        process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
        answer.given = true;
      },
      progress,
      allCommands,
      signal: abort.signal,
    });
  } finally {
    progress.end();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    process.off('message', stopAtMessage);
  }
}

const allCommands = () => Promise.all(Object.values(commands).map((load) => load()));

/** Commands of two words that begin with this one. */
function familyOf(word: string): Promise<Command[]> {
  const members = Object.entries(commands).filter(([name]) => name.startsWith(`${word} `));
  return Promise.all(members.map(([, load]) => load()));
}

async function find(words: string[]): Promise<{ command: Command; rest: string[] }> {
  for (const count of [2, 1]) {
    const load = commands[words.slice(0, count).join(' ')];
    if (load) return { command: await load(), rest: words.slice(count) };
  }
  const family = Object.keys(commands).filter((name) => name.startsWith(`${words[0]} `));
  const second = words[1]?.startsWith('-') ? undefined : words[1];
  if (family.length > 0 && second === undefined)
    throw new UsageError(`"bowerbird ${words[0]}" needs a second word`, `One of: ${family.join(', ')}.`);
  const given = family.length > 0 ? `${words[0]} ${second}` : words[0];
  const near = nearest(given, family.length > 0 ? family : Object.keys(commands));
  throw new UsageError(
    `unknown command "${given}"`,
    near
      ? `Did you mean "bowerbird ${near}"?`
      : family.length > 0
        ? `One of: ${family.join(', ')}.`
        : 'See "bowerbird --help".',
  );
}

function report(cause: unknown, answer: Answer): number {
  const error = namedFileError(cause);
  const interrupted = error instanceof InterruptedError || (error as Error)?.name === 'AbortError';
  const known = error instanceof BowerbirdError;
  const code = interrupted
    ? exitCodes.interrupted
    : error instanceof UsageError
      ? exitCodes.usage
      : error instanceof PartialFailureError
        ? exitCodes.partial
        : exitCodes.failed;
  const message = known ? error.message : (error as Error)?.message || String(error);
  // A result with failures in it is the one document already.
  if (answer.json && !answer.given)
    process.stdout.write(
      `${JSON.stringify({ error: { code: known ? error.code : 'BOWERBIRD_UNEXPECTED', message, hint: known ? error.hint : undefined } })}\n`,
    );
  process.stderr.write(`${painter(process.stderr)('error:', 'red')} ${message}${known ? ` [${error.code}]` : ''}\n`);
  if (known && error.hint) process.stderr.write(`${error.hint}\n`);
  if (error instanceof PartialFailureError)
    for (const item of error.failed.slice(0, 20)) process.stderr.write(`  ${item}\n`);
  if (!known && !interrupted)
    process.stderr.write(
      process.env.BOWERBIRD_DEBUG
        ? `${(error as Error)?.stack}\n`
        : 'This looks like a defect in bowerbird; BOWERBIRD_DEBUG=1 shows where it happened.\n',
    );
  return code;
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
