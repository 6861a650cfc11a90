import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/linalg/random.js';
import { bowerbird, main, makeWorld, type World, writeConfiguration } from './world.js';

let world: World;
let twin: string;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 6, test: 4, web: 6 });
  Object.assign(world.configuration, {
    tune: { trials: 4 },
    learner: { method: 'paper', device: 'wasm', threads: 1 },
    compare: { methods: ['paper', 'lr', 'eszsl'] },
    jobs: 1,
    report: true,
  });
  writeConfiguration(world);
  twin = mkdtempSync(join(tmpdir(), 'bowerbird-undisturbed-'));
  cpSync(world.folder, twin, { recursive: true });
}, 60_000);
afterAll(() => {
  world.remove();
  rmSync(twin, { recursive: true, force: true });
});

interface Records {
  stages: Record<string, { state: string }>;
}

function states(): Records['stages'] {
  const file = world.path('.bowerbird', 'stages.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Records).stages : {};
}

/** Starts the command and kills it when a stage is at work that was not killed before; the stage, or undefined at the end. */
async function runAndKill(killed: ReadonlySet<string>, random: Random): Promise<string | undefined> {
  const child = spawn(process.execPath, [main, 'run', world.folder, '--quiet'], { stdio: 'ignore' });
  let ended = false;
  const end = new Promise<void>((resolve) => {
    child.on('close', () => {
      ended = true;
      resolve();
    });
  });
  while (!ended) {
    const running = Object.entries(states()).find(([name, { state }]) => state === 'running' && !killed.has(name));
    if (running && child.pid !== undefined) {
      await wait(random.uniform() * 60);
      child.kill('SIGKILL');
      await end;
      return running[0];
    }
    await wait(3);
  }
  return undefined;
}

/** What a run leaves behind, without times. */
function results(folder: string): Record<string, string> {
  const text = (name: string) => readFileSync(join(folder, name), 'latin1');
  const files = ['problem.npz', 'run/predictions.csv', 'run/model.safetensors', 'run/metrics.json', 'tune/chosen.json'];
  const table = JSON.parse(text('compare/table.json')) as { rows: { method: string; accuracy: unknown }[] };
  return {
    ...Object.fromEntries(files.map((name) => [name, text(name)])),
    table: JSON.stringify(table.rows.map(({ method, accuracy }) => [method, accuracy])),
  };
}

describe('bowerbird run', () => {
  it('killed in every stage and run again ends with the result of an undisturbed run', async () => {
    const random = new Random(7);
    const killed = new Set<string>();
    // A stage may end between being seen and being killed, which counts as killed; hence more runs than stages.
    for (let runs = 0; runs < 30; runs++) {
      const stage = await runAndKill(killed, random);
      if (stage === undefined) break;
      killed.add(stage);
    }
    expect([...killed].sort()).toEqual([
      'compare',
      'crawl',
      'dedupe',
      'features-auxiliary',
      'features-test',
      'features-web',
      'fit',
      'problem',
      'report',
      'text',
      'tune',
      'words',
    ]);
    const finished = await bowerbird(['run', world.folder]);
    expect(finished.code, finished.stderr).toBe(0);
    const undisturbed = await bowerbird(['run', twin]);
    expect(undisturbed.code, undisturbed.stderr).toBe(0);
    expect(results(world.folder)).toEqual(results(twin));
  }, 120_000);

  it('stops at Ctrl-C with exit code 130 and goes on afterwards', async () => {
    writeConfiguration(world, { seed: 5 });
    const child = spawn(process.execPath, [main, 'run', world.folder], { stdio: 'ignore' });
    const code = new Promise((resolve) => child.on('close', resolve));
    while (states().tune?.state !== 'running' && child.exitCode === null) await wait(5);
    child.kill('SIGINT');
    expect(await code).toBe(130);
    const finished = await bowerbird(['run', world.folder]);
    expect(finished.code, finished.stderr).toBe(0);
  }, 60_000);
});
