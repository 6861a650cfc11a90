import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, InterruptedError } from '../../src/errors.js';
import {
  memoryFile,
  openFile,
  openNpyRows,
  type RandomAccessFile,
  readNpy,
  toMatrix,
  writeNpy,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { npyBytes } from './npy-bytes.js';
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

  it('of scalars do not exist, and those of other byte orders are read as they are meant', async () => {
    const header = (shape: string, descr: string, fortran = 'False') =>
      `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}}`;
    const scalar = memoryFile(npyBytes({ header: header('()', '<f8') }));
    await expect(openNpyRows(scalar)).rejects.toThrow('expected rows of numbers, found float64 of shape ()');
    await expect(readNpy(scalar, { rows: [0, 1] })).rejects.toThrow('a scalar has no rows to choose from');
    const data = Buffer.alloc(48);
    for (let i = 0; i < 6; i++) data.writeDoubleBE(i + 1, 8 * i);
    const big = await openNpyRows(memoryFile(npyBytes({ header: header('(3, 2)', '>f8'), data })));
    expect(await big.readRows(1, 3)).toEqual(Float64Array.of(3, 4, 5, 6));
    expect(await big.readRows(0, 1, new Float32Array(2))).toEqual(Float32Array.of(1, 2));
    const columns = await openNpyRows(memoryFile(npyBytes({ header: header('(3, 2)', '>f8', 'True'), data })));
    expect(await columns.readRows(1, 3)).toEqual(Float64Array.of(2, 5, 3, 6));
    const list = await openNpyRows(memoryFile(npyBytes({ header: header('(6,)', '>f8', 'True'), data })));
    expect([list.rowLength, ...(await list.readRows(4, 6))]).toEqual([1, 5, 6]);
  });

  it('of many numbers are read piece by piece into the place that is given, or converted', async () => {
    const count = 300_001;
    const file = join(folder, 'long.npy');
    const long = Int32Array.from({ length: count }, (_, i) => i);
    await writeNpy(file, { shape: [count], dtype: 'int32', data: long });
    const rows = await openNpyRows(file);
    const target = new Float64Array(count + 1).fill(-1);
    await rows.readRows(0, count, target.subarray(1));
    expect(target.findIndex((value, i) => value !== i - 1)).toBe(-1);
    await rows.close();
    await writeNpy(file, { shape: [count], dtype: 'float64', data: Float64Array.from(long) });
    const same = await openNpyRows(file);
    target.fill(-1);
    await same.readRows(0, count, target.subarray(1));
    expect(target.findIndex((value, i) => value !== i - 1)).toBe(-1);
    await same.close();
  });

  it('of texts longer than a piece come back, as characters and as bytes', async () => {
    const file = join(folder, 'pieces.npy');
    for (const dtype of ['string', 'bytes'] as const) {
      const data = Array.from({ length: 300 }, (_, i) => `${i}`.padEnd(5000, 'x'));
      await writeNpy(file, { shape: [300], dtype, data });
      expect((await readNpy(file)).data).toEqual(data);
      expect((await readNpy(file, { rows: [298, 300] })).data).toEqual(data.slice(298));
    }
  });

  it('are no longer read once the work was stopped', async () => {
    const fortran = npyBytes({ header: "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2)}" });
    const signal = AbortSignal.abort(new InterruptedError());
    await expect(readNpy(memoryFile(fortran), { signal })).rejects.toThrow(InterruptedError);
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
