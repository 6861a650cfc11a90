import { describe, expect, it } from 'vitest';
import { accuracy } from '../../src/fit/index.js';
import { Combo } from '../../src/learner/combo.js';
import { distances } from '../../src/learner/nearest.js';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { generalize } from '../../src/problem/generalize.js';
import { generateProblem } from '../../src/problem/generate.js';
import { problemHash } from '../../src/problem/hash.js';
import { restrictToCategories } from '../../src/problem/subset.js';
import { backend } from './backend.js';

const problem = generateProblem({ seed: 21, noise: 0.6, testCategories: 5 });
const parameters = { lambda1: 10, lambda2: 0.1, lambda3: 0.01, lambda4: 0.1, bound: 1.5 };

describe('the learner', () => {
  it('classifies a generated problem far better than chance and leaves its input alone', async () => {
    const before = problemHash(problem);
    const learner = await new PaperLearner(parameters).fit(problem, { backend });
    expect(accuracy(learner.predict(problem.testFeatures), problem.testLabels!)).toBeGreaterThan(0.7);
    expect(problemHash(problem)).toBe(before);
  });

  it('reports the sum of the terms of its objective and the spread of the weights as they are', async () => {
    const { webWeights_: theta, trace_ } = await new PaperLearner(parameters).fit(problem, { backend });
    const last = trace_.at(-1)!;
    expect(trace_.map(({ iteration }) => iteration)).toEqual(trace_.map((_, i) => i + 1));
    const terms = last.reconstruction + last.transfer + last.nuclear + last.discrepancy + last.error;
    expect(last.objective).toBeCloseTo(terms, 10);
    const mean = theta.reduce((sum, value) => sum + value, 0) / theta.length;
    const squares = theta.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    expect(last.thetaDeviation).toBeCloseTo(Math.sqrt(squares / theta.length), 6);
    expect(last.thetaMinimum).toBeCloseTo(Math.min(...theta), 9);
    expect(last.thetaMaximum).toBeCloseTo(Math.max(...theta), 9);
  });

  it('forgets the first problem when it is fitted again', async () => {
    const other = generateProblem({ seed: 22, testCategories: 3 });
    const learner = await new PaperLearner(parameters).fit(other, { backend });
    await learner.fit(problem, { backend });
    const fresh = await new PaperLearner(parameters).fit(problem, { backend });
    expect(learner.semantics_.data).toEqual(fresh.semantics_.data);
    expect(learner.trace_.length).toBe(fresh.trace_.length);
  });

  it('finds the same answer in float32 to single precision', async () => {
    const double = await new PaperLearner({ ...parameters, maxIterations: 20 }).fit(problem, { backend });
    const single = await new PaperLearner({ ...parameters, maxIterations: 20, dtype: 'float32' }).fit(problem, {
      backend,
    });
    expect([...single.predict(problem.testFeatures)]).toEqual([...double.predict(problem.testFeatures)]);
    single.semantics_.data.forEach((value, i) => {
      expect(Math.abs(value - double.semantics_.data[i])).toBeLessThan(2e-3);
    });
  });

  it('does not look for strongly coupled weights beyond single precision in float32', async () => {
    const coupled = { ...parameters, lambda3: 1e5, bound: 3, dtype: 'float32' } as const;
    const learner = await new PaperLearner(coupled).fit(problem, { backend });
    const steps = learner.trace_.map((record) => record.thetaSteps);
    expect(Math.max(...steps)).toBeGreaterThan(5);
    expect(Math.max(...steps)).toBeLessThan(500);
  });

  it('decides by angle when asked to', async () => {
    const learner = await new PaperLearner({ ...parameters, metric: 'cosine' }).fit(problem, { backend });
    const values = distances(learner.semantics_, problem.testSemantics, 'cosine');
    const nearest = Array.from({ length: values.rows }, (_, i) => values.row(i).indexOf(Math.min(...values.row(i))));
    expect([...learner.predict(problem.testFeatures)]).toEqual(nearest);
  });

  it('chooses among auxiliary categories too in the generalized setting', async () => {
    const generalized = generalize(problem, 3);
    const learner = await new PaperLearner(parameters).fit(generalized, { backend });
    const predicted = learner.predict(generalized.testFeatures);
    expect(learner.decisionValues(generalized.testFeatures).cols).toBe(5 + problem.auxiliaryNames.length);
    expect(predicted.some((category) => category >= 5)).toBe(true);
    expect(accuracy(predicted, generalized.testLabels!)).toBeGreaterThan(0.3);
  });

  it('without web pictures gives an error that names the way out', async () => {
    const none = {
      ...problem,
      webFeatures: Matrix.zeros(0, problem.webFeatures.cols),
      webLabels: new Int32Array(0),
      webText: undefined,
    };
    await expect(new PaperLearner(parameters).fit(none, { backend })).rejects.toMatchObject({
      code: 'BOWERBIRD_PROBLEM',
      hint: expect.stringContaining('paper-zsl'),
    });
    const learner = await new PaperLearner({ ...parameters, special: 'paper-zsl' }).fit(none, { backend });
    expect(learner.webWeights_.length).toBe(0);
  });

  it('refuses one category, unknown options, impossible values and text that is not there', async () => {
    const single = restrictToCategories(problem, { test: [0] });
    await expect(new PaperLearner(parameters).fit(single, { backend })).rejects.toMatchObject({
      code: 'BOWERBIRD_PROBLEM',
    });
    expect(() => new PaperLearner({ lambda5: 1 } as never)).toThrow(/lambda5/);
    expect(() => new PaperLearner({ bound: 0.5 })).toThrow(/bound is 0.5/);
    expect(() => new PaperLearner({ lambda2: Number.NaN })).toThrow(/lambda2/);
    const mute = { ...problem, webText: undefined };
    await expect(new PaperLearner({ gamma: 1 }).fit(mute, { backend })).rejects.toMatchObject({
      code: 'BOWERBIRD_ARGUMENT',
    });
    expect(() => new PaperLearner().predict(problem.testFeatures)).toThrow(/before fit/);
  });

  it('says which parameter made the solution collapse, and when it did not converge', async () => {
    const collapsed = await new PaperLearner({ ...parameters, lambda2: 1e4 }).fit(problem, { backend });
    expect(collapsed.warnings_.join(' ')).toMatch(/lambda2 = 10000 is too large/);
    const first = problem.testFeatures.row(0);
    const alike = { ...problem, testFeatures: Matrix.from([first, first, first]), testLabels: undefined };
    const learner = await new PaperLearner({ ...parameters, maxIterations: 30 }).fit(alike, { backend });
    const chosen = problem.testNames[learner.predict(alike.testFeatures)[0]];
    expect(learner.warnings_.join(' ')).toContain(`every test picture was put into "${chosen}"`);
    const hasty = await new PaperLearner({ ...parameters, maxIterations: 2 }).fit(problem, { backend });
    expect(hasty.converged_).toBe(false);
    expect(hasty.warnings_.join(' ')).toMatch(/did not converge in 2 iterations/);
  });
});

describe('combo', () => {
  it('is the mean of the semantic vectors of its two parts', async () => {
    const combo = await new Combo({ ...parameters, lambda2: 0.05 }).fit(problem, { backend });
    const web = await new PaperLearner({ ...parameters, lambda2: 0.05, special: 'paper-wsl' }).fit(problem, {
      backend,
    });
    const zeroShot = await new PaperLearner({ ...parameters, lambda2: 0.05, special: 'paper-zsl' }).fit(problem, {
      backend,
    });
    combo.semantics_.data.forEach((value, i) => {
      expect(value).toBeCloseTo((web.semantics_.data[i] + zeroShot.semantics_.data[i]) / 2, 12);
    });
    expect(accuracy(combo.predict(problem.testFeatures), problem.testLabels!)).toBeGreaterThan(0.7);
    expect(combo.webWeights()).toEqual(web.webWeights());
    expect(combo.trace_).toHaveLength(web.trace_.length + zeroShot.trace_.length);
  });
});
