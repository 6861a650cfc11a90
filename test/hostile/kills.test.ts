/** Runs killed with SIGKILL at random moments, in every stage, and run again until they come to their end. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../src/linalg/random.js';
import { bowerbird, main, makeWorld, type World, writeConfiguration } from '../workspace/world.js';
import { expectReadable, expectWhole, results } from './check-workspace.js';
import { hostile } from './extent.js';

const kills = hostile ? 200 : 6;
const longest = hostile ? 1800 : 150;

let world: World;
let folder: string;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 6, test: 4, web: 6 });
  Object.assign(world.configuration, {
    tune: { trials: 3 },
    compare: { methods: ['lr', 'eszsl'] },
    jobs: 1,
    report: true,
  });
  writeConfiguration(world);
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-kills-'));
}, 60_000);
afterAll(() => {
  world.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Stages that are at work, by what the workspace itself says. */
function atWork(workspace: string): string[] {
  const file = join(workspace, '.bowerbird', 'stages.json');
  if (!existsSync(file)) return ['the beginning'];
  const { stages } = JSON.parse(readFileSync(file, 'utf8')) as { stages: Record<string, { state: string }> };
  const running = Object.entries(stages).filter(([, { state }]) => state === 'running');
  return running.length > 0 ? running.map(([name]) => name) : ['between stages'];
}

/** Kills the command some time after one more stage has begun, or at a moment before; undefined where it came to its end. */
async function runAndKill(workspace: string, random: Random): Promise<string[] | undefined> {
  const child = spawn(process.execPath, [main, 'run', workspace, '--quiet'], { stdio: 'ignore' });
  const end = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const begun = performance.now();
  const before = JSON.stringify(atWork(workspace));
  const anyMoment = random.uniform() < 0.3 ? 200 + random.uniform() * 1500 : Number.POSITIVE_INFINITY;
  const after = random.integer(3);
  for (let seen = 0, last = before; child.exitCode === null; ) {
    const now = JSON.stringify(atWork(workspace));
    if (now !== last && now !== '["between stages"]') seen++;
    last = now;
    if (seen > after || performance.now() - begun > anyMoment) {
      await wait(random.uniform() * 120);
      break;
    }
    await wait(4);
  }
  if (child.exitCode !== null) {
    await end;
    return undefined;
  }
  const stages = atWork(workspace);
  child.kill('SIGKILL');
  await end;
  return child.signalCode === 'SIGKILL' ? stages : undefined;
}

describe('a run', () => {
  it(
    `killed ${kills} times at random moments ends like an undisturbed one`,
    async () => {
      const whole = join(folder, 'whole');
      cpSync(world.folder, whole, { recursive: true });
      const undisturbed = await bowerbird(['run', whole]);
      expect(undisturbed.code, undisturbed.stderr).toBe(0);
      const expected = results(whole);
      const pictures = await expectWhole(whole);
      const random = new Random(21);
      const where = new Map<string, number>();
      const workspace = join(folder, 'killed');
      const finish = async () => {
        const finished = await bowerbird(['run', workspace]);
        expect(finished.code, finished.stderr).toBe(0);
        expect(results(workspace)).toEqual(expected);
        const rows = await expectWhole(workspace);
        const plain = ({ id, state, sha256 }: (typeof rows)[number]) => [id, state, sha256];
        expect(rows.map(plain)).toEqual(pictures.map(plain));
      };
      let [count, rounds] = [0, 0];
      const until = performance.now() + longest * 1000;
      while (count < kills && performance.now() < until) {
        rmSync(workspace, { recursive: true, force: true });
        cpSync(world.folder, workspace, { recursive: true });
        rounds++;
        while (count < kills && performance.now() < until) {
          const stages = await runAndKill(workspace, random);
          if (stages === undefined) break;
          count++;
          for (const stage of stages) where.set(stage, (where.get(stage) ?? 0) + 1);
          expectReadable(workspace);
          if (count % 20 === 0) console.log(`${count} kills`);
        }
        await finish();
      }
      console.log(`${count} kills over ${rounds} runs: ${[...where].map(([name, n]) => `${name} ${n}`).join(', ')}`);
      expect(count).toBeGreaterThanOrEqual(hostile ? kills : 2);
    },
    (longest + 120) * 1000,
  );
});
