import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import '../allclose.js';
import { InterruptedError } from '../../src/errors.js';
import { decodePicture } from '../../src/vision/decode.js';
import { FeatureMismatchError } from '../../src/vision/errors.js';
import { type ExtractOptions, extractFeatures } from '../../src/vision/extract.js';
import { loadFeatures, loadFeaturesOf } from '../../src/vision/load-features.js';
import { Network } from '../../src/vision/network.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { openPictures, type Picture, type PictureSource } from '../../src/vision/source.js';
import { pattern, writePictures } from './test-pictures.js';
import { tinyDimension, tinyModel, tinyPreprocessing } from './tiny-model.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowerbird-extract-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function extract(out: string, options: ExtractOptions = {}, source?: PictureSource) {
  const model = await tinyModel(folder);
  return extractFeatures(source ?? (await openPictures(join(folder, 'pictures'))), model, join(folder, out), {
    workers: 1,
    ...options,
  });
}

async function list(source: PictureSource): Promise<Picture[]> {
  const pictures: Picture[] = [];
  for await (const picture of source.pictures()) pictures.push(picture);
  return pictures;
}

const load = (out: string) => loadFeatures(join(folder, out));

/** Contents of all files of an extraction. */
async function files(out: string): Promise<Map<string, string>> {
  const names = (await readdir(join(folder, out))).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(folder, out, name), 'base64')));
  return new Map(names.map((name, i) => [name, contents[i]]));
}

