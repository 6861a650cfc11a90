// What a fit does when the backend's memory runs out, as a small GPU's does.
import { beforeAll, describe, expect, it } from 'vitest';
import { MemoryError } from '../../src/errors.js';
import { PaperLearner } from '../../src/learner/paper-learner.js';
import { ResidentProblem } from '../../src/learner/resident.js';
import type { Backend } from '../../src/linalg/backend.js';
import type { Dtype, Matrix } from '../../src/linalg/matrix.js';
import { createWasmBackend } from '../../src/linalg/wasm/index.js';
import { generateProblem } from '../../src/problem/generate.js';

const problem = generateProblem({
  seed: 4,
  testCategories: 5,
  dimensions: 256,
  webPerCategory: 200,
  testPerCategory: 8,
});
const webBytes = problem.webFeatures.rows * problem.webFeatures.cols * 8;
const parameters = { lambda1: 1, lambda2: 0.1, lambda3: 1, lambda4: 0.1 };

/** The backend with room for so many bytes; `used` and `most` say how many are and were taken. */
function limited(backend: Backend, room: number) {
  const sizes = new Map<object, number>();
  const account = { used: 0, most: 0 };
  const matrix = (rows: number, cols: number, dtype: Dtype = 'float64') => {
    const bytes = rows * cols * (dtype === 'float64' ? 8 : 4);
    if (account.used + bytes > room) throw new MemoryError(bytes, 'a matrix');
    const made = backend.matrix(rows, cols, dtype);
    sizes.set(made, bytes);
    account.used += bytes;
    account.most = Math.max(account.most, account.used);
    return made;
  };
  const release = (made: Matrix) => {
    account.used -= sizes.get(made) ?? 0;
    sizes.delete(made);
    backend.release(made);
  };
  const wrapped = new Proxy(backend, {
    get(target, name) {
      if (name === 'matrix') return matrix;
      if (name === 'release') return release;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { backend: wrapped, account };
}

describe('memory that runs out', () => {
  let backend: Backend;
  let ample: PaperLearner;
  let needed: number;
  beforeAll(async () => {
    backend = await createWasmBackend();
    const { account, backend: counted } = limited(backend, Number.POSITIVE_INFINITY);
    ample = await new PaperLearner(parameters).fit(problem, { backend: counted });
    expect(account.used).toBe(0);
    needed = account.most;
  });
  const expectSame = (learner: PaperLearner) => {
    expect(learner.trace_.length).toBe(ample.trace_.length);
    learner.webWeights_.forEach((weight, i) => {
      expect(Math.abs(weight - ample.webWeights_[i])).toBeLessThan(1e-8);
    });
    expect(learner.predict(problem.testFeatures)).toEqual(ample.predict(problem.testFeatures));
  };

  it('before the web features are there leaves them on the host and says so', async () => {
    const small = limited(backend, webBytes);
    const learner = await new PaperLearner(parameters).fit(problem, { backend: small.backend });
    expectSame(learner);
    expect(learner.warnings_.join()).toContain('the web features stay on the host and are sent block by block');
    expect(small.account.used).toBe(0);
  });

  it('in the middle of a fit starts it again without them', async () => {
    const small = limited(backend, needed - 1);
    const iterations: number[] = [];
    const learner = await new PaperLearner(parameters).fit(problem, {
      backend: small.backend,
      onIteration: (_, done) => iterations.push(done),
    });
    expect(iterations.filter((done) => done === 1)).toHaveLength(2);
    expectSame(learner);
    expect(learner.warnings_.join()).toContain('the web features stay on the host');
    expect(small.account.used).toBe(0);
  });

  it('is remembered by the fits that share a problem', async () => {
    const small = limited(backend, needed - 1);
    const notes: string[] = [];
    const resident = new ResidentProblem(problem, small.backend, { note: (message) => notes.push(message) });
    for (let k = 0; k < 2; k++)
      expectSame(await new PaperLearner(parameters).fit(problem, { backend: small.backend, resident: () => resident }));
    expect(notes).toHaveLength(1);
    resident.release();
    expect(small.account.used).toBe(0);
  });

  it('for good is an error that names what was asked for', async () => {
    const tiny = limited(backend, 30_000);
    await expect(new PaperLearner(parameters).fit(problem, { backend: tiny.backend })).rejects.toThrow(/needs .* MiB/);
  });
});
