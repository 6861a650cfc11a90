import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import { writeBeside } from '../../src/formats/atomic.js';
import { openNpz, readNpz, toMatrix } from '../../src/formats/index.js';
import { formatHeader } from '../../src/formats/npy-header.js';
import { ZipWriter } from '../../src/formats/zip-writer.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { npyBytes } from './npy-bytes.js';
import { python } from './numpy.js';

const folder = temporaryFolder();

describe('a small archive', () => {
  it('has the fields of the zip specification, without zip64 at its end and without a time', async () => {
    const path = join(folder, 'small.zip');
    const data = Buffer.from('owl owl owl owl');
    await writeBeside(path, async (file) => {
      const zip = new ZipWriter(file);
      await zip.add('é', [data.subarray(0, 4), data.subarray(4)], false);
      await zip.add('b', [data], true);
      await zip.finish();
    });
    const bytes = readFileSync(path);
    const end = bytes.length - 22;
    expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
    expect([bytes.readUInt16LE(end + 8), bytes.readUInt16LE(end + 10)]).toEqual([2, 2]);
    const directory = bytes.readUInt32LE(end + 16);
    expect(directory + bytes.readUInt32LE(end + 12)).toBe(end);
    // 1 January 1980, the first day that the format knows; flag 11 marks names in UTF-8.
    const common = (at: number) => [0, 2, 4, 6, 8].map((offset) => bytes.readUInt16LE(at + offset));
    expect(common(4)).toEqual([45, 0x800, 0, 0, 0x21]);
    expect(common(directory + 6)).toEqual([45, 0x800, 0, 0, 0x21]);
    expect(bytes.readUInt16LE(directory + 4)).toBe(45);
    expect(bytes.readUInt32LE(directory + 16)).toBe(crc32(data));
    expect([bytes.readUInt32LE(directory + 20), bytes.readUInt32LE(directory + 24)]).toEqual([15, 15]);
    expect(bytes.readUInt32LE(14)).toBe(crc32(data));
    expect(bytes.toString('utf8', 30, 32)).toBe('é');
    const second = directory + 46 + 2;
    expect(bytes.readUInt16LE(second + 10)).toBe(8);
    expect(bytes.readUInt32LE(second + 24)).toBe(15);
    const local = bytes.readUInt32LE(second + 42);
    expect(local).toBe(30 + 2 + 20 + 15);
    const start = local + 30 + 1 + bytes.readUInt16LE(local + 28);
    expect(inflateRawSync(bytes.subarray(start, start + bytes.readUInt32LE(second + 20)))).toEqual(data);
    // The zip64 sizes of a local header: the whole one first.
    expect([0, 2].map((offset) => bytes.readUInt16LE(local + 31 + offset))).toEqual([1, 16]);
    expect(Number(bytes.readBigUInt64LE(local + 35))).toBe(15);
  });

  it('has members with names of up to 65535 bytes', async () => {
    const path = join(folder, 'names.npz');
    const write = (name: string) =>
      writeBeside(path, async (file) => {
        const zip = new ZipWriter(file);
        await zip.add(name, [npyBytes()], false);
        await zip.finish();
      });
    for (const name of ['', 'é'.repeat(2 ** 15)]) await expect(write(name)).rejects.toThrow(ArgumentError);
    const longest = `${'x'.repeat(65535 - 4)}.npy`;
    await write(longest);
    expect([...(await readNpz(path)).keys()]).toEqual([longest.slice(0, -4)]);
  });
});

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
