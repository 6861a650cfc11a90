import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadModel, scorePictures } from '../../src/fit/index.js';
import { readCsv, readSafetensors } from '../../src/formats/index.js';
import { createBackend } from '../../src/linalg/index.js';
import { loadProblem, readProblem } from '../../src/problem/index.js';
import { readFeatureMeta } from '../../src/vision/feature-meta.js';
import { decodePicture, loadFeatures } from '../../src/vision/index.js';
import { exportClassifier, openWorkspace, runWorkspace } from '../../src/workspace/index.js';
import { bowerbird, makeWorld, testNames, type World, writeConfiguration } from './world.js';

interface Answer {
  pictures: { picture: string; category: string; confidence: number; runnerUp: string; runnerUpConfidence: number }[];
  failed: { picture: string }[];
}

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  writeConfiguration(world, { records: { tensorboard: 'logs', mlflow: 'http://127.0.0.1:9' } });
  const { code, stderr } = await bowerbird(['run', world.folder]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('no record was kept: MLflow at http://127.0.0.1:9 cannot be reached');
}, 60_000);
afterAll(() => world.remove());

const names = (values: ArrayLike<number>, count: number) =>
  Array.from({ length: values.length / count }, (_, i) => {
    const row = Array.from({ length: count }, (_unused, c) => Number(values[i * count + c]));
    return testNames[row.indexOf(Math.max(...row))];
  });

