/** `bowerbird ask` as a conversation: keys through a pseudo-terminal, and lines through a pipe. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace, readDecisions, runWorkspace } from '../../src/workspace/index.js';
import { main, makeWorld, type World, writeConfiguration } from '../workspace/world.js';

const hasScript = spawnSync('script', ['--version']).status === 0;

let world: World;
beforeAll(async () => {
  world = await makeWorld({ test: 6 });
  world.configuration.learner = { method: 'bowerbird', device: 'wasm', threads: 1 };
  writeConfiguration(world);
  await runWorkspace(await openWorkspace(world.folder), { until: 'fit' });
}, 120_000);
afterAll(() => world.remove());

/** A program that is talked to: `said` has everything it printed. */
class Talk {
  said = '';
  readonly #child: ChildProcess;
  #read = 0;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (text) => {
        this.said += text;
      });
  }

  /** Waits for words that were not there yet. */
  async hears(words: RegExp): Promise<string> {
    for (let k = 0; k < 1200; k++) {
      const found = words.exec(this.said.slice(this.#read));
      if (found) {
        this.#read += found.index + found[0].length;
        return found[0];
      }
      if (this.#child.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${words} was not said, but ${JSON.stringify(this.said.slice(this.#read))}`);
  }

  says(text: string): void {
    this.#child.stdin!.write(text);
  }

  async ends(): Promise<number | null> {
    this.#child.stdin!.end();
    if (this.#child.exitCode === null) await once(this.#child, 'close');
    return this.#child.exitCode;
  }
}

const answered = async () => {
  const { answers, unsure } = await readDecisions(await openWorkspace(world.folder));
  return { answers: answers.size, unsure: unsure.size };
};

describe('bowerbird ask', () => {
  let talk: Talk | undefined;
  afterEach(async () => {
    await talk?.ends();
  });

  it.skipIf(!hasScript)(
    'is a conversation on a terminal: pictures, a question, a reply, what it bought (skipped without "script")',
    async () => {
      const environment = {
        COLORTERM: 'truecolor',
        TERM: 'xterm-256color',
        NO_COLOR: '',
        TMUX: '',
        KITTY_WINDOW_ID: '',
        TERM_PROGRAM: '',
      };
      const command = `${process.execPath} ${main} ask ${world.folder} --questions 3 --by Ana --check 0`;
      talk = new Talk('script', ['-qfec', command, '/dev/null'], environment);
      await talk.hears(/1\/3 {2}(Which is it|Is this|Does this web picture show|Do these)/);
      // Half blocks in 24-bit colours: the picture stands above its question.
      expect(talk.said).toContain('\u001b[38;2;');
      await talk.hears(/> /);
      talk.says('what?\r');
      await talk.hears(/Reply with a number, a name/);
      talk.says('s\r');
      await talk.hears(/2\/3 {2}/);
      // A group is one question about several pictures.
      expect((await answered()).unsure).toBeGreaterThan(0);
      talk.says('u\r');
      await talk.hears(/Taken back: /);
      await talk.hears(/1\/3 {2}/);
      expect(await answered()).toEqual({ answers: 0, unsure: 0 });
      await talk.hears(/> /);
      // Ctrl-C ends it as q does: what was answered is kept, and what it bought is said.
      talk.says('\u0003');
      await talk.hears(/0 pictures answered in under a minute/);
      await talk.hears(/--quick" takes the answers into the workspace/);
      expect(await talk.ends()).toBe(0);
    },
    120_000,
  );

  it('takes lines from a pipe, and ends where they end', async () => {
    talk = new Talk(process.execPath, [main, 'ask', world.folder, '--questions', '4', '--check', '1']);
    await talk.hears(/1\/4 {2}/);
    await talk.hears(/1 {2}[^\n]*\(\d+ %\)/);
    talk.says('red w\n');
    await talk.hears(/2\/4 {2}/);
    talk.says('n\n');
    await talk.hears(/3\/4 {2}/);
    expect(await talk.ends()).toBe(0);
    expect(talk.said).toMatch(/2 pictures answered in under a minute: \d+ put right/);
    expect(talk.said).toMatch(/Between \d+ and \d+ % of the folder is right \(95 % interval\), from 2 pictures/);
    const { standing } = await readDecisions(await openWorkspace(world.folder));
    expect(standing).toMatchObject([{ label: 'red wren' }, { label: null }]);
  }, 120_000);
});
