import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeNpy } from '../../src/formats/npy.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { loadProblem, problemHash, saveProblem, streamedHash } from '../../src/problem/index.js';
import { featureBytes, openStreamedProblem, readableByBlocks } from '../../src/problem/streamed.js';
import { temporaryFolder } from '../temporary-folder.js';
import { smallProblem } from './small-problem.js';

const folder = temporaryFolder();
const three = smallProblem({
  webFeatures: Matrix.from([
    [2, 1],
    [1, 2],
    [3, 4],
  ]),
  webLabels: Int32Array.of(0, 1, 1),
  webTexts: ['rook roof', 'jackdaw roof', 'rook'],
  webKinds: ['photo', 'photo', 'drawing'],
  webVouched: Uint8Array.of(0, 1, 0),
});

async function saved(name: string, problem = three): Promise<string> {
  const path = join(folder, name);
  await saveProblem(path, problem);
  return path;
}

describe('a problem whose features stay in their file', () => {
  it.each(['whole.npz', 'whole'])('is the same as in memory, but for the rows (%s)', async (name) => {
    for (const scaling of ['l2', 'none'] as const) {
      const path = await saved(`${scaling}-${name}`);
      const loaded = await loadProblem(path, { scaling });
      const { problem, webRows, close } = await openStreamedProblem(path, { scaling });
      expect([webRows!.rows, webRows!.cols, problem.webFeatures.rows]).toEqual([3, 2, 0]);
      const read = Matrix.zeros(3, 2);
      await webRows!.read(read, 0, 3);
      expect(problemHash({ ...problem, webFeatures: read })).toBe(problemHash(loaded));
      expect(problem.webKinds).toEqual(three.webKinds);
      const block = Matrix.zeros(2, 2);
      await webRows!.read(block, 1, 3);
      await close();
      expect([...block.data]).toEqual([...loaded.webFeatures.row(1), ...loaded.webFeatures.row(2)]);
    }
  });

  it('leaves the features of every kind of picture in the file', async () => {
    const path = await saved('all.npz');
    const loaded = await loadProblem(path, { dtype: 'float32' });
    const opened = await openStreamedProblem(path, { dtype: 'float32' }, ['auxiliary', 'web', 'test']);
    const features = [];
    for (const rows of [opened.auxiliaryRows!, opened.webRows!, opened.testRows!]) {
      features.push(Matrix.zeros(rows.rows, rows.cols, rows.dtype));
      await rows.read(features.at(-1)!, 0, rows.rows);
    }
    await opened.close();
    const { problem } = opened;
    const left = [problem.auxiliaryFeatures, problem.webFeatures, problem.testFeatures];
    expect(left.map(({ rows, cols, dtype }) => [rows, cols, dtype])).toEqual(left.map(() => [0, 2, 'float32']));
    const [auxiliaryFeatures, webFeatures, testFeatures] = features;
    expect(problemHash({ ...problem, auxiliaryFeatures, webFeatures, testFeatures })).toBe(problemHash(loaded));
  });

  it('has no web pictures where the file has none and none are asked for', async () => {
    const path = await saved('without-web');
    for (const name of ['features', 'labels', 'texts', 'kind', 'vouched']) await rm(join(path, `web_${name}.npy`));
    const opened = await openStreamedProblem(path, { web: 'optional' }, ['auxiliary', 'web', 'test']);
    await opened.close();
    expect([opened.webRows, opened.problem.webLabels.length]).toEqual([undefined, 0]);
    await expect(openStreamedProblem(path)).rejects.toThrow('there is no array "web_features"');
  });

  it('has the hash of the problem in memory', async () => {
    for (const dtype of ['float64', 'float32'] as const) {
      const path = await saved(`hash-${dtype}.npz`);
      const { problem, close, ...rows } = await openStreamedProblem(path, { dtype }, ['auxiliary', 'web', 'test']);
      expect(await streamedHash(problem, rows)).toBe(problemHash(await loadProblem(path, { dtype })));
      await expect(streamedHash(problem, rows, AbortSignal.abort())).rejects.toThrow();
      await close();
    }
  });

  it('is read by blocks where rows lie one after another and are scaled one by one', async () => {
    const sets = ['auxiliary', 'web', 'test'] as const;
    const readable = async (path: string, options = {}) => readableByBlocks(path, options, sets);
    const [archive, many] = [await saved('blocks.npz'), await saved('blocks')];
    expect([await readable(archive), await readable(many)]).toEqual([true, true]);
    expect(await readable(archive, { scaling: 'none' })).toBe(true);
    for (const options of [{ scaling: 'zscore' }, { centreFeatures: true }, { webFile: archive }, { splits: archive }])
      expect(await readable(archive, options)).toBe(false);
    expect(await readable(join(folder, 'any.mat'))).toBe(false);
    await saveProblem(join(folder, 'compressed.npz'), three, { compress: true });
    expect(await readable(join(folder, 'compressed.npz'))).toBe(false);
    // What is no table of numbers is for those who load it to refuse.
    await writeNpy(join(many, 'test_features.npy'), { shape: [2], dtype: 'float64', data: Float64Array.of(1, 2) });
    expect(await readable(many)).toBe(false);
    await writeNpy(join(many, 'test_features.npy'), { shape: [1, 2], dtype: 'string', data: ['a', 'b'] });
    expect(await readable(many)).toBe(false);
    await rm(join(many, 'web_features.npy'));
    await writeNpy(join(many, 'test_features.npy'), three.testFeatures);
    expect(await readable(many)).toBe(true);
  });

  it('says how many bytes the rows would take', async () => {
    const path = await saved('bytes.npz');
    expect(await featureBytes(path, 8, ['web'])).toBe(3 * 2 * 8);
    expect(await featureBytes(path, 4, ['web'])).toBe(3 * 2 * 4);
    const { auxiliaryFeatures, testFeatures } = three;
    const rows = auxiliaryFeatures.rows + 3 + testFeatures.rows;
    expect(await featureBytes(path, 4, ['auxiliary', 'web', 'test'])).toBe(rows * 2 * 4);
    expect(await featureBytes(join(folder, 'any.mat'), 8, ['web'])).toBe(0);
  });

  it('does not scale what needs all rows at once', async () => {
    const path = await saved('scaling.npz');
    for (const options of [{ scaling: 'zscore' }, { centreFeatures: true }, { webFile: path }] as const)
      await expect(openStreamedProblem(path, options)).rejects.toMatchObject({ code: 'BOWERBIRD_ARGUMENT' });
  });

  it('names the row that is zero or no number when it comes by', async () => {
    const rows = (last: number[]) => Matrix.from([[2, 1], [1, 2], last]);
    const read = async (name: string, last: number[], scaling: 'l2' | 'none') => {
      const path = await saved(name);
      await writeNpy(join(path, 'web_features.npy'), rows(last));
      const { webRows, close } = await openStreamedProblem(path, { scaling });
      const error = await webRows!.read(Matrix.zeros(2, 2), 1, 3).catch((e) => e);
      await close();
      return error;
    };
    expect(await read('nan', [0, Number.NaN], 'none')).toMatchObject({ array: 'web_features', row: 2 });
    expect(await read('zero', [0, 0], 'l2')).toMatchObject({ array: 'web_features', row: 2 });
    expect(await read('zero-is-fine', [0, 0], 'none')).toBeUndefined();
    // Squares of these numbers overflow and vanish.
    expect(await read('huge', [3e200, 4e200], 'l2')).toBeUndefined();
    expect(await read('tiny', [3e-200, 4e-200], 'l2')).toBeUndefined();
  });

  it('checks the labels against the rows in the file', async () => {
    const changed = async (name: string, array: string, value: Parameters<typeof writeNpy>[1]) => {
      const path = await saved(name);
      await writeNpy(join(path, `${array}.npy`), value);
      return openStreamedProblem(path);
    };
    const labels = (...data: number[]) =>
      ({ shape: [data.length], dtype: 'int32', data: Int32Array.from(data) }) as const;
    await expect(changed('wide', 'web_features', Matrix.zeros(3, 3))).rejects.toThrow(
      'has 3 features per picture, aux_features has 2',
    );
    await expect(changed('few', 'web_labels', labels(0, 1))).rejects.toThrow('has 2 labels, web_features has 3 rows');
    await expect(changed('low', 'web_labels', labels(0, 1, -1))).rejects.toMatchObject({ row: 2 });
    await expect(changed('high', 'web_labels', labels(0, 2, 1))).rejects.toMatchObject({ row: 1 });
    await expect(changed('none', 'web_labels', labels(1, 1, 1))).rejects.toThrow('category 0 ("rook") has no picture');
    for (const [array, value] of [
      ['web_text', labels(1, 0, 1)],
      ['web_texts', Matrix.zeros(3, 3)],
      ['web_kind', Matrix.zeros(3, 3)],
      ['web_vouched', labels(1, 0, 7)],
    ] as const)
      await expect(changed(`bad-${array}`, array, value)).rejects.toThrow(array);
    await expect(changed('vouched', 'web_vouched', labels(1, 0))).rejects.toThrow('has 2 rows, web_features has 3');
  });
});
