/** Finds the command, parses its line, runs it, and turns what happened into an exit code. */
import { readFileSync } from 'node:fs';
import { BowerbirdError, InterruptedError, PartialFailureError, UsageError } from '../errors.js';
import { fileError } from '../formats/file.js';
import type { Command } from './command.js';
import { commands } from './commands/index.js';
import { commandHelp, overview } from './help.js';
import { nearest, parseLine } from './parse.js';
import { createProgress } from './progress.js';

const exitCodes = { done: 0, failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

export async function run(words: string[]): Promise<number> {
  const json = words.includes('--json');
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    throw error;
  });
  try {
    return await dispatch(words);
  } catch (error) {
    return report(error, json);
  }
}

async function dispatch(words: string[]): Promise<number> {
  if (words.length === 0 || ['--help', '-h', 'help'].includes(words[0])) {
    const summaries = await Promise.all(Object.values(commands).map((load) => load()));
    process.stdout.write(`${overview(summaries, version())}\n`);
    return words.length === 0 ? exitCodes.usage : exitCodes.done;
  }
  if (words[0] === '--version' || words[0] === '-V') {
    process.stdout.write(`${version()}\n`);
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
  const progress = createProgress(process.stderr, line.quiet || (line.json && !process.stderr.isTTY));
  try {
    return await command.run({
      args: line.args,
      options: line.options as never,
      json: line.json,
      print: (text) => {
        progress.end();
        if (!line.json) process.stdout.write(`${text}\n`);
      },
      printJson: (value) => {
        progress.end();
        if (line.json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
      },
      progress,
      signal: abort.signal,
    });
  } finally {
    progress.end();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

async function find(words: string[]): Promise<{ command: Command; rest: string[] }> {
  for (const count of [2, 1]) {
    const load = commands[words.slice(0, count).join(' ')];
    if (load) return { command: await load(), rest: words.slice(count) };
  }
  const family = Object.keys(commands).filter((name) => name.startsWith(`${words[0]} `));
  if (family.length > 0)
    throw new UsageError(`"bowerbird ${words[0]}" needs a second word`, `One of: ${family.join(', ')}.`);
  const near = nearest(words[0], Object.keys(commands));
  throw new UsageError(
    `unknown command "${words[0]}"`,
    near ? `Did you mean "bowerbird ${near}"?` : 'See "bowerbird --help".',
  );
}

/** A disk that is full or cannot be written, or a folder that is away, is no defect, wherever it was noticed. */
function named(error: unknown): unknown {
  const { path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (error instanceof BowerbirdError || typeof path !== 'string' || typeof syscall !== 'string') return error;
  const reading = ['scandir', 'stat', 'lstat', 'read', 'realpath', 'readlink'].includes(syscall);
  return fileError(path, error, reading ? 'read' : syscall === 'open' ? 'opened' : 'written');
}

function report(cause: unknown, json: boolean): number {
  const error = named(cause);
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
  if (json)
    process.stdout.write(
      `${JSON.stringify({ error: { code: known ? error.code : 'BOWERBIRD_UNEXPECTED', message, hint: known ? error.hint : undefined } })}\n`,
    );
  process.stderr.write(`error: ${message}${known ? ` [${error.code}]` : ''}\n`);
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