describe('bowerbird classify', () => {
  it('names category, confidence and runner-up of pictures and folders', async () => {
    const { stdout, code } = await bowerbird(['classify', world.path('test'), '-w', world.folder, '--json']);
    const { pictures } = JSON.parse(stdout) as Answer;
    expect(code).toBe(0);
    expect(pictures).toHaveLength(18);
    for (const { category, confidence, runnerUp, runnerUpConfidence } of pictures) {
      expect(testNames).toContain(category);
      expect(runnerUp).not.toBe(category);
      expect(confidence).toBeGreaterThanOrEqual(runnerUpConfidence);
      expect(confidence + runnerUpConfidence).toBeLessThanOrEqual(1 + 1e-9);
    }
    const right = pictures.filter(({ picture, category }) => picture.includes(`/${category}/`)).length;
    expect(right / pictures.length).toBeGreaterThan(0.8);
  });

  it('prints a line for people, and lists what it cannot read with exit code 3', async () => {
    mkdirSync(world.path('new'), { recursive: true });
    copyFileSync(world.path('test', 'red wren', 'red wren 00.png'), world.path('new', 'a.png'));
    writeFileSync(world.path('new', 'b.png'), 'no picture');
    const { stdout, stderr, code } = await bowerbird(['classify', world.path('new'), '-w', world.folder]);
    expect(stdout).toMatch(/a\.png: red wren \(\d+(\.\d)? %\); else \w+ \w+ \(\d+(\.\d)? %\)/);
    expect(stderr).toContain('b.png');
    expect(code).toBe(3);
  });

  it('says what to do when there is no such picture or no finished workspace', async () => {
    expect(await bowerbird(['classify', 'none.jpg', '-w', world.folder])).toMatchObject({ code: 2 });
    mkdirSync(world.path('fresh'), { recursive: true });
    const missing = await bowerbird(['classify', world.path('new'), '-w', world.path('fresh')]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('bowerbird init');
    copyFileSync(world.path('bowerbird.yaml'), world.path('fresh', 'bowerbird.yaml'));
    const unfinished = await bowerbird(['classify', world.path('new'), '-w', world.path('fresh')]);
    expect(unfinished.stderr).toContain('BOWERBIRD_WORKSPACE_UNFINISHED');
  });
});

describe('bowerbird export', () => {
  beforeAll(async () => {
    const { code, stderr } = await bowerbird(['export', world.folder, '--out', world.path('out')]);
    expect(code, stderr).toBe(0);
  }, 30_000);

  it('writes ONNX that turns features into the same predictions', async () => {
    const { features } = await loadFeatures(world.path('features', 'test'));
    const session = await InferenceSession.create(world.path('out', 'classifier.onnx'));
    const { scores, confidences } = await session.run({
      features: new Tensor('float32', features.data, [features.rows, features.cols]),
    });
    const backend = await createBackend({ device: 'wasm', threads: 1 });
    const { scorer } = await loadModel(world.path('run', 'model.safetensors'));
    const expected = scorePictures(scorer, features, backend);
    backend.dispose();
    expect(names(scores.data as Float32Array, 3)).toEqual(names(expected.data, 3));
    for (const [i, value] of expected.data.entries()) expect(Number(scores.data[i])).toBeCloseTo(value, 4);
    const answer = JSON.parse(
      (await bowerbird(['classify', world.path('test'), '-w', world.folder, '--json'])).stdout,
    ) as Answer;
    for (const [i, { confidence }] of answer.pictures.entries())
      expect(Math.max(...Array.from({ length: 3 }, (_, c) => Number(confidences.data[3 * i + c])))).toBeCloseTo(
        confidence,
        3,
      );
  });

  it('writes ONNX that turns pixels into the same predictions', async () => {
    const meta = (await readFeatureMeta(world.path('features', 'test')))!;
    const { ids, features } = await loadFeatures(world.path('features', 'test'));
    const [height, width] = meta.preprocessing.size;
    const pixels = new Float32Array(ids.length * height * width * 3);
    for (const [i, id] of ids.entries())
      pixels.set((await decodePicture(world.path('test', id), meta.preprocessing)).pixels, i * height * width * 3);
    const session = await InferenceSession.create(world.path('out', 'classifier-with-network.onnx'));
    const { scores } = await session.run({ pixels: new Tensor('float32', pixels, [ids.length, height, width, 3]) });
    const backend = await createBackend({ device: 'wasm', threads: 1 });
    const { scorer } = await loadModel(world.path('out', 'classifier.safetensors'));
    const expected = scorePictures(scorer, features, backend);
    backend.dispose();
    expect(names(scores.data as Float32Array, 3)).toEqual(names(expected.data, 3));
    for (const [i, value] of expected.data.entries()) expect(Number(scores.data[i])).toBeCloseTo(value, 3);
  });

  it('writes the problem as an xlsa17 pair that reads back the same', async () => {
    const own = await readProblem(world.path('out', 'problem.npz'), { dtype: 'float32' });
    const pair = await loadProblem(world.path('out', 'res101.mat'), {
      webFile: world.path('out', 'web.npz'),
      dtype: 'float32',
      scaling: 'none',
    });
    expect(pair.testNames).toEqual(own.testNames);
    expect(pair.auxiliaryNames).toEqual(own.auxiliaryNames);
    expect([...pair.webLabels]).toEqual([...own.webLabels]);
    expect([...pair.testLabels!]).toEqual([...own.testLabels!]);
    for (const key of ['auxiliaryFeatures', 'testFeatures', 'webFeatures', 'testSemantics'] as const)
      expect(Buffer.from(pair[key].copy().data.buffer).equals(Buffer.from(own[key].copy().data.buffer)), key).toBe(
        true,
      );
  });

  it('writes a card with data, licences, parameters, accuracy and limits', async () => {
    const card = readFileSync(world.path('out', 'MODEL_CARD.md'), 'utf8');
    const { accuracy } = JSON.parse(readFileSync(world.path('run', 'metrics.json'), 'utf8')) as { accuracy: number };
    expect(card).toContain(`accuracy on the test pictures ${(100 * accuracy).toFixed(1)} %`);
    expect(card).toContain('unknown: 24 web pictures');
    expect(card).toContain('lambda2 = 0.1');
    expect(card).toContain('expected calibration error');
    expect(card).toContain('## Limits');
    expect(readFileSync(world.path('out', 'categories.txt'), 'utf8')).toBe('blue finch\nred wren\ngreen jay\n');
    expect(existsSync(world.path('out', 'ATTRIBUTION.txt'))).toBe(true);
    expect([...(await readSafetensors(world.path('out', 'classifier.safetensors'))).keys()]).toContain('weights');
    expect((await readCsv(world.path('run', 'predictions.csv'))).rows).toHaveLength(18);
  });

  it('refuses a format there is not', async () => {
    const { code, stderr } = await bowerbird(['export', world.folder, '--as', 'tflite']);
    expect(code).toBe(2);
    expect(stderr).toContain('onnx-pixels');
  });
});

describe('bowerbird data', () => {
  it('writes the trusted web pictures and the answers for other tools', async () => {
    const out = world.path('shared');
    const { stdout, code, stderr } = await bowerbird([
      ...['data', 'export', world.folder, '--as', 'folder,fiftyone', '--least-weight', '0.2', '--out', out, '--json'],
    ]);
    expect(code, stderr).toBe(0);
    const { pictures, leftOut } = JSON.parse(stdout) as { pictures: number; leftOut: number };
    expect(pictures + leftOut).toBe(24);
    const weights = (await readCsv(world.path('run', 'weights.csv'))).rows.map(([, , weight]) => Number(weight));
    expect(pictures).toBe(weights.filter((weight) => weight >= 0.2).length);
    expect((await readCsv(world.path('shared', 'folder', 'pictures.csv'))).rows).toHaveLength(pictures);
    const wrong = await bowerbird(['data', 'export', world.folder, '--as', 'tfrecord']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('webdataset')]);
    expect(await bowerbird(['data', 'answers', world.folder, '--as', 'csv,jsonl', '--out', out])).toMatchObject({
      code: 0,
    });
    const answers = await readCsv(world.path('shared', 'answers.csv'));
    const expected = await readCsv(world.path('run', 'answers.csv'));
    expect(answers.rows.map(([picture, answer]) => [picture, answer])).toEqual(
      expected.rows.map(([picture, name]) => [picture, name]),
    );
  });
});

