import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneNearestNeighbour } from '../../bench/vision/one-nearest-neighbour.js';
import '../allclose.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { type ExtractOptions, extractFeatures } from '../../src/vision/extract.js';
import { chooseFeature } from '../../src/vision/feature-model.js';
import { getModel } from '../../src/vision/get-model.js';
import { loadFeatures } from '../../src/vision/load-features.js';
import { findModel } from '../../src/vision/models.js';
import { openPictures } from '../../src/vision/source.js';

const birds = '../shared/data/birds-mini/auxiliary';

/** Fetches a model, or says why it cannot be had; a registry that does not answer must not hold the tests up. */
async function modelFile(name: string) {
  const signal = AbortSignal.timeout(process.env.BOWERBIRD_LONG ? 300_000 : 25_000);
  try {
    return { file: await getModel(await findModel(name), { signal }), problem: '' };
  } catch (error) {
    return { file: undefined, problem: (error as Error).message };
  }
}

describe('1-NN as a measure', () => {
  it('is the share of rows whose nearest other row is of the same category', () => {
    const angles = [0, 1, 30, 32, 90, 91];
    const rows = angles.map((angle, i) => [
      (i + 1) * Math.cos((angle * Math.PI) / 180),
      (i + 1) * Math.sin((angle * Math.PI) / 180),
    ]);
    const features = Matrix.from(rows, 'float32') as Matrix<Float32Array>;
    expect(oneNearestNeighbour(features, ['a', 'a', 'b', 'b', 'c', 'c'])).toBe(1);
    expect(oneNearestNeighbour(features, ['a', 'b', 'b', 'b', 'c', 'c'])).toBe(4 / 6);
  });
});

const timeout = process.env.BOWERBIRD_LONG ? 1_800_000 : 240_000;

describe.skipIf(!existsSync(birds))(`photographs of birds (skipped where there is no ${birds})`, { timeout }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-birds-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function features(name: string, out: string, options: ExtractOptions = {}) {
    const { file, problem } = await modelFile(name);
    if (!file) return { problem };
    await extractFeatures(await openPictures(birds), await chooseFeature(file), join(folder, out), options);
    return { loaded: await loadFeatures(join(folder, out)), problem };
  }

  it('mobilenet-v2-0.35 finds the same species for at least 35 %, in any batch size', async ({ skip }) => {
    const { loaded, problem } = await features('mobilenet-v2-0.35', 'mobilenet');
    if (!loaded) return skip(`the model cannot be fetched: ${problem}`);
    expect([loaded.features.rows, loaded.features.cols]).toEqual([640, 1280]);
    expect(oneNearestNeighbour(loaded.features, loaded.categories)).toBeGreaterThanOrEqual(0.35);
    const other = await features('mobilenet-v2-0.35', 'other', { batch: 3, workers: 1, threads: 2 });
    expect(other.loaded!.features).toBeAllClose(loaded.features, { tolerance: 1e-5, scale: 1 });
  });

  it.skipIf(!process.env.BOWERBIRD_LONG)(
    'resnet50 finds the same species for at least 45 % (only in long mode)',
    async ({ skip }) => {
      const { loaded, problem } = await features('resnet50', 'resnet50');
      if (!loaded) return skip(`the model cannot be fetched: ${problem}`);
      expect([loaded.features.rows, loaded.features.cols]).toEqual([640, 2048]);
      expect(oneNearestNeighbour(loaded.features, loaded.categories)).toBeGreaterThanOrEqual(0.45);
      const other = await features('resnet50', 'other-resnet50', { batch: 3, workers: 1, threads: 2 });
      expect(other.loaded!.features).toBeAllClose(loaded.features, { tolerance: 1e-5, scale: 1 });
    },
  );
});
