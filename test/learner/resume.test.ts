import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Checkpoint } from '../../src/learner/checkpoint.js';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { generateProblem } from '../../src/problem/generate.js';
import type { Problem } from '../../src/problem/problem.js';
import { saveProblem } from '../../src/problem/save.js';
import { type FeatureRows, openStreamedProblem } from '../../src/problem/streamed.js';
import { temporaryFolder } from '../temporary-folder.js';
import { backend } from './backend.js';

const folder = temporaryFolder();

const problem = generateProblem({ seed: 9, webPerCategory: 15 });
const parameters = { lambda1: 1, lambda2: 0.3, lambda3: 0.5, lambda4: 0.2, bound: 2 };

/** The rows of a matrix as if they came from a file. */
const asRows = (features: Matrix): FeatureRows => ({
  rows: features.rows,
  cols: features.cols,
  dtype: features.dtype,
  async read(into, start, end) {
    into.view(0, end - start).copyFrom(features.view(start, end));
  },
});
const withoutWeb = (given: Problem): Problem => ({ ...given, webFeatures: Matrix.zeros(0, given.webFeatures.cols) });

describe.each([
  ['in memory', {}, false],
  ['with text', { gamma: 0.4 }, false],
  ['with the pairwise solver', { thetaSolver: 'smo' }, false],
  ['in float32', { dtype: 'float32', tolerance: 1e-3 }, false],
  ['streamed', {}, true],
] as const)('a fit interrupted and continued, %s', (name, extra, stream) => {
  it('ends at the same answer to the last bit', async () => {
    const given = stream ? withoutWeb(problem) : problem;
    const web = stream ? { webRows: asRows(problem.webFeatures) } : {};
    const learner = () => new PaperLearner({ ...parameters, ...extra });
    const whole = await learner().fit(given, { backend, ...web });
    const path = join(folder, `${name}.npz`);
    for (const stopAt of [3, 11]) {
      const abort = new AbortController();
      const interrupted = learner().fit(given, {
        backend,
        ...web,
        signal: abort.signal,
        checkpoint: new Checkpoint(path, { fingerprint: 'same', resume: stopAt > 3 }),
        onIteration: (_, iterations) => {
          if (iterations === stopAt) abort.abort();
        },
      });
      await expect(interrupted).rejects.toMatchObject({ code: 'BOWERBIRD_INTERRUPTED' });
    }
    const checkpoint = new Checkpoint(path, { fingerprint: 'same', resume: true });
    const continued = await learner().fit(given, { backend, ...web, checkpoint });
    expect(continued.trace_.length).toBe(whole.trace_.length);
    expect(continued.semantics_.data).toEqual(whole.semantics_.data);
    expect(continued.webWeights_).toEqual(whole.webWeights_);
    expect(continued.dictionary_.data).toEqual(whole.dictionary_.data);
  });
});

describe('a checkpoint', () => {
  it('of another fit is refused', async () => {
    const path = join(folder, 'other.npz');
    const abort = new AbortController();
    const checkpoint = new Checkpoint(path, { fingerprint: 'first', resume: false });
    const stop = () => abort.abort();
    await expect(
      new PaperLearner(parameters).fit(problem, { backend, signal: abort.signal, checkpoint, onIteration: stop }),
    ).rejects.toMatchObject({ code: 'BOWERBIRD_INTERRUPTED' });
    const other = new Checkpoint(path, { fingerprint: 'second', resume: true });
    await expect(new PaperLearner(parameters).fit(problem, { backend, checkpoint: other })).rejects.toMatchObject({
      code: 'BOWERBIRD_RESUME',
    });
  });
});

describe('streaming', () => {
  it('gives the answer of the fit in memory, whatever the order of the pictures', async () => {
    const order = Int32Array.from({ length: problem.webFeatures.rows }, (_, i) => (i * 37) % problem.webFeatures.rows);
    const shuffled: Problem = {
      ...problem,
      webFeatures: Matrix.from([...order].map((i) => problem.webFeatures.row(i))),
      webLabels: order.map((i) => problem.webLabels[i]),
      webText: Matrix.from([...order].map((i) => problem.webText!.row(i))),
      webTexts: undefined,
      webKinds: undefined,
    };
    const options = { ...parameters, gamma: 0.4 };
    const memory = await new PaperLearner(options).fit(shuffled, { backend });
    const path = join(folder, 'streamed.npz');
    await saveProblem(path, shuffled);
    const opened = await openStreamedProblem(path, { scaling: 'none' });
    const streamed = await new PaperLearner(options).fit(opened.problem, { backend, webRows: opened.webRows });
    await opened.close();
    expect(opened.problem.webFeatures.rows).toBe(0);
    expect(streamed.trace_.length).toBe(memory.trace_.length);
    streamed.webWeights_.forEach((weight, i) => {
      expect(Math.abs(weight - memory.webWeights_[i])).toBeLessThan(1e-8);
    });
    streamed.semantics_.data.forEach((value, i) => {
      expect(Math.abs(value - memory.semantics_.data[i])).toBeLessThan(1e-9);
    });
  });

  it('names the row of a picture that cannot be scaled', async () => {
    const broken = { ...problem, webFeatures: problem.webFeatures.copy() };
    broken.webFeatures.row(5).fill(0);
    const path = join(folder, 'zero.npz');
    await saveProblem(path, broken);
    const opened = await openStreamedProblem(path);
    await expect(
      new PaperLearner(parameters).fit(opened.problem, { backend, webRows: opened.webRows }),
    ).rejects.toMatchObject({ code: 'BOWERBIRD_PROBLEM', array: 'web_features', row: 5 });
    await opened.close();
  });
});
