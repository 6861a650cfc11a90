import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/errors.js';
import { NpyWriter, readNpy, toMatrix } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { python } from './numpy.js';

const folder = temporaryFolder();

describe('writing a .npy file block by block', () => {
  it('gives the concatenation of the blocks, in the precision of the file', async () => {
    const path = join(folder, 'blocks.npy');
    const writer = await NpyWriter.create(path, { dtype: 'float16', rowShape: [2] });
    await writer.append(Matrix.from([[1, 2]]));
    await writer.append(Matrix.zeros(0, 2));
    await writer.append(
      Matrix.from(
        [
          [3, 4],
          [5, 6.0001],
        ],
        'float32',
      ),
    );
    expect(existsSync(path)).toBe(false);
    await writer.close();
    const array = await readNpy(path);
    expect(array.dtype).toBe('float16');
    expect([...toMatrix(array).data]).toEqual([1, 2, 3, 4, 5, 6]);
    if (hasNumpy)
      expect(python('result = np.load(sys.argv[1]).tolist()', path)).toEqual([
        [1, 2],
        [3, 4],
        [5, 6],
      ]);
  });

  it('takes vectors and higher dimensions', async () => {
    const path = join(folder, 'labels.npy');
    const labels = await NpyWriter.create(path, { dtype: 'int64', rowShape: [] });
    await labels.append({ shape: [2], dtype: 'int64', data: BigInt64Array.of(1n, -2n) });
    await labels.close();
    expect(await readNpy(path)).toEqual({ shape: [2], dtype: 'int64', data: BigInt64Array.of(1n, -2n) });
    const cubes = await NpyWriter.create(path, { dtype: 'uint8', rowShape: [2, 2] });
    await cubes.append({ shape: [1, 2, 2], dtype: 'uint8', data: Uint8Array.of(1, 2, 3, 4) });
    await cubes.close();
    expect((await readNpy(path)).shape).toEqual([1, 2, 2]);
  });

  it('refuses blocks of another width or type', async () => {
    const writer = await NpyWriter.create(join(folder, 'refused.npy'), { dtype: 'int32', rowShape: [2] });
    await expect(writer.append({ shape: [1, 3], dtype: 'int32', data: new Int32Array(3) })).rejects.toThrow(
      'expected rows of shape (2) of int32, found an array of shape (1, 3)',
    );
    await expect(writer.append({ shape: [1, 2], dtype: 'int8', data: new Int8Array(2) })).rejects.toThrow(
      ArgumentError,
    );
    await expect(writer.append(Matrix.zeros(1, 2))).rejects.toThrow('a matrix cannot be written as int32');
    await writer.discard();
    expect(readdirSync(folder).filter((name) => name.includes('refused'))).toEqual([]);
  });
});
