import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confidences, findTemperature, reliability, scoreReliability, scoreSpread } from '../../src/fit/calibration.js';
import { chooseScorer, scorerOfKind, scoresAsIfNew } from '../../src/fit/choose-scorer.js';
import { loadModel, saveModel, scorePictures } from '../../src/fit/index.js';
import { PaperLearner } from '../../src/learner/index.js';
import type { Backend } from '../../src/linalg/backend.js';
import { createBackend } from '../../src/linalg/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { createMethod, findMethod } from '../../src/methods/index.js';
import { doubtAfter, generateProblem, type Problem } from '../../src/problem/index.js';
import { scorerModel } from '../../src/workspace/export/scorer-graph.js';

let backend: Backend;
beforeAll(async () => {
  backend = await createBackend({ device: 'wasm', threads: 1 });
});
afterAll(() => backend.dispose());

/** Scores for which the true chances are known: the label is drawn from softmax(scores/temperature). */
function drawn(count: number, categories: number, temperature: number, seed: number) {
  const random = new Random(seed);
  const scores = Matrix.zeros(count, categories);
  const labels = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const row = scores.row(i);
    for (let c = 0; c < categories; c++) row[c] = 2 * random.normal();
    const chances = confidences(row, { temperature, spread: 1, doubt: 0 });
    let left = random.uniform();
    while (left > chances[labels[i]] && labels[i] < categories - 1) left -= chances[labels[i]++];
  }
  return { scores, labels };
}

describe('the temperature', () => {
  it.each([0.3, 1, 4])('is the one the labels were drawn with (%d)', (temperature) => {
    const { scores, labels } = drawn(4000, 5, temperature, 3);
    const spread = scoreSpread(scores);
    expect((findTemperature(scores, labels) * spread) / temperature).toBeGreaterThan(0.9);
    expect((findTemperature(scores, labels) * spread) / temperature).toBeLessThan(1.1);
    const found = { temperature: findTemperature(scores, labels), spread, doubt: 0 };
    expect(scoreReliability(scores, labels, found).expectedCalibrationError).toBeLessThan(0.03);
    expect(
      scoreReliability(scores, labels, { temperature: temperature / 5, spread: 1, doubt: 0 }).expectedCalibrationError,
    ).toBeGreaterThan(0.08);
  });

  it('is measured in standard deviations of the scores of a picture', () => {
    const scores = Matrix.from([
      [1, 3],
      [0, 8],
    ]);
    expect(scoreSpread(scores)).toBe((1 + 4) / 2);
    expect(scoreSpread(Matrix.zeros(3, 2))).toBe(1);
  });

  it('is measured by the gap between confidence and accuracy', () => {
    // Two pictures at 0.9 of which one is right, two at 0.6 which are both right: gaps 0.4 and 0.4.
    const row = (chance: number) => [Math.log(chance), Math.log(1 - chance)];
    const scores = Matrix.from([row(0.9), row(0.9), row(0.6), row(0.6), row(0.7)]);
    // The last picture shows neither category.
    const labels = Int32Array.of(0, 1, 0, 0, -1);
    const plain = { temperature: 1, spread: 1, doubt: 0 };
    const { expectedCalibrationError, accuracy, meanConfidence } = scoreReliability(scores, labels, plain);
    expect(reliability([0.9, 0.9, 0.6, 0.6], [true, false, true, true]).expectedCalibrationError).toBeCloseTo(0.4, 10);
    expect(expectedCalibrationError).toBeCloseTo(0.4, 10);
    expect(accuracy).toBe(0.75);
    expect(meanConfidence).toBeCloseTo(0.75, 10);
  });

  it('leaves a doubt however clear a few pictures were', () => {
    const { scores, labels } = drawn(16, 3, 0.001, 5);
    const sharpness = {
      temperature: findTemperature(scores, labels),
      spread: scoreSpread(scores),
      doubt: doubtAfter(16),
    };
    const chances = confidences(Float64Array.of(9, -9, -9), sharpness);
    expect(chances[0]).toBeLessThan(0.97);
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 12);
  });

  it('learnt on validation categories makes confidence honest on pictures the fit has not seen', async () => {
    for (const seed of [1, 2, 3]) {
      const whole = generateProblem({ seed });
      const rows = Array.from({ length: whole.testFeatures.rows }, (_, i) => i);
      const take = (part: number) => {
        const some = rows.filter((i) => i % 2 === part);
        return {
          testFeatures: Matrix.from(some.map((i) => whole.testFeatures.row(i))),
          testLabels: Int32Array.from(some, (i) => whole.testLabels![i]),
        };
      };
      const problem: Problem = { ...whole, ...take(0) };
      const spec = findMethod('paper');
      const learn = (some: Problem) => createMethod(spec, { lambda1: 100, lambda2: 0.001 }).fit(some, { backend });
      const setting = { web: true, normalize: 'none' as const, backend };
      const { kind, temperature, doubt } = await chooseScorer(problem, learn, { ...setting, noise: 0.3, seed: 1 });
      const method = await learn(problem);
      const scorer = scorerOfKind(kind, method, problem, setting)!;
      const spread = scoreSpread(scoresAsIfNew(kind, method, problem, setting));
      const { testFeatures, testLabels } = take(1);
      const scores = scorePictures(scorer, testFeatures, backend);
      const own = scoreReliability(scores, testLabels, { temperature, spread, doubt });
      expect(own.accuracy).toBeGreaterThan(0.8);
      expect(own.expectedCalibrationError).toBeLessThan(0.15);
      const raw = scoreReliability(scores, testLabels, { temperature: 1, spread: 1, doubt: 0 });
      expect(own.expectedCalibrationError).toBeLessThan(raw.expectedCalibrationError);
    }
  });
});