describe('extraction', () => {
  it('gives every picture the features that the network gives it alone', async () => {
    const paths = await writePictures(join(folder, 'pictures'), 20);
    const result = await extract('out', { batch: 7, shardSize: 9 });
    expect(result).toMatchObject({ pictures: 20, failures: 0, processed: 20 });
    const { ids, categories, features, meta } = await load('out');
    expect(ids).toEqual(paths);
    expect(categories).toEqual(paths.map((path) => path.split('/')[0]));
    expect(meta).toMatchObject({ layer: 'feature', dimension: tinyDimension, preprocessing: tinyPreprocessing });
    const model = await tinyModel(folder);
    const network = await Network.open({ ...model.network, layer: model.layer, device: 'cpu', threads: 1 });
    for (const [i, path] of paths.entries()) {
      const { pixels } = await decodePicture(join(folder, 'pictures', path), tinyPreprocessing);
      expect(features.row(i)).toBeAllClose(await network.run(pixels, 1), { tolerance: 1e-5, scale: 1 });
    }
    await network.close();
  });

  it('does not depend on batch size, number of workers or threads', async () => {
    await writePictures(join(folder, 'pictures'), 30);
    await extract('one', { batch: 1, workers: 1, threads: 1 });
    const expected = (await load('one')).features;
    const settings = [
      { batch: 16, workers: 1, threads: 1 },
      { batch: 5, workers: 3, threads: 1 },
      { batch: 30, workers: 1, threads: 2 },
      { batch: 8, workers: 2, threads: 2, shardSize: 11 },
    ];
    for (const [i, options] of settings.entries()) {
      await extract(`other-${i}`, options);
      expect((await load(`other-${i}`)).features).toBeAllClose(expected, { tolerance: 1e-5, scale: 1 });
    }
  });

  it('does not depend on the order of the pictures', async () => {
    await writePictures(join(folder, 'pictures'), 25);
    await extract('forth', { batch: 4 });
    const source = await openPictures(join(folder, 'pictures'));
    const listed = await list(source);
    async function* backwards() {
      yield* listed.toReversed();
    }
    await extract('back', { batch: 4 }, { ...source, pictures: backwards });
    const [forth, back] = [await load('forth'), await load('back')];
    expect(back.ids).toEqual(forth.ids.toReversed());
    for (let i = 0; i < 25; i++)
      expect(back.features.row(24 - i)).toBeAllClose(forth.features.row(i), { tolerance: 1e-5, scale: 1 });
  });

  it('gives a picture turned by EXIF the features of the upright one', async () => {
    await mkdir(join(folder, 'pictures/birds'), { recursive: true });
    const upright = await pattern(5, 90, 70).png().toBuffer();
    const turned = await pattern(5, 90, 70).rotate(270).withMetadata({ orientation: 6 }).png().toBuffer();
    await writeFile(join(folder, 'pictures/birds/0.png'), upright);
    await writeFile(join(folder, 'pictures/birds/1.png'), turned);
    await writeFile(join(folder, 'pictures/birds/2.png'), await pattern(5, 90, 70).rotate(270).png().toBuffer());
    await extract('out');
    const { features } = await load('out');
    expect(features.row(1)).toBeAllClose(features.row(0), { tolerance: 1e-5, scale: 1 });
    // Without the tag it is another picture.
    expect(features.row(2)).not.toBeAllClose(features.row(0), { tolerance: 1e-3, scale: 1 });
  });

  it('records pictures it cannot read and goes on', async () => {
    const paths = await writePictures(join(folder, 'pictures'), 6);
    await writeFile(join(folder, 'pictures', paths[2]), 'this is not a picture, whatever "its name", says');
    await writeFile(join(folder, 'pictures', paths[4]), '');
    const result = await extract('out', { batch: 2 });
    expect(result).toMatchObject({ pictures: 4, failures: 2 });
    expect((await load('out')).ids).toEqual([paths[0], paths[1], paths[3], paths[5]]);
    const failures = await readFile(join(folder, 'out/failures.csv'), 'utf8');
    expect(failures).toContain(`${paths[2]},${paths[2]},category 1,not-a-picture,`);
    expect(failures).toContain(`${paths[4]},${paths[4]},category 2,empty,the file has no bytes`);
  });

  it('records pictures whose features are not numbers', async () => {
    await mkdir(join(folder, 'pictures/all'), { recursive: true });
    const flat = (colour: string) => sharp({ create: { width: 9, height: 9, channels: 3, background: colour } }).png();
    await flat('#fff').toFile(join(folder, 'pictures/all/white.png'));
    await flat('#000').toFile(join(folder, 'pictures/all/black.png'));
    // log(0) is minus infinity.
    const builder = new OnnxBuilder();
    builder.input('x', ['batch', 3, 48, 48]);
    builder.node('ReduceMean', ['x'], 'mean', { axes: [2, 3], keepdims: 0 });
    builder.output(builder.node('Log', ['mean'], 'log'), ['batch', 3]);
    await writeFile(join(folder, 'log.onnx'), builder.finish('log'));
    const tiny = await tinyModel(folder, 1, { preprocessing: { ...tinyPreprocessing, scale: 1, mean: [0, 0, 0] } });
    const model = { ...tiny, layer: 'log', network: { ...tiny.network, model: join(folder, 'log.onnx') } };
    const source = await openPictures(join(folder, 'pictures'));
    const result = await extractFeatures(source, model, join(folder, 'out'), { workers: 1 });
    expect(result).toMatchObject({ pictures: 1, failures: 1 });
    expect((await load('out')).ids).toEqual(['all/white.png']);
    expect(await readFile(join(folder, 'out/failures.csv'), 'utf8')).toContain('all/black.png,all,no-feature');
  });

  it('takes any layer as the feature, and reduces maps to vectors', async () => {
    await writePictures(join(folder, 'pictures'), 2);
    const source = await openPictures(join(folder, 'pictures'));
    for (const [layer, reduction, dimension] of [
      ['mean', 'flatten', 32],
      ['mix', 'mean', 32],
      ['mix', 'flatten', 32 * 12 * 12],
      ['stem', 'mean', 16],
    ] as const) {
      const model = await tinyModel(folder, 1, { layer, reduction });
      const out = join(folder, `${layer}-${reduction}`);
      await extractFeatures(source, model, out, { workers: 1 });
      expect((await loadFeatures(out)).features.cols).toBe(dimension);
    }
    const [pooled, reduced] = [await load('mean-flatten'), await load('mix-mean')];
    expect(reduced.features).toBeAllClose(pooled.features, { tolerance: 1e-5, scale: 1 });
  });

  it('says so when the folder cannot be made', async () => {
    await writePictures(join(folder, 'pictures'), 1);
    await writeFile(join(folder, 'file'), '');
    await expect(extract('file/out')).rejects.toThrow(/cannot be made/);
  });

  it('stops when asked to, and goes on from there', async () => {
    await writePictures(join(folder, 'pictures'), 40);
    const abort = new AbortController();
    const onProgress = ({ done }: { done: number }) => {
      if (done === 20) abort.abort();
    };
    const stopped = extract('out', { batch: 2, shardSize: 8, signal: abort.signal, onProgress });
    await expect(stopped).rejects.toThrow(InterruptedError);
    await expect(load('out')).rejects.toThrow(/no complete features/);
    const { processed } = await extract('out', { batch: 2, shardSize: 8 });
    expect(processed).toBeLessThan(40);
    await extract('undisturbed', { batch: 2, shardSize: 8 });
    expect(await files('out')).toEqual(await files('undisturbed'));
  });
});