describe('a finished workspace', () => {
  it('has told of its fit where records are kept, and stands though a server was away', () => {
    const [run] = readdirSync(world.path('logs'));
    expect(run).toMatch(/^paper-/);
    const [file] = readdirSync(world.path('logs', run));
    expect(readFileSync(world.path('logs', run, file)).toString('latin1')).toContain('| lambda2 | 0.1 |');
  });

  it('answers for each test picture by its path', async () => {
    const { header, rows } = await readCsv(world.path('run', 'answers.csv'));
    const columns = [
      'picture',
      'name',
      'confidence',
      'unlisted',
      'runner_up',
      'runner_up_confidence',
      'margin',
      'group',
    ];
    expect(header).toEqual([...columns, 'truth']);
    const predictions = await readCsv(world.path('run', 'predictions.csv'));
    expect(rows.map(([, name]) => name)).toEqual(predictions.rows.map(([, name]) => name));
    for (const [picture, , confidence, , , second, , , truth] of rows) {
      expect(existsSync(world.path('test', picture)), picture).toBe(true);
      expect(picture.split('/')[0]).toBe(truth);
      expect(Number(confidence)).toBeGreaterThan(0);
      expect(Number(confidence) + Number(second)).toBeLessThanOrEqual(1);
    }
  });

  it('has weights of files, not of rows alone, unless the problem is newer than the fit', async () => {
    const weights = async () => JSON.parse((await bowerbird(['weights', world.path('run'), '--json'])).stdout);
    const named = (await weights()) as Record<string, { picture?: string }[]>;
    expect(Object.keys(named).sort()).toEqual([...testNames].sort());
    for (const { picture } of Object.values(named).flat()) expect(existsSync(picture!)).toBe(true);
    const file = world.path('.bowerbird', 'stages.json');
    const before = readFileSync(file, 'utf8');
    const states = JSON.parse(before);
    states.stages.problem.output = 'another';
    writeFileSync(file, JSON.stringify(states));
    expect(Object.values((await weights()) as typeof named).flat()[0]).not.toHaveProperty('picture');
    writeFileSync(file, before);
  });

  it('is exported without what needs answers, where they are not known', async () => {
    const unlabelled = await makeWorld({ auxiliary: 3, test: 2, web: 2, validation: false });
    try {
      for (const name of testNames)
        for (const i of [0, 1])
          renameSync(unlabelled.path('test', name, `${name} 0${i}.png`), unlabelled.path('test', `${name} ${i}.png`));
      for (const name of testNames) rmSync(unlabelled.path('test', name), { recursive: true });
      const workspace = await openWorkspace(unlabelled.folder);
      await runWorkspace(workspace);
      const files = await exportClassifier(workspace, unlabelled.path('out'));
      expect(files).toContain('classifier.onnx');
      expect(files).not.toContain('res101.mat');
      await expect(exportClassifier(workspace, unlabelled.path('out'), ['xlsa17'])).rejects.toThrow(/are not known/);
      const { header = [], rows } = await readCsv(unlabelled.path('run', 'answers.csv'));
      expect(new Set(rows.map((cells) => cells[header.indexOf('truth')]))).toEqual(new Set(['']));
    } finally {
      unlabelled.remove();
    }
  });
});