/** Features as they are. */
const plain = () => ({ web: true, normalize: 'none' as const, backend });

describe('a scorer', () => {
  it.each(['euclidean', 'cosine'] as const)('orders categories as the learner does (%s)', async (metric) => {
    const problem = generateProblem({ seed: 2 });
    const learner = await new PaperLearner({ metric, maxIterations: 30 }).fit(problem, { backend });
    const pictures = problem.auxiliaryFeatures;
    const scores = scorePictures(scorerOfKind('own', learner, problem, plain())!, pictures, backend);
    const expected = learner.predict(pictures);
    for (let i = 0; i < pictures.rows; i++) {
      const row = scores.row(i);
      expect(row.indexOf(Math.max(...row))).toBe(expected[i]);
    }
  });

  it("is that of Bowerbird's own method, also after a round trip through a file and as ONNX", async () => {
    const problem = generateProblem({ seed: 2 });
    const method = await createMethod(findMethod('bowerbird')).fit(problem, { backend });
    const scorer = scorerOfKind('own', method, problem, { ...plain(), normalize: 'unit' })!;
    const folder = mkdtempSync(join(tmpdir(), 'bowerbird-scorer-'));
    const file = join(folder, 'scorer.safetensors');
    await saveModel(file, { scorer, method: 'bowerbird', kind: 'own' });
    const { scorer: loaded } = await loadModel(file);
    rmSync(folder, { recursive: true });
    const pictures = problem.auxiliaryFeatures;
    const expected = method.decisionValues(pictures);
    const scores = scorePictures(loaded, pictures, backend);
    const session = await InferenceSession.create(scorerModel({ scorer }));
    const features = new Tensor('float32', pictures.copy('float32').data, [pictures.rows, pictures.cols]);
    const answer = (await session.run({ features })).scores;
    const largest = Math.max(...expected.data.map(Math.abs));
    for (const [i, value] of expected.data.entries()) {
      expect(Math.abs(scores.data[i] - value)).toBeLessThan(1e-9 * largest);
      expect(Math.abs(Number(answer.data[i]) - value)).toBeLessThan(1e-4 * largest);
    }
  });

  it('is found for a method whose decision is linear, and for no other', async () => {
    const problem = generateProblem({ seed: 2 });
    const fitted = async (name: string) => createMethod(findMethod(name)).fit(problem, { backend });
    const linear = await fitted('lr');
    const scorer = scorerOfKind('own', linear, problem, plain())!;
    const values = linear.decisionValues(problem.testFeatures);
    const scores = scorePictures(scorer, problem.testFeatures, backend);
    for (const [i, value] of values.data.entries()) expect(scores.data[i]).toBeCloseTo(value, 6);
    expect(scorerOfKind('own', await fitted('knn'), problem, plain())).toBeUndefined();
  });
});
