import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { type CommandContext, defineCommand } from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands/index.js';
import { run } from '../../src/cli/run.js';
import { ArgumentError, InterruptedError, PartialFailureError } from '../../src/errors.js';
import { catchOutput } from './output.js';

const printed = catchOutput();
let behaviour: (context: CommandContext) => Promise<number>;

beforeEach(() => {
  const command = (name: string) =>
    defineCommand({
      name,
      summary: 'For this test.',
      arguments: [{ name: 'WORD', description: 'any word', optional: true }],
      options: { times: { type: 'integer', default: 1, description: 'How often.' } },
      examples: [{ command: `bowerbird ${name}`, explanation: 'Does it.' }],
      run: (context) => behaviour(context as CommandContext),
    });
  commands.perform = async () => command('perform');
  commands['nest build'] = async () => command('nest build');
});
afterEach(() => {
  vi.unstubAllEnvs();
  delete commands.perform;
  delete commands['nest build'];
});

describe('running a command', () => {
  it('prints results on stdout and ends with the code the command returns', async () => {
    behaviour = async ({ print, printJson, args, options }) => {
      print(`${args[0]} ${options.times}`);
      printJson({ never: 'shown' });
      return 0;
    };
    expect(await run(['perform', 'song', '--times', '2'])).toBe(0);
    expect([printed.out, printed.errors]).toEqual(['song 2\n', '']);
  });

  it('prints one JSON document and nothing else on stdout with --json', async () => {
    behaviour = async ({ print, printJson, json }) => {
      print('never shown');
      printJson({ json });
      return 0;
    };
    expect(await run(['perform', '--json'])).toBe(0);
    expect(JSON.parse(printed.out)).toEqual({ json: true });
  });

  it('lists the commands of a family with --help, and says its version with -v', async () => {
    for (const words of [
      ['nest', '--help'],
      ['nest', '-h'],
      ['help', 'nest'],
    ]) {
      printed.out = '';
      expect(await run(words)).toBe(0);
      expect(printed.out).toContain('Usage: bowerbird nest COMMAND');
      expect(printed.out).toContain('nest build  For this test.');
    }
    printed.out = '';
    expect(await run(['-v'])).toBe(0);
    expect(printed.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('finds commands of two words', async () => {
    behaviour = async ({ args, print }) => {
      print(args.join());
      return 0;
    };
    expect(await run(['nest', 'build', 'twigs'])).toBe(0);
    expect(printed.out).toBe('twigs\n');
  });

  it('shows the help of a command', async () => {
    expect(await run(['perform', '--help'])).toBe(0);
    expect(printed.out).toMatch(/^Usage: bowerbird perform \[WORD\] \[options\]/);
  });

  it('shows it also when help comes first', async () => {
    expect(await run(['help', 'nest', 'build'])).toBe(0);
    expect(printed.out).toMatch(/^Usage: bowerbird nest build \[WORD\] \[options\]/);
  });

  it('shows the version', async () => {
    expect(await run(['--version'])).toBe(0);
    expect(printed.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a line that cannot be run', () => {
  it('suggests the command that was meant', async () => {
    expect(await run(['perfrom'])).toBe(2);
    expect(printed.errors).toBe(
      'error: unknown command "perfrom" [BOWERBIRD_USAGE]\nDid you mean "bowerbird perform"?\n',
    );
    expect(printed.out).toBe('');
  });

  it('lists the second words of a command family', async () => {
    expect(await run(['nest'])).toBe(2);
    expect(printed.errors).toContain('"bowerbird nest" needs a second word');
    expect(printed.errors).toContain('One of: nest build.');
  });

  it('suggests the second word that was meant', async () => {
    expect(await run(['nest', 'biuld'])).toBe(2);
    expect(printed.errors).toContain('unknown command "nest biuld"');
    expect(printed.errors).toContain('Did you mean "bowerbird nest build"?');
    expect(await run(['nest', '--json'])).toBe(2);
    expect(printed.errors).toContain('"bowerbird nest" needs a second word');
  });

  it('points to the overview when nothing is near', async () => {
    expect(await run(['quxquxqux'])).toBe(2);
    expect(printed.errors).toContain('See "bowerbird --help".');
  });

  it('ends with 2 for a wrong option', async () => {
    expect(await run(['perform', '--tims', '3'])).toBe(2);
    expect(printed.errors).toContain('Did you mean --times?');
  });

  it('is an error document with --json', async () => {
    expect(await run(['perform', '--json', '--tims', '3'])).toBe(2);
    expect(JSON.parse(printed.out)).toEqual({
      error: { code: 'BOWERBIRD_USAGE', message: 'unknown option --tims', hint: 'Did you mean --times?' },
    });
  });
});

describe('a command that fails', () => {
  const failing = (error: unknown) => async () => {
    throw error;
  };

  it('ends with 1 and names code and remedy', async () => {
    behaviour = failing(new ArgumentError('the nest is wet', 'Dry it.'));
    expect(await run(['perform'])).toBe(1);
    expect(printed.errors).toBe('error: the nest is wet [BOWERBIRD_ARGUMENT]\nDry it.\n');
  });

  it('ends with 3 and lists what failed when some items did', async () => {
    behaviour = failing(new PartialFailureError('2 of 9 eggs broke', ['egg 3', 'egg 7']));
    expect(await run(['perform'])).toBe(3);
    expect(printed.errors).toContain('  egg 3\n  egg 7\n');
  });

  it('prints one JSON document also when the result has failures in it', async () => {
    behaviour = async ({ printJson }) => {
      printJson({ hatched: 7 });
      throw new PartialFailureError('2 of 9 eggs broke', ['egg 3', 'egg 7']);
    };
    expect(await run(['perform', '--json'])).toBe(3);
    expect(JSON.parse(printed.out)).toEqual({ hatched: 7 });
    expect(printed.errors).toContain('2 of 9 eggs broke [BOWERBIRD_PARTIAL]');
  });

  it('ends with 130 when it was interrupted', async () => {
    behaviour = failing(new InterruptedError());
    expect(await run(['perform'])).toBe(130);
    behaviour = failing(new DOMException('stopped', 'AbortError'));
    expect(await run(['perform'])).toBe(130);
  });

  it.each([
    ['open', 'EROFS', 'nest/egg: cannot be opened: the disk is read-only [BOWERBIRD_FILE]'],
    ['mkdir', 'EEXIST', 'nest/egg: cannot be written: a file of this name is there already [BOWERBIRD_FILE]'],
    ['mkdir', 'ENOSPC', 'nest/egg: cannot be written: no space left on the disk [BOWERBIRD_FILE]'],
    ['scandir', 'EACCES', 'nest/egg: cannot be read: permission denied [BOWERBIRD_FILE]'],
  ])('names file and reason when the disk refuses: %s, %s', async (syscall, code, message) => {
    behaviour = failing(Object.assign(new Error(code), { syscall, code, path: 'nest/egg' }));
    expect(await run(['perform'])).toBe(1);
    expect(printed.errors).toContain(`error: ${message}\n`);
    expect(printed.errors).not.toContain('defect');
  });

  it('says that an unexpected error is a defect, with the trace only on request', async () => {
    behaviour = failing(new TypeError('x is undefined'));
    expect(await run(['perform'])).toBe(1);
    expect(printed.errors).toContain('error: x is undefined\nThis looks like a defect');
    expect(printed.errors).not.toContain('run.test.ts');
    vi.stubEnv('BOWERBIRD_DEBUG', '1');
    expect(await run(['perform'])).toBe(1);
    expect(printed.errors).toContain('run.test.ts');
  });

  it('gives an unexpected error a code of its own in JSON', async () => {
    behaviour = failing(new TypeError('x is undefined'));
    expect(await run(['perform', '--json'])).toBe(1);
    expect(JSON.parse(printed.out).error).toEqual({ code: 'BOWERBIRD_UNEXPECTED', message: 'x is undefined' });
  });
});

describe('the program', () => {
  const main = fileURLToPath(artefact('cli/main.js'));

  function start(...words: string[]) {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    const texts = { out: '', err: '' };
    child.stdout.on('data', (data) => {
      texts.out += data;
    });
    child.stderr.on('data', (data) => {
      texts.err += data;
    });
    const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, ...texts }));
    });
    return { child, texts, ended };
  }

  it('lists its commands and ends with 2 when called without any', async () => {
    const { code, out } = await start().ended;
    expect(code).toBe(2);
    expect(out).toContain('Usage: bowerbird COMMAND');
    expect(out).toMatch(/^ {2}doctor {2,}\S/m);
  });

  it('ends with 2 for an unknown command', async () => {
    expect((await start('docter').ended).code).toBe(2);
  });

  it('stops at a message, where a parent has no signals to send', async () => {
    const child = fork(fileURLToPath(artefact('cli/main.js')), ['doctor', '--seconds', '12'], { silent: true });
    let err = '';
    child.stderr?.on('data', (chunk) => {
      err += chunk;
    });
    const ended = once(child, 'exit');
    await vi.waitUntil(() => err.includes('measuring speed'), { timeout: 30_000 });
    child.send('stop');
    expect(await ended).toEqual([130, null]);
  });

  it('ends by itself although a parent could still send messages', async () => {
    const child = fork(fileURLToPath(artefact('cli/main.js')), ['doctor', '--seconds', '0'], { silent: true });
    child.stdout?.resume();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it.skipIf(process.platform === 'win32')('stops at Ctrl-C with 130', async () => {
    const { child, texts, ended } = start('doctor', '--seconds', '12');
    await vi.waitUntil(() => texts.err.includes('measuring speed'), { timeout: 30_000 });
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('stopping; press Ctrl-C again to stop at once');
    expect(err).toContain('error: interrupted [BOWERBIRD_INTERRUPTED]');
  });
});
