import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeBeside } from '../../src/formats/atomic.js';
import { openNpz, readNpz, toMatrix } from '../../src/formats/index.js';
import { formatHeader } from '../../src/formats/npy-header.js';
import { ZipWriter } from '../../src/formats/zip-writer.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { npyBytes } from './npy-bytes.js';
import { python } from './numpy.js';

const folder = temporaryFolder();

describe('zip64', () => {
  it('is written where sizes, offsets or counts do not fit, and read by Python and here', async () => {
    const path = join(folder, 'forced.npz');
    await writeBeside(path, async (file) => {
      const zip = new ZipWriter(file, 1);
      await zip.add('a.npy', [npyBytes()], false);
      await zip.add('b.npy', [npyBytes().subarray(0, 20), npyBytes().subarray(20)], true);
      await zip.finish();
    });
    const arrays = await readNpz(path);
    expect([...arrays.values()].map((array) => [...toMatrix(array).data])).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
    if (!hasNumpy) return;
    const script = 'z = np.load(sys.argv[1])\nresult = {name: z[name].tolist() for name in z}';
    expect(python(script, path)).toEqual({
      a: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      b: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    });
  });

  it.runIf(process.env.BOWERBIRD_LONG)('carries members beyond 4 GiB (long mode)', async () => {
    const path = join(folder, 'large.npz');
    const rows = 4500;
    const block = new Uint8Array(2 ** 20);
    await writeBeside(path, async (file) => {
      const zip = new ZipWriter(file);
      function* chunks() {
        yield formatHeader('<f4', [rows, 2 ** 18]);
        for (let row = 0; row < rows; row++) {
          new Float32Array(block.buffer).fill(row);
          yield block;
        }
      }
      await zip.add('large.npy', chunks(), false);
      await zip.add('after.npy', [npyBytes()], true);
      await zip.finish();
    });
    expect(statSync(path).size).toBeGreaterThan(2 ** 32);
    const npz = await openNpz(path);
    const reader = await npz.rows('large');
    expect((await reader.readRows(4499, 4500)).every((value) => value === 4499)).toBe(true);
    expect([...toMatrix(await npz.read('after')).data]).toEqual([1, 2, 3, 4, 5, 6]);
    await npz.close();
    if (!hasNumpy) return;
    const script = `z = np.load(sys.argv[1])\nresult = [z['after'].tolist(), float(z['large'][4499, 7])]`;
    expect(python(script, path)).toEqual([
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      4499,
    ]);
  });
});
