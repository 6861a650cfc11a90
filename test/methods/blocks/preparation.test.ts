import { describe, expect, it } from 'vitest';
import { createBackend, Matrix } from '../../../src/linalg/index.js';
import {
  fingerprint,
  keepUnchanged,
  prepared,
  preparedNow,
  takePreparationTimes,
  whileUnchanged,
} from '../../../src/methods/blocks/preparation.js';
import { createMethod, findMethod } from '../../../src/methods/index.js';
import { generateProblem, type Problem } from '../../../src/problem/index.js';

const backend = await createBackend({ threads: 1 });

/** Spins, so that making a part takes a time that can be told. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('a part that fits have in common', () => {
  it('is made once for the same content, parameters and backend', async () => {
    const other = await createBackend({ threads: 1 });
    const [a, b] = [Matrix.from([[1, 2]]), Int32Array.of(1, 2)];
    let made = 0;
    const ask = (matrix = a, labels = b, parameter = 1, where = backend) =>
      preparedNow('part', where, [matrix, labels], [parameter], () => ++made);
    expect([ask(), ask(), ask()]).toEqual([1, 1, 1]);
    expect(ask(a, b, 2)).toBe(2);
    expect(ask(a, Int32Array.of(1, 3))).toBe(3);
    expect(ask(a, b, 1, other)).toBe(4);
    a.set(0, 1, 7);
    expect(ask()).toBe(5);
    expect(await prepared('other part', backend, [a], [], async () => 'x')).toBe('x');
    expect(await prepared('other part', backend, [a], [], async () => 'y')).toBe('x');
    other.dispose();
  });

  it('is told by arrays that are looked through once while they stay as they are, and anew afterwards', async () => {
    const a = Matrix.from([[1, 2]]);
    const before = fingerprint(a);
    const during = () => {
      a.set(0, 0, fingerprint(a) === before ? 5 : 6);
      return fingerprint(a);
    };
    expect(await whileUnchanged([a, a], async () => whileUnchanged([a], async () => during()))).toBe(before);
    expect(a.at(0, 0)).toBe(5);
    expect(fingerprint(a)).not.toBe(before);
    await expect(whileUnchanged([a], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const after = fingerprint(a);
    a.set(0, 0, 1);
    expect([fingerprint(a), after === before]).toEqual([before, false]);
  });

  it('is told without another look by arrays that stay as they are from now on, and by parts', () => {
    const a = Matrix.from([[1, 2]]);
    keepUnchanged([a]);
    const before = fingerprint(a);
    a.set(0, 0, 5);
    expect(fingerprint(a)).toBe(before);
    const part = preparedNow('kept', backend, [Matrix.from([[1]])], [], () => ({ matrix: Matrix.from([[3]]) })).matrix;
    const known = fingerprint(part);
    part.set(0, 0, 4);
    expect(fingerprint(part)).toBe(known);
  });

  it('is forgotten after three others of its name, the one used least lately first', () => {
    const a = Matrix.from([[1]]);
    const made: number[] = [];
    const ask = (parameter: number) => preparedNow('part', backend, [a], [parameter], () => made.push(parameter));
    for (const parameter of [1, 2, 3, 1, 4, 1, 2]) ask(parameter);
    expect(made).toEqual([1, 2, 3, 4, 2]);
  });

  it('is not made where making it fails, and is tried again', async () => {
    const a = Matrix.from([[1]]);
    const fail = () => prepared('part', backend, [a], [], () => Promise.reject(new Error('no')));
    await expect(fail()).rejects.toThrow('no');
    expect(await prepared('part', backend, [a], [], async () => 3)).toBe(3);
  });

  it('counts its time once, without that of its own parts', () => {
    const a = Matrix.from([[1]]);
    const inner = () => preparedNow('inner', backend, [a], [], () => work(30));
    const outer = () =>
      preparedNow('outer', backend, [a], [], () => {
        inner();
        work(20);
      });
    takePreparationTimes();
    outer();
    const first = takePreparationTimes();
    expect(first.made).toBeGreaterThanOrEqual(0.05);
    expect(first.shared).toBe(0);
    outer();
    inner();
    const second = takePreparationTimes();
    expect(second.made).toBe(0);
    expect(second.shared).toBeCloseTo(first.made, 6);
  });

  it('is not kept where it is very large', () => {
    const a = Matrix.from([[1]]);
    let made = 0;
    // An array that says it is large is enough.
    const large = Object.create(Matrix.prototype, { data: { value: { byteLength: 2 ** 29 } } });
    for (let i = 0; i < 2; i++) {
      preparedNow('large', backend, [a], [], () => {
        made++;
        return { large };
      });
    }
    expect(made).toBe(2);
  });

  it('is told by shape, labels and type, not only by values', () => {
    const some = [Matrix.from([[1, 2]]), Matrix.from([[1], [2]]), Int32Array.of(1, 2), Int32Array.of(2, 1)];
    expect(new Set(some.map(fingerprint)).size).toBe(4);
  });
});

describe('methods on a problem that others have been fitted to', () => {
  const problem = generateProblem({ seed: 5, dimensions: 24, semanticDimensions: 6, webPerCategory: 12 });
  /** The same content in other arrays, for which nothing has been prepared. */
  const unprepared = (): Problem => ({
    ...problem,
    auxiliaryFeatures: problem.auxiliaryFeatures.copy('float64'),
    webFeatures: problem.webFeatures.copy('float64'),
    testFeatures: problem.testFeatures.copy('float64'),
  });
  const values = async (name: string, parameters: Record<string, number>, on: Problem) => {
    const method = createMethod(findMethod(name), parameters);
    return (await method.fit(on, { backend })).decisionValues(on.testFeatures).data;
  };
  const trials: [string, Record<string, number>[]][] = [
    ['coral', [{ regularisation: 1 }, { regularisation: 3 }, { regularisation: 1, ridge: 2 }]],
    ['sa', [{ dimensions: 8 }, { dimensions: 3 }, { dimensions: 8, ridge: 0.1 }]],
    ['gfk', [{ dimensions: 4 }, { dimensions: 0 }, { dimensions: 4, ridge: 0.1 }]],
    ['tca', [{ mu: 1 }, { mu: 0.01, dimensions: 5 }, { mu: 1, ridge: 0.1 }]],
    ['kmm', [{ width: 1 }, { width: 2 }, { width: 1, bound: 3 }]],
    ['laplacian-shot', [{ power: 0.75 }, { power: 0.6 }, { power: 0.75, lambda: 3 }]],
    ['whitened-em', [{ shrinkage: 0.3 }, { shrinkage: 0.1 }, { shrinkage: 0.3 }]],
    ['wsl+zsl', [{ share: 0.5 }, { share: 0 }, { share: 1 }]],
    ['combo', [{ share: 0.5 }, { share: 0 }, { share: 1 }]],
    ['ale', [{ learningRate: 1 }, { learningRate: 3 }]],
    ['eszsl', [{ gamma: 1 }, { gamma: 3 }, { gamma: 1, lambda: 2 }]],
    ['sae', [{ lambda: 1 }, { lambda: 3 }]],
    ['dap', [{ decay: 1 }, { decay: 0.1 }]],
    ['iap', [{ decay: 1 }, { decay: 0.1 }]],
    ['conse', [{ decay: 1 }, { decay: 0.1 }]],
    ['sync', [{ decay: 10 }, { decay: 3 }]],
    ['zsk', [{ epochs: 2 }, { epochs: 3 }]],
    ['xu', [{ smoothness: 0.1 }, { smoothness: 1, rounds: 2 }, { decay: 3, edges: 3 }]],
    ['kodirov', [{ decay: 1 }, { decay: 3 }]],
    ['shojaee', [{ decay: 1 }, { decay: 3 }]],
    ['li', [{ drift: 3 }, { drift: 1, dimensions: 4 }]],
    ['zhang-saligrama', [{ decay: 0.1 }, { decay: 0.01 }]],
    ['se-gzsl', [{ steps: 40 }, { steps: 40, variance: 0.5 }]],
  ];
  for (const [name, draws] of trials)
    it(`${name} answers as on one of its own, and shares what does not depend on its parameters`, async () => {
      let shared = 0;
      for (const draw of draws) {
        takePreparationTimes();
        const here = await values(name, draw, problem);
        shared += takePreparationTimes().shared;
        expect(here).toEqual(await values(name, draw, unprepared()));
      }
      expect(shared).toBeGreaterThan(0);
    });
});
