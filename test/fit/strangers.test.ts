/** Pictures that show none of the categories: in a fit's answers, in its scores, and in the model it leaves behind. */
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerRows,
  classifyFeatures,
  type FitResult,
  fit,
  fitMetrics,
  noneOfThese,
  readFit,
  verdict,
  writeFit,
} from '../../src/fit/index.js';
import { type Backend, createBackend, Matrix } from '../../src/linalg/index.js';
import { createMethod, findMethod } from '../../src/methods/index.js';
import {
  checkProblem,
  generateProblem,
  type Problem,
  restrictToCategories,
  scaleToUnitLength,
  selectRows,
  stackRows,
} from '../../src/problem/index.js';
import { scorerModel } from '../../src/workspace/export/scorer-graph.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const all = generateProblem({
  ...{ auxiliaryCategories: 26, testCategories: 12, auxiliaryPerCategory: 16, testPerCategory: 24, dimensions: 24 },
  ...{ noise: 0.5, wrong: 0.2, text: false, seed: 8 },
});
/** The last auxiliary category is known to nobody, the one before it is still an auxiliary one. */
const problem = restrictToCategories(all, { auxiliary: Array.from({ length: 25 }, (_, c) => c) });
const rowsOf = (category: number) => [...all.auxiliaryLabels.keys()].filter((i) => all.auxiliaryLabels[i] === category);
const strangers = selectRows(all.auxiliaryFeatures, [...rowsOf(24), ...rowsOf(25)]);
const mixed: Problem = {
  ...problem,
  testFeatures: stackRows(problem.testFeatures, strangers),
  testLabels: Int32Array.from([...problem.testLabels!, ...new Int32Array(strangers.rows).fill(-1)]),
};

let backend: Backend;
let result: FitResult;
beforeAll(async () => {
  backend = await createBackend({ device: 'wasm', threads: 1 });
  result = await fit(mixed, 'bowerbird', { backend, scaling: 'l2' });
}, 60_000);
afterAll(() => backend.dispose());

describe('a fit to a folder with strangers', () => {
  it('may be given their labels as −1, and scores categories on the other pictures alone', () => {
    expect(() => checkProblem(mixed)).not.toThrow();
    const listed = problem.testLabels!.length;
    const right = result.predictions.slice(0, listed).filter((name, i) => name === problem.testLabels![i]).length;
    expect(result.metrics.accuracy).toBe(right / listed);
    const found = result.unlisted!.slice(listed).filter((chance) => chance > 0.5).length;
    const wrongly = result.unlisted!.slice(0, listed).filter((chance) => chance > 0.5).length;
    expect(result.metrics.strangers).toMatchObject({
      pictures: strangers.rows,
      recognized: found / strangers.rows,
      mistaken: wrongly / listed,
    });
    expect(result.metrics.strangers!.area).toBeGreaterThan(0.8);
    // All pictures count: a stranger has no right answer.
    expect(result.metrics.confidence?.pictures).toBe(mixed.testFeatures.rows);
    expect(result.metrics.confidence?.accuracy).toBeCloseTo(right / mixed.testFeatures.rows, 12);
  });

  it('scores nothing but strangers where there is nothing else', () => {
    const only = { ...mixed, testLabels: new Int32Array(mixed.testFeatures.rows).fill(-1) };
    const metrics = fitMetrics(only, result);
    expect(metrics).not.toHaveProperty('accuracy');
    expect(metrics.strangers).toMatchObject({ pictures: only.testFeatures.rows });
  });

  it('says "none of these" of a picture that is likelier a stranger than not', () => {
    for (const answer of answerRows(result, mixed.testLabels)) {
      expect(verdict(answer)).toBe(answer.unlisted! > 0.5 ? noneOfThese : answer.name);
      expect(answer.truth).toBe(mixed.testNames[mixed.testLabels![answer.row]] ?? noneOfThese);
      expect(answer.confidence! + answer.unlisted!).toBeLessThanOrEqual(1 + 1e-9);
    }
  });

  it('groups those that belong together, and names the categories that look most like them', () => {
    const own = [...result.groups!.slice(problem.testLabels!.length)].slice(0, rowsOf(24).length);
    const [group] = own.filter((one) => one >= 0).sort((a, b) => count(own, b) - count(own, a));
    expect(count(own, group)).toBeGreaterThan(own.length / 2);
    // The pictures of an auxiliary category look like that category.
    expect(result.strangerGroups![group].nearestAuxiliary).toBe(all.auxiliaryNames[24]);
    expect(problem.testNames).toContain(result.strangerGroups![group].nearestListed);
    for (const { group: number, pictures } of result.strangerGroups!)
      expect(pictures).toBe(result.groups!.filter((one) => one === number).length);
  });

  it('is kept in a folder as it is', async () => {
    await writeFit(join(folder, 'kept'), result);
    const again = await readFit(join(folder, 'kept'));
    expect(again.strangerGroups).toEqual(result.strangerGroups);
    expect(again.labels).toEqual(mixed.testLabels);
    expect(again.metrics.strangers).toEqual(result.metrics.strangers);
  });
});

describe('the model of a fit', () => {
  it('judges new pictures as the method does, from its file and as ONNX', async () => {
    await writeFit(join(folder, 'model'), result);
    const model = (await readFit(join(folder, 'model'))).model!;
    const fresh = stackRows(selectRows(problem.auxiliaryFeatures, [0, 40, 80, 120]), strangers).copy('float64');
    for (let k = 0; k < fresh.data.length; k++) fresh.data[k] *= 1 + 0.05 * Math.sin(k);
    const scaled = fresh.copy('float64');
    scaleToUnitLength('fresh', scaled);
    const unit = { ...mixed, testFeatures: mixed.testFeatures.copy('float64') };
    // The fit took its features as they were; the model was told that they were of unit length.
    const method = await createMethod(findMethod('bowerbird')).fit(unit, { backend });
    const { listed, unlisted } = method.probabilities!(scaled);
    const answers = classifyFeatures(model, fresh, backend);
    expect(Math.max(...answers.unlisted!) - Math.min(...answers.unlisted!)).toBeGreaterThan(0.02);
    const session = await InferenceSession.create(scorerModel(model));
    const features = new Tensor('float32', fresh.copy('float32').data, [fresh.rows, fresh.cols]);
    const graph = await session.run({ features });
    for (let i = 0; i < fresh.rows; i++) {
      expect(answers.unlisted![i]).toBeCloseTo(unlisted[i], 9);
      expect(Number(graph.unlisted.data[i])).toBeCloseTo(unlisted[i], 3);
      for (let c = 0; c < listed.cols; c++) {
        expect(answers.chances!.at(i, c)).toBeCloseTo(listed.at(i, c), 9);
        expect(Number(graph.confidences.data[i * listed.cols + c])).toBeCloseTo(listed.at(i, c), 3);
      }
    }
  });

  it('of a method that cannot tell says nothing of strangers', async () => {
    const plain = await fit(problem, 'lr', { backend, calibrate: { noise: 0.3 } });
    const answers = classifyFeatures(plain.model!, Matrix.from([problem.testFeatures.row(0)]), backend);
    expect(answers.unlisted).toBeUndefined();
    expect(answers.confidence![0]).toBeLessThan(1);
  });
});

function count(values: readonly number[], value: number): number {
  return values.filter((one) => one === value).length;
}
