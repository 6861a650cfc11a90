import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, InterruptedError } from '../../src/errors.js';
import { openFile, openNpyRows, type RandomAccessFile, readNpy, toMatrix, writeNpy } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { python } from './numpy.js';
import { samples } from './samples.js';

const folder = temporaryFolder();
const path = join(folder, 'rows.npy');
const matrix = Matrix.from(Array.from({ length: 50 }, (_, i) => [i, i + 0.5, -i]));
await writeNpy(path, matrix);

describe('row ranges', () => {
  it('are read without the rest of the file', async () => {
    const file = await openFile(path);
    const touched: [number, number][] = [];
    const watched: RandomAccessFile = {
      name: path,
      size: file.size,
      close: () => file.close(),
      read: (offset, length) => {
        touched.push([offset, length]);
        return file.read(offset, length);
      },
      readInto: (target, offset) => {
        touched.push([offset, target.length]);
        return file.readInto(target, offset);
      },
    };
    const part = toMatrix(await readNpy(watched, { rows: [10, 12] }));
    expect(part.row(1)).toEqual(matrix.row(11));
    expect(touched.filter(([offset]) => offset >= 128)).toEqual([[128 + 10 * 24, 48]]);
    await file.close();
  });

  it.each([
    [3, 2],
    [-1, 2],
    [0, 51],
    [0.5, 2],
  ])('%d…%d are refused', async (start, end) => {
    await expect(readNpy(path, { rows: [start, end] })).rejects.toThrow(ArgumentError);
    const rows = await openNpyRows(path);
    await expect(rows.readRows(start, end)).rejects.toThrow(`rows ${start}…${end} do not lie within 0…50`);
    await rows.close();
  });

  it('need a target that is large enough, and numbers', async () => {
    const rows = await openNpyRows(path);
    await expect(rows.readRows(0, 2, new Float32Array(5))).rejects.toThrow('2 rows need 6 elements, the target has 5');
    expect(await rows.readRows(49, 50, new Float32Array(3))).toEqual(Float32Array.of(49, 49.5, -49));
    await rows.close();
    const texts = join(folder, 'texts.npy');
    await writeNpy(texts, samples.string);
    await expect(openNpyRows(texts)).rejects.toThrow('expected rows of numbers, found string');
  });

  it.each([
    [samples.float32, Float32Array],
    [samples.float64, Float64Array],
    [samples.int32, Float64Array],
    [samples.int64, Float64Array],
    [samples.float16, Float32Array],
  ] as const)('of $0.dtype come in the precision that holds them', async (array, kind) => {
    const file = join(folder, `${array.dtype}.npy`);
    await writeNpy(file, array);
    const rows = await openNpyRows(file);
    const values = await rows.readRows(0, array.shape[0]);
    expect(values).toBeInstanceOf(kind);
    expect(values.length).toBe(array.data.length);
    expect(values[1]).toBe(array.dtype === 'float16' ? -0 : Number(array.data[1]));
    await rows.close();
  });

  it('are no longer read once the work was stopped', async () => {
    const stopped = AbortSignal.abort(new InterruptedError());
    await expect(readNpy(path, { signal: stopped })).rejects.toThrow(InterruptedError);
  });

  it('fill storage shared between threads', async () => {
    const rows = await openNpyRows(path);
    const shared = new Float64Array(new SharedArrayBuffer(6 * 8));
    await rows.readRows(1, 3, shared);
    expect([...shared]).toEqual([1, 1.5, -1, 2, 2.5, -2]);
    await rows.close();
  });
});

/** Columns shorter and longer than one read, two to four dimensions, none at all. */
const layouts = [[5], [4, 3], [3, 4, 2], [2, 3, 2, 2], [40_000, 7], [300_000, 2], [0, 3]];

describe.skipIf(!hasNumpy)('row ranges of files from numpy (skipped without numpy)', () => {
  it('are the same from C and from Fortran order', async () => {
    const script = `
folder, layouts = sys.argv[1], json.loads(sys.argv[2])
for i, shape in enumerate(layouts):
    for order in 'CF':
        array = np.arange(np.prod(shape), dtype='f4').reshape(shape)
        np.save(f'{folder}/layout-{i}-{order}.npy', np.asarray(array, order=order))
result = None`;
    python(script, folder, JSON.stringify(layouts));
    for (const [i, shape] of layouts.entries()) {
      const [count, ...rest] = shape;
      const rowLength = rest.reduce((product, size) => product * size, 1);
      const whole = Float32Array.from({ length: count * rowLength }, (_, k) => k);
      const ranges = [
        [0, count],
        [0, 0],
        [Math.floor(count / 3), Math.floor(count / 2)],
        [Math.max(0, count - 1), count],
      ];
      for (const order of ['C', 'F'])
        for (const [start, end] of ranges) {
          const file = join(folder, `layout-${i}-${order}.npy`);
          const expected = Buffer.from(whole.slice(start * rowLength, end * rowLength).buffer);
          const part = await readNpy(file, { rows: [start, end] });
          expect(part.shape).toEqual([end - start, ...rest]);
          expect(expected.equals(Buffer.from((part.data as Float32Array).buffer)), `${file} ${start}…${end}`).toBe(
            true,
          );
          const rows = await openNpyRows(file);
          const target = new Float64Array((end - start) * rowLength + 3).fill(-1);
          await rows.readRows(start, end, target);
          const read = Buffer.from(Float32Array.from(target.subarray(0, -3)).buffer);
          expect(expected.equals(read), `${file} ${start}…${end}`).toBe(true);
          expect([...target.subarray(-3)]).toEqual([-1, -1, -1]);
          await rows.close();
        }
    }
  });
});
