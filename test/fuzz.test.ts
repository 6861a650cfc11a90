import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FormatError } from '../src/errors.js';
import { fuzzReader, mutated } from './fuzz.js';

const seeds = [Uint8Array.from({ length: 300 }, (_, i) => i % 256), Buffer.from('shape: (3, 2), values: 1 2 3 4 5 6')];

afterAll(() => {
  for (const name of readdirSync(tmpdir()))
    if (/^fuzz-(other|slow|greedy)-\d+$/.test(name)) rmSync(join(tmpdir(), name));
});

describe('the fuzz harness', () => {
  it('draws the same files again, and different ones for each case', () => {
    const files = Array.from({ length: 100 }, (_, index) => mutated('a', seeds, index));
    expect(Array.from({ length: 100 }, (_, index) => mutated('a', seeds, index))).toEqual(files);
    expect(new Set(files.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBeGreaterThan(90);
    expect(new Set(files.flatMap(({ mutations }) => mutations)).size).toBe(10);
  });

  it('leaves the seeds alone', async () => {
    const copy = seeds.map((bytes) => Buffer.from(bytes));
    await fuzzReader('seeds', seeds, async (bytes) => bytes.fill(0), { cases: 50 });
    expect(seeds.map((bytes) => Buffer.from(bytes))).toEqual(copy);
  });

  it('counts files that are read and files that are refused', async () => {
    const read = async (bytes: Uint8Array) => {
      if (bytes.length < 100) throw new FormatError('x', 0, 'too short');
    };
    const summary = await fuzzReader('count', seeds, read, { cases: 60 });
    expect(summary.read + summary.refused).toBe(60);
    expect(Math.min(summary.read, summary.refused)).toBeGreaterThan(0);
  });

  it('reports any other error with case, mutations and file', async () => {
    const read = async (bytes: Uint8Array) => Buffer.from(bytes).readUInt32LE(299);
    await expect(fuzzReader('other', seeds, read)).rejects.toThrow(
      /other, case \d+ \(.+\): threw RangeError(.|\n)*the file is /,
    );
  });

  it('reports a read that is slow, and one that takes much memory', async () => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 50));
    await expect(fuzzReader('slow', seeds, slow, { seconds: 0.02 })).rejects.toThrow('more than 0.02 s');
    const kept: Uint8Array[] = [];
    const greedy = async () => kept.push(new Uint8Array(2 ** 25).fill(1));
    await expect(fuzzReader('greedy', seeds, greedy, { mebibytes: 128 })).rejects.toThrow('more than 128 MiB');
  });

  it('mends files before they are read', async () => {
    const repair = (bytes: Uint8Array) => Uint8Array.of(7, ...bytes);
    await fuzzReader('repair', seeds, async (bytes) => expect(bytes[0]).toBe(7), { cases: 20, repair });
  });

  it('ends a reader that never returns, and says which case it was', () => {
    const script = `
      const { fuzzReader } = await import(${JSON.stringify(new URL('./fuzz.ts', import.meta.url).href)});
      await fuzzReader('endless', [Buffer.from('a')], async () => { for (;;); }, { seconds: 0.1 });`;
    const words = ['--import', 'tsx', '--input-type=module', '-e', script];
    const child = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 30_000 });
    expect(child.signal).toBe('SIGKILL');
    expect(child.stderr).toContain('endless, case 0: no end after 0.4 s');
  });
});