describe('running again', () => {
  it('reads only pictures that are new or have changed, and forgets those that are gone', async () => {
    const paths = await writePictures(join(folder, 'pictures'), 10);
    await writeFile(join(folder, 'pictures', paths[7]), 'broken');
    await extract('out', { shardSize: 4 });
    expect(await extract('out', { shardSize: 4 })).toMatchObject({ processed: 0, pictures: 9, failures: 1 });
    // New, mended, changed, gone.
    await writeFile(join(folder, 'pictures/category 0/new.png'), await pattern(99).png().toBuffer());
    await writeFile(join(folder, 'pictures', paths[7]), await pattern(7).png().toBuffer());
    await writeFile(join(folder, 'pictures', paths[1]), await pattern(1000).png().toBuffer());
    await rm(join(folder, 'pictures', paths[0]));
    expect(await extract('out', { shardSize: 4 })).toMatchObject({ processed: 3, pictures: 10, failures: 0 });
    await extract('anew', { shardSize: 4 });
    const [again, anew] = [await load('out'), await load('anew')];
    expect(again.ids.toSorted()).toEqual(anew.ids.toSorted());
    for (const [i, id] of again.ids.entries())
      expect(again.features.row(i)).toBeAllClose(anew.features.row(anew.ids.indexOf(id)), {
        tolerance: 1e-5,
        scale: 1,
      });
  });

  it('removes what a killed run left half done', async () => {
    await writePictures(join(folder, 'pictures'), 12);
    await extract('whole', { shardSize: 4 });
    await cp(join(folder, 'whole'), join(folder, 'torn'), { recursive: true });
    // As if killed after the array of shard 1 was written, before its list; with a third shard begun.
    await rm(join(folder, 'torn/shard-00001.csv'));
    await rename(join(folder, 'torn/shard-00002.npy'), join(folder, 'torn/shard-00002.npy.99-abcd.part'));
    await rm(join(folder, 'torn/shard-00002.csv'));
    await rm(join(folder, 'torn/index.csv'));
    expect(await extract('torn', { shardSize: 4 })).toMatchObject({ processed: 8 });
    expect(await files('torn')).toEqual(await files('whole'));
  });

  it('begins again when told to', async () => {
    await writePictures(join(folder, 'pictures'), 3);
    await extract('out');
    expect(await extract('out', { fresh: true })).toMatchObject({ processed: 3 });
  });
});

describe('mixing', () => {
  it('of models, layers or preprocessing in one folder is refused', async () => {
    await writePictures(join(folder, 'pictures'), 2);
    await extract('out');
    const source = await openPictures(join(folder, 'pictures'));
    const others = [
      [await tinyModel(folder, 50), /model hash/],
      [await tinyModel(folder, 1, { layer: 'mean' }), /layer "feature" and "mean"/],
      [await tinyModel(folder, 1, { preprocessing: { ...tinyPreprocessing, scale: 1 } }), /preprocessing scale/],
      [
        await tinyModel(folder, 1, { preprocessing: { ...tinyPreprocessing, resize: 'stretch' } }),
        /preprocessing resize/,
      ],
    ] as const;
    for (const [model, message] of others) {
      const attempt = extractFeatures(source, model, join(folder, 'out'), { workers: 1 });
      await expect(attempt).rejects.toThrow(FeatureMismatchError);
      await expect(extractFeatures(source, model, join(folder, 'out'), { workers: 1 })).rejects.toThrow(message);
    }
  });

  it('of folders is refused when they differ, and works when they do not', async () => {
    await writePictures(join(folder, 'pictures'), 3);
    await extract('a');
    await extract('b');
    const joined = await loadFeaturesOf([join(folder, 'a'), join(folder, 'b')]);
    expect(joined.features.rows).toBe(6);
    const source = await openPictures(join(folder, 'pictures'));
    await extractFeatures(source, await tinyModel(folder, 50), join(folder, 'c'), { workers: 1 });
    await expect(loadFeaturesOf([join(folder, 'a'), join(folder, 'c')])).rejects.toThrow(FeatureMismatchError);
  });
});
