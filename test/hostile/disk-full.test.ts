/**
 * Disks that fill up at many different moments of a crawl and of a run: the error says so, and with more space the work comes
 * to the same end. Needs the right to mount a small disk in memory (Linux, root).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bowerbird, drawPicture, makeWorld, type World, writeConfiguration } from '../workspace/world.js';
import { expectReadable, expectWhole, results } from './check-workspace.js';
import { hostile } from './extent.js';

const crawls = hostile ? 28 : 3;
const runs = hostile ? 28 : 2;
const folder = mkdtempSync(join(tmpdir(), 'bowerbird-full-'));
const disk = join(folder, 'disk');

function mount(kilobytes: number, how: 'new' | 'remount'): void {
  const options = `${how === 'remount' ? 'remount,' : ''}size=${Math.floor(kilobytes)}k`;
  const words = how === 'new' ? ['-t', 'tmpfs', '-o', options, 'tmpfs', disk] : ['-o', options, disk];
  execFileSync('mount', words, { stdio: 'ignore' });
}
const unmount = () => execFileSync('umount', [disk], { stdio: 'ignore' });

function mayMount(): boolean {
  mkdirSync(disk);
  try {
    mount(1000, 'new');
    unmount();
    return true;
  } catch {
    return false;
  }
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform !== 'linux' || !mayMount())('a disk that is full', () => {
  const plenty = 400_000;

  /** Does the work on a disk of each size, then again with plenty of space. */
  async function fill(
    sizes: readonly number[],
    words: (again: boolean) => string[],
    prepare: () => void,
    check: () => Promise<void>,
  ) {
    let full = 0;
    for (const size of sizes) {
      mount(size, 'new');
      try {
        try {
          prepare();
        } catch {
          continue;
        }
        const first = await bowerbird(words(false));
        if (first.code !== 0) {
          full++;
          expect(first.stderr, `${size} KiB`).toMatch(/no space left on the disk/);
          expect(first.stderr).not.toMatch(/defect in bowerbird/);
          expectReadable(join(disk, 'workspace'));
        }
        mount(plenty, 'remount');
        const second = await bowerbird(words(true));
        expect(second.code, `${size} KiB: ${second.stderr}`).toBe(0);
        await check();
      } finally {
        unmount();
      }
    }
    return full;
  }

  it(`costs a crawl nothing but time, at ${crawls} moments`, async () => {
    const source = join(folder, 'source');
    for (const [c, name] of ['red wren', 'blue finch', 'green jay'].entries()) {
      mkdirSync(join(source, name), { recursive: true });
      for (let i = 0; i < 40; i++) writeFileSync(join(source, name, `${i}.png`), await drawPicture(name, 1000 * c + i));
    }
    const sizes = Array.from({ length: crawls }, (_, i) => 400 + (2000 * (i + 0.5)) / crawls);
    const workspace = join(disk, 'workspace');
    const words = (again: boolean) => [
      'crawl',
      workspace,
      '--source',
      `folder:${source}`,
      ...(again ? ['--resume'] : []),
    ];
    const full = await fill(
      sizes,
      words,
      () => {},
      async () => {
        expect((await expectWhole(workspace)).filter(({ state }) => state === 'kept')).toHaveLength(120);
      },
    );
    console.log(`${full} of ${crawls} crawls met a full disk`);
    expect(full).toBeGreaterThanOrEqual(crawls / 2);
  }, 900_000);

  describe('during a run', () => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld({ auxiliary: 6, test: 4, web: 6 });
      Object.assign(world.configuration, { tune: { trials: 3 }, jobs: 1, report: true });
      writeConfiguration(world);
    }, 60_000);
    afterAll(() => world.remove());

    it(`ends like an undisturbed run when there is space again, at ${runs} moments`, async () => {
      const whole = join(folder, 'whole');
      cpSync(world.folder, whole, { recursive: true });
      const undisturbed = await bowerbird(['run', whole]);
      expect(undisturbed.code, undisturbed.stderr).toBe(0);
      const expected = results(whole);
      const workspace = join(disk, 'workspace');
      const kilobytes = (path: string) => Number(/^\d+/.exec(execFileSync('du', ['-sk', path]).toString()));
      const [smallest, largest] = [kilobytes(world.folder) + 100, kilobytes(whole)];
      const sizes = Array.from({ length: runs }, (_, i) => smallest + ((largest - smallest) * (i + 0.5)) / runs);
      const full = await fill(
        sizes,
        () => ['run', workspace],
        () => cpSync(world.folder, workspace, { recursive: true }),
        async () => {
          expect(results(workspace)).toEqual(expected);
          await expectWhole(workspace);
        },
      );
      console.log(`${full} of ${runs} runs met a full disk`);
      expect(full).toBeGreaterThanOrEqual(runs / 2);
    }, 1_500_000);
  });
});
