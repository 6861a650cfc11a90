import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AskHost } from '../../src/studio/ask.js';
import { Library } from '../../src/studio/library.js';
import { Live } from '../../src/studio/live.js';
import { Runs } from '../../src/studio/runs.js';
import { makeWorld, type World } from '../workspace/world.js';

let world: World;
let library: Library;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 1, test: 1, web: 1, validation: false });
  library = new Library(world.folder);
});
afterAll(() => world.remove());

/** A program in the place of `bowerbird run`; it gets the workspace as its argument. */
const program = (script: string) => [process.execPath, '-e', script, '--'];

async function ended(runs: Runs): Promise<void> {
  while (runs.own) await wait(20);
}

describe('a run started from the studio', () => {
  it('is alone, and stops when it is told to', async () => {
    const runs = new Runs(
      library,
      program(
        "for (const way of ['SIGINT', 'message']) process.on(way, () => process.exit(130)); setInterval(() => {}, 1000)",
      ),
    );
    await runs.start({ until: 'fit' });
    expect(runs.own).toBe(true);
    expect(await new Live(library, runs, new AskHost(library, runs)).state()).toMatchObject({
      running: true,
      own: true,
    });
    await expect(runs.start()).rejects.toThrow('already at work');
    await wait(300);
    runs.stop();
    await ended(runs);
    expect(runs.failure).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')(
    'may be stopped before it listens, and that is no failure either',
    async () => {
      const runs = new Runs(library, program('setInterval(() => {}, 1000)'));
      await runs.start();
      runs.stop();
      await ended(runs);
      expect(runs.failure).toBeUndefined();
    },
  );

  it('says in its last words why it failed', async () => {
    const runs = new Runs(library, program("console.error('error: no space left on the disk'); process.exit(1)"));
    await runs.start();
    await ended(runs);
    expect(runs.failure).toBe('error: no space left on the disk');
    expect(await new Live(library, runs, new AskHost(library, runs)).state()).toMatchObject({
      running: false,
      failure: runs.failure,
    });
  });

  it.each([0, 3, 130])('that ends with code %i has not failed', async (code) => {
    const runs = new Runs(library, program(`console.error('a note'); process.exit(${code})`));
    await runs.start();
    await ended(runs);
    expect(runs.failure).toBeUndefined();
  });

  it('that ends without a word is told by its code, and of many words the last lines', async () => {
    const said = async (script: string) => {
      const runs = new Runs(library, program(script));
      await runs.start();
      await ended(runs);
      return runs.failure;
    };
    expect(await said('process.exit(7)')).toBe('the run ended with code 7');
    expect(await said("process.stderr.write('a\\n\\r  \\nb\\rc\\nd\\n'); process.exitCode = 1")).toBe('b\nc\nd');
    const long = "process.stderr.write('x'.repeat(5000)); process.exitCode = 1";
    expect(await said(long)).toBe('x'.repeat(4000));
  });

  it('is told the workspace and the last stage', async () => {
    const runs = new Runs(library, program('console.error(process.argv.slice(1).join("|")); process.exit(1)'));
    await runs.start({ until: 'features-web', quick: true });
    await ended(runs);
    expect(runs.failure).toBe([world.folder, '--until', 'features-web', '--quick'].join('|'));
  });

  it('cannot be started where the program is missing, and says so', async () => {
    const runs = new Runs(library, ['/nowhere/bowerbird']);
    await runs.start();
    await ended(runs);
    expect(runs.failure).toContain('could not be started');
  });
});

it.each([{ by: 'n'.repeat(81) }, { by: 5 }, { check: 1.5 }, { check: -0.1 }, { repeat: '1' }, { repeat: Number.NaN }])(
  'questions are not begun on terms that make no sense: %j',
  async (request) => {
    const host = new AskHost(library, new Runs(library, program('')));
    await expect(host.open(request)).rejects.toMatchObject({ code: 'BOWERBIRD_ARGUMENT' });
    expect((await host.view()).state).toBe('closed');
  },
);
