import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classifyFeatures, copyFit, type FitResult, fit, readFit, readModel, writeFit } from '../../src/fit/index.js';
import { createBackend, Matrix } from '../../src/linalg/index.js';
import { createMethod, findMethod, type MethodSpec } from '../../src/methods/index.js';
import {
  generalize,
  generateProblem,
  type Method,
  type Problem,
  rowMaxima,
  scaleToUnitLength,
  unanswered,
} from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const problem = generateProblem({ seed: 4, auxiliaryCategories: 8, testCategories: 4, dimensions: 16 });
const known = (count: number, answers: [row: number, category: number][]) => {
  const said = new Int32Array(count).fill(unanswered);
  for (const [row, category] of answers) said[row] = category;
  return said;
};
const here = { device: 'wasm', threads: 1 } as const;

/** Answers with the category that the first features name, and knows how sure it is. */
class Oracle implements Method {
  #categories = 0;
  async fit({ testNames }: Problem): Promise<this> {
    this.#categories = testNames.length;
    return this;
  }
  decisionValues(features: Matrix): Matrix {
    const values = Matrix.zeros(features.rows, this.#categories);
    for (let i = 0; i < features.rows; i++) for (let c = 0; c < values.cols; c++) values.set(i, c, features.at(i, c));
    return values;
  }
  predict(features: Matrix): Int32Array {
    return rowMaxima(this.decisionValues(features));
  }
  probabilities(features: Matrix) {
    const listed = Matrix.zeros(features.rows, this.#categories).fill(0.8 / this.#categories);
    return { listed, unlisted: new Float64Array(features.rows).fill(0.2) };
  }
  groups() {
    const of = Int32Array.from({ length: problem.testFeatures.rows }, (_, i) => (i % 3) - 1);
    return { of, nearest: [0, 1].map((group) => ({ listed: group, auxiliary: 7 - group })) };
  }
  webWeights() {
    return Float64Array.from(problem.webLabels, (_, i) => i / 7);
  }
}

const oracle: MethodSpec = {
  ...{ name: 'oracle', title: 'Oracle', citation: '', uses: [], setting: 'standard', parameters: {} },
  create: () => new Oracle(),
};

describe('fit', () => {
  it('takes the defaults of the setting, and what is given before them', async () => {
    const seen: unknown[] = [];
    const number = { description: 'a number', default: 1 };
    const spec: MethodSpec = {
      ...{ ...oracle, name: 'by-setting', setting: 'both', parameters: { one: number, two: number } },
      generalizedDefaults: { two: 5 },
      create: (options) => {
        seen.push(options);
        return new Oracle();
      },
    };
    await fit(problem, spec, here).catch(() => {});
    await fit(generalize(problem, 1), spec, here).catch(() => {});
    await fit(generalize(problem, 1), spec, { ...here, parameters: { two: 7 } }).catch(() => {});
    expect(seen).toEqual([
      { one: 1, two: 1 },
      { one: 1, two: 5 },
      { one: 1, two: 7 },
    ]);
  });

  it('says what the method says', async () => {
    const backend = await createBackend(here);
    const method = await createMethod(findMethod('bowerbird'), { sharpness: 2 }).fit(problem, { backend });
    const result = await fit(problem, 'bowerbird', { backend, parameters: { sharpness: 2 } });
    expect([...result.predictions]).toEqual([...method.predict(problem.testFeatures)]);
    expect(result.scores!.data).toEqual(method.decisionValues(problem.testFeatures).data);
    expect(result.web?.map(({ weight }) => weight)).toEqual([...method.webWeights!()!]);
    const right = result.predictions.filter((label, i) => label === problem.testLabels![i]).length;
    expect(result.metrics.accuracy).toBe(right / problem.testFeatures.rows);
    const { listed, unlisted } = method.probabilities!(problem.testFeatures);
    expect([...result.confidence!]).toEqual(Array.from(result.predictions, (c, i) => listed.at(i, c)));
    expect(result.unlisted).toEqual(unlisted);
    for (let i = 0; i < result.predictions.length; i++) {
      const sorted = [...result.scores!.row(i)].sort((a, b) => b - a);
      expect(result.scores!.at(i, result.runnersUp[i])).toBe(sorted[1]);
    }
    backend.dispose();
  });

  it.each([
    ['as it comes', problem],
    ['with auxiliary categories among the answers', generalize(problem, 1)],
    [
      'after a person named some',
      {
        ...problem,
        testKnown: known(problem.testFeatures.rows, [
          [3, 1],
          [20, 0],
          [21, -1],
        ]),
      },
    ],
  ])('says the same of a folder with too many scores to keep, %s', async (_, given) => {
    const [whole, most] = [await fit(given, 'bowerbird', here), 7 * given.testNames.length];
    const blocks = await fit(given, 'bowerbird', { ...here, mostScores: most });
    for (const key of ['predictions', 'runnersUp', 'topScores', 'margins', 'confidence', 'unlisted', 'groups'] as const)
      expect(blocks[key], key).toEqual(whole[key]);
    expect(blocks.runnerUpConfidence).toEqual(whole.runnerUpConfidence);
    expect([blocks.scores, blocks.chances, blocks.metrics.ausuc]).toEqual([undefined, undefined, undefined]);
    const { ausuc: _area, ...metrics } = whole.metrics;
    expect(blocks.metrics).toEqual(metrics);
    const path = join(folder, 'blocks');
    await writeFit(path, blocks);
    expect(existsSync(join(path, 'scores.npy'))).toBe(false);
    const again = await readFit(path);
    expect(again.margins).toEqual(whole.margins);
    expect(again.topScores).toEqual(whole.topScores);
    expect(again.predictions).toEqual(whole.predictions);
  });

  it('says the same by blocks for a method that answers all at once', async () => {
    const [whole, blocks] = [await fit(problem, oracle, here), await fit(problem, oracle, { ...here, mostScores: 5 })];
    const { scores, chances, record, ...others } = whole;
    expect(scores && chances && record.categories).toHaveLength(4);
    expect(blocks).toEqual({ ...others, record: expect.anything() });
  });

  it('takes the chances, groups and weights that a method has of its own', async () => {
    const result = await fit(problem, oracle, here);
    expect(new Set(result.confidence)).toEqual(new Set([0.2]));
    expect(new Set(result.unlisted)).toEqual(new Set([0.2]));
    expect(result.groups?.slice(0, 4)).toEqual(Int32Array.of(-1, 0, 1, -1));
    const second = { nearestListed: problem.testNames[1], nearestAuxiliary: problem.auxiliaryNames[6] };
    expect(result.strangerGroups?.[1]).toMatchObject({ group: 1, ...second });
    expect(result.web?.[14].weight).toBe(2);
    expect(result.model).toBeUndefined();
  });

  it('learns how sure it may be where it is asked to, for answers and for pictures that come later', async () => {
    const result = await fit(problem, 'lr', { ...here, calibrate: { noise: 0.3 } });
    expect(result.model?.sharpness?.temperature).toBeGreaterThan(0);
    expect(result.metrics.calibration?.validation.pictures).toBeGreaterThan(0);
    for (const chance of result.confidence!) expect(chance).toBeGreaterThan(0);
    for (const [i, second] of result.runnerUpConfidence!.entries())
      expect(second + result.confidence![i]).toBeLessThanOrEqual(1 + 1e-12);
    const made = createMethod(findMethod('lr'));
    const notes: string[] = [];
    const onNote = (note: string) => notes.push(note);
    const without = await fit(problem, made, { ...here, calibrate: { noise: 0.3 }, onNote });
    expect(notes.join()).toContain('this one is made already');
    expect(without.confidence).toBeUndefined();
  });

  it('scores the generalized setting by both kinds of categories', async () => {
    const both = generalize(problem, 1);
    const { metrics, names } = await fit(both, 'bowerbird', here);
    expect(names).toEqual([...both.testNames, ...both.auxiliaryNames]);
    expect(metrics.harmonic).toBeCloseTo((2 * metrics.seen! * metrics.unseen!) / (metrics.seen! + metrics.unseen!), 12);
    expect(metrics.ausuc).toBeGreaterThan(0);
  });

  it('leaves no model where other pictures could not be scaled alike', async () => {
    expect((await fit(problem, 'lr', { ...here, scaling: 'zscore' })).model).toBeUndefined();
    expect((await fit(problem, 'lr', { ...here, centred: true })).model).toBeUndefined();
    expect((await fit(problem, 'lr', { ...here, scaling: 'l2' })).model?.scorer.normalize).toBe('unit');
  });

  it('ends when it is told to, before and during the fit', async () => {
    await expect(fit(problem, 'lr', { ...here, signal: AbortSignal.abort() })).rejects.toThrow();
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    await expect(fit(problem, 'bowerbird', { ...here, signal: stop.signal, onProgress })).rejects.toThrow();
  });

  it('names the methods and parameters there are', async () => {
    await expect(fit(problem, 'nothing', here)).rejects.toMatchObject({ code: 'BOWERBIRD_ARGUMENT' });
    await expect(fit(problem, 'lr', { ...here, parameters: { depth: 3 } })).rejects.toThrow('no parameter "depth"');
  });
});

describe('the folder of a fit', () => {
  const numbers = (of: ArrayLike<number> | undefined) => of && Array.from(of);

  async function roundTrip(result: FitResult, name: string) {
    await writeFit(join(folder, name), result);
    const again = await readFit(join(folder, name));
    for (const key of ['predictions', 'runnersUp', 'confidence', 'runnerUpConfidence', 'unlisted', 'groups'] as const)
      expect(numbers(again[key]), key).toEqual(numbers(result[key]));
    expect(numbers(again.labels)).toEqual(numbers(result.labels));
    expect(again.record).toEqual(JSON.parse(JSON.stringify(result.record)));
    expect(again.metrics).toEqual(JSON.parse(JSON.stringify(result.metrics)));
    expect(again.web).toEqual(result.web);
    expect(again.strangerGroups).toEqual(result.strangerGroups);
    expect(again.trace).toEqual(result.trace);
    expect(numbers(again.scores!.data)).toEqual(numbers(result.scores!.copy('float32').data));
    expect(numbers(again.semantics?.pictures.data)).toEqual(numbers(result.semantics?.pictures.data));
    expect(numbers(again.semantics?.categories.data)).toEqual(numbers(result.semantics?.categories.data));
    expect(numbers(again.dictionary?.data)).toEqual(numbers(result.dictionary?.data));
    expect(again.model?.sharpness).toEqual(result.model?.sharpness);
    expect(numbers(again.model?.scorer.weights.data)).toEqual(numbers(result.model?.scorer.weights.data));
    expect(again.model?.scorer.names).toEqual(result.model?.scorer.names);
  }

  it('reads back as it was written', async () => {
    const learnt = await fit(problem, 'paper', { ...here, parameters: { lambda2: 0.1 } });
    expect(learnt.record.iterations).toBe(learnt.trace!.iteration.length);
    await roundTrip(learnt, 'learner');
    const told = await fit(problem, oracle, here);
    expect(told.record).not.toHaveProperty('iterations');
    await roundTrip(told, 'oracle');
    const names = ['a, b', 'the "lesser"', 'Möwe', 'line\nbreak'];
    const { testLabels: _, ...unlabelled } = { ...problem, testNames: names };
    await roundTrip(await fit(unlabelled, 'lr', { ...here, calibrate: { noise: 0.3 } }), 'unlabelled');
  });

  it('can be looked back at from a copy of what is needed', async () => {
    await writeFit(join(folder, 'original'), await fit(problem, oracle, here));
    await mkdir(join(folder, 'copy'));
    await copyFit(join(folder, 'original'), join(folder, 'copy'));
    const kept = await readdir(join(folder, 'copy'));
    expect(kept).toEqual(expect.arrayContaining(['groups.csv', 'metrics.json', 'predictions.csv', 'run.json']));
    for (const name of kept)
      expect(await readFile(join(folder, 'copy', name))).toEqual(await readFile(join(folder, 'original', name)));
  });

  it('holds a model that classifies other pictures as the fit does', async () => {
    const backend = await createBackend(here);
    const parameters = { lambda2: 0.1 };
    await writeFit(join(folder, 'model'), await fit(problem, 'paper', { backend, parameters, scaling: 'l2' }));
    const model = (await readModel(join(folder, 'model')))!;
    const learner = await createMethod(findMethod('paper'), parameters).fit(problem, { backend });
    const fresh = problem.testFeatures.view(0, 10).copy();
    fresh.row(0).fill(0.1);
    scaleToUnitLength('fresh', fresh);
    const answers = classifyFeatures(model, fresh, backend);
    expect([...answers.predictions]).toEqual([...learner.predict(fresh)]);
    expect(answers.names).toEqual(problem.testNames);
    expect(() => classifyFeatures(model, Matrix.zeros(2, 3), backend)).toThrow(/these have 3/);
    backend.dispose();
  });

  it('keeps nothing of the fit before', async () => {
    const path = join(folder, 'twice');
    await writeFit(path, await fit(problem, 'paper', { ...here, parameters: { lambda2: 0.1 } }), { pictures: [] });
    await writeFit(path, await fit(problem, 'knn', here));
    expect((await readdir(path)).sort()).toEqual(['metrics.json', 'predictions.csv', 'run.json', 'scores.npy']);
  });

  it('of another version, of another command or of nobody says what it is and what to do', async () => {
    const path = join(folder, 'strange');
    await expect(readFit(path)).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await mkdir(path);
    await writeFile(join(path, 'run.json'), JSON.stringify({ command: 'tune' }));
    await expect(readFit(path)).rejects.toMatchObject({ message: `${path} holds no finished fit` });
    await writeFile(join(path, 'run.json'), JSON.stringify({ configuration: { method: 'paper' } }));
    await writeFile(join(path, 'predictions.csv'), 'row,name,category,distance,runner_up,margin\n');
    await expect(readFit(path)).rejects.toMatchObject({
      code: 'BOWERBIRD_FORMAT',
      message: expect.stringContaining('another version'),
      hint: expect.stringContaining('Fit again'),
    });
    expect(existsSync(path)).toBe(true);
  });
});
