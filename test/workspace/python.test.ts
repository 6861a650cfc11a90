/** The exported program for Python, against `bowerbird classify`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFeatureMeta } from '../../src/vision/feature-meta.js';
import { decodePicture, readGraph } from '../../src/vision/index.js';
import { type ClassifiedPicture, classify, exportClassifier, openWorkspace } from '../../src/workspace/index.js';
import { pythonWithPillow } from '../tools.js';
import { bowerbird, drawPicture, makeWorld, testNames, type World, writeConfiguration } from './world.js';

let world: World;
let pictures: ClassifiedPicture[];

beforeAll(async () => {
  world = await makeWorld({ auxiliary: 8, test: 6, web: 8 });
  writeConfiguration(world, { learner: { method: 'bowerbird', device: 'wasm', threads: 1 } });
  const { code, stderr } = await bowerbird(['run', world.folder]);
  expect(code, stderr).toBe(0);
  const workspace = await openWorkspace(world.folder);
  expect(await exportClassifier(workspace, world.path('out'), ['onnx', 'onnx-pixels'])).toContain('classify.py');
  await drawPictures();
  pictures = (await classify(workspace, [world.path('new')])).pictures;
}, 120_000);
afterAll(() => world.remove());

/** A hundred pictures as cameras and browsers leave them. */
async function drawPictures(): Promise<void> {
  mkdirSync(world.path('new'));
  for (let i = 0; i < 100; i++) {
    const small = sharp(await drawPicture(testNames[i % 3], 1000 + i));
    const large = small.clone().resize(300 + 40 * (i % 17), 260 + 30 * (i % 23), { fit: 'fill' });
    const tiny = small.clone().resize(30 + (i % 7), 40 + (i % 11), { fit: 'fill' });
    const [kind, picture] = (
      [
        ['png', small],
        ['jpg', large.clone().jpeg({ quality: 90 })],
        ['jpg', large.clone().jpeg({ quality: 90 }).withMetadata({ orientation: 6 })],
        ['jpg', large.clone().withIccProfile('p3').jpeg({ quality: 90 })],
        ['png', small.clone().ensureAlpha(0.6)],
        ['webp', small.clone().webp({ lossless: true })],
        ['png', large],
        ['jpg', tiny.jpeg({ quality: 90 })],
        ['jpg', large.clone().greyscale().jpeg({ quality: 90 })],
      ] as const
    )[i % 9];
    writeFileSync(world.path('new', `${String(i).padStart(3, '0')}.${kind}`), await picture.toBuffer());
  }
}

/** With the module onnxruntime, or what stands in for it where Python lacks it. */
function python() {
  const real = spawnSync(pythonWithPillow!, ['-c', 'import onnxruntime']).status === 0;
  const folders = [world.path('out'), ...(real ? [] : [fileURLToPath(new URL('./python', import.meta.url))])];
  return { env: { ...process.env, NODE: process.execPath, PYTHONPATH: folders.join(':') } };
}

describe('the exported graphs', () => {
  it('carry categories, preprocessing, calibration and what is said of strangers', () => {
    for (const name of ['classifier.onnx', 'classifier-with-network.onnx']) {
      const bytes = readFileSync(world.path('out', name));
      const { modelFields } = readGraph({ bytes, file: name });
      const text = modelFields
        .filter(({ number }) => number === 14)
        .map(({ start, end }) => bytes.subarray(start, end).toString());
      const about = (key: string) => text.find((entry) => entry.includes(`bowerbird.${key}`))!;
      expect(about('categories')).toContain(JSON.stringify(testNames));
      expect(about('preprocessing')).toContain('"size":[48,48],"resize":"crop","shorterSide":55');
      expect(about('calibration')).toMatch(/"temperature":[\d.]+,"spread":[\d.]+,"doubt":[\d.e-]+/);
      expect(about('unlisted')).toContain('{"above":0.5,"answer":"none of these"}');
      expect(about('network')).not.toContain(world.folder);
    }
  });
});

describe.skipIf(!pythonWithPillow)('classify.py', () => {
  it('brings pictures to the size of the network as bowerbird does', async () => {
    const print =
      'import classify, sys\nfor path in sys.argv[1:]: sys.stdout.buffer.write(classify.pixels(path).tobytes())';
    const files = pictures.map(({ picture }) => picture);
    const pixels = spawnSync(pythonWithPillow!, ['-c', print, ...files], { ...python(), maxBuffer: 2 ** 26 }).stdout;
    const { preprocessing } = (await readFeatureMeta(world.path('features', 'test')))!;
    const means: number[] = [];
    for (const [i, file] of files.entries()) {
      const expected = Float64Array.from((await decodePicture(file, preprocessing)).pixels);
      const own = pixels.subarray(i * expected.length, (i + 1) * expected.length);
      const differences = expected.map((value, k) => Math.abs(value - own[k]));
      means.push(differences.reduce((sum, value) => sum + value, 0) / expected.length);
    }
    // Of 255. What is scaled by the decoder itself (WebP) or in two steps (large PNG) differs by a few.
    expect(Math.max(...means)).toBeLessThan(4);
    expect(means.reduce((sum, value) => sum + value, 0) / means.length).toBeLessThan(1);
  });

  it('answers as bowerbird classify does, on a hundred pictures', () => {
    const files = pictures.map(({ picture }) => picture);
    const { stdout, stderr, status } = spawnSync(pythonWithPillow!, [world.path('out', 'classify.py'), ...files], {
      ...python(),
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ClassifiedPicture & { answer: string });
    expect(answers).toHaveLength(100);
    let largest = 0;
    for (const [i, answer] of answers.entries()) {
      const expected = pictures[i];
      expect(answer.picture).toBe(expected.picture);
      for (const key of ['confidence', 'unlisted', 'runnerUpConfidence'] as const)
        if (answer.category === expected.category && answer.runnerUp === expected.runnerUp)
          largest = Math.max(largest, Math.abs(answer[key]! - expected[key]!));
      expect(answer.answer).toBe(answer.unlisted! > 0.5 ? 'none of these' : answer.category);
    }
    const same = answers.filter(({ category }, i) => category === pictures[i].category).length;
    expect(same).toBeGreaterThanOrEqual(99);
    expect(largest).toBeLessThan(0.02);
  });
});
