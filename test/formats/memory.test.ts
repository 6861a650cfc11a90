import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { matColumnsOf, writeMat, writeNpy, writeNpz, writeSafetensors } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { npyBytes } from './npy-bytes.js';

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  const matrix = Matrix.zeros(8192, 1024);
  for (let i = 0; i < matrix.data.length; i++) matrix.data[i] = Math.sin(i);
  await writeNpy(file('a.npy'), matrix);
  await writeNpz(file('stored.npz'), { a: matrix });
  await writeSafetensors(file('a.safetensors'), { a: matrix });
  await writeMat(file('a.mat'), { a: matColumnsOf(matrix) });
});

/** Bytes by which the peak memory of a fresh process rises while it runs `code`. */
function rise(code: string): number {
  const index = new URL('../../src/formats/index.ts', import.meta.url).href;
  const script = `
    const formats = await import('${index}');
    const before = process.resourceUsage().maxRSS;
    ${code}
    console.log((process.resourceUsage().maxRSS - before) * 1024);`;
  const tsx = new URL('../../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href;
  const words = ['--import', tsx, '--input-type=module', '-e', script];
  const child = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(child.status, child.stderr).toBe(0);
  return Number(child.stdout);
}

describe('memory', () => {
  it.each([
    ['a.npy', 'formats.readNpy'],
    ['stored.npz', 'formats.readNpz'],
    ['a.safetensors', 'formats.readSafetensors'],
    ['a.mat', 'formats.readMat'],
  ])('stays within twice the file when %s is read at once', (name, read) => {
    const { size } = statSync(file(name));
    const bytes = rise(`await ${read}(${JSON.stringify(file(name))});`);
    expect(bytes).toBeGreaterThan(size * 0.9);
    expect(bytes).toBeLessThan(size * 2);
  });

  it('stays far below the file when it is read by rows', () => {
    const bytes = rise(`
      const rows = await formats.openNpyRows(${JSON.stringify(file('a.npy'))});
      const block = new Float32Array(64 * 1024);
      for (let start = 0; start < 8192; start += 64) await rows.readRows(start, start + 64, block);`);
    expect(bytes).toBeLessThan(statSync(file('a.npy')).size * 0.75);
  });

  it('is not taken for elements that a file only promises', () => {
    const liar = npyBytes({ header: "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000,), }" });
    writeFileSync(file('liar.npy'), liar);
    const read = `formats.readNpy(${JSON.stringify(file('liar.npy'))})`;
    const bytes = rise(`await ${read}.then(() => { throw new Error('was read'); }, () => {});`);
    expect(bytes).toBeLessThan(2 ** 25);
  });
});
