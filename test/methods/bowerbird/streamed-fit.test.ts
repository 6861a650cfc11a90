/** Fits of pictures that stay in files, against fits in memory. */
import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileError } from '../../../src/errors.js';
import type { Backend } from '../../../src/linalg/backend.js';
import { visitRows } from '../../../src/linalg/row-blocks.js';
import { WhitenedSpace } from '../../../src/methods/blocks/whitened-space.js';
import { Bowerbird } from '../../../src/methods/bowerbird/bowerbird.js';
import { place } from '../../../src/methods/bowerbird/ground.js';
import { placeByBlocks } from '../../../src/methods/bowerbird/row-file.js';
import { generateProblem } from '../../../src/problem/generate.js';
import type { Problem } from '../../../src/problem/problem.js';
import { selectIntegers, selectRows } from '../../../src/problem/rows.js';
import { saveProblem } from '../../../src/problem/save.js';
import { openStreamedProblem } from '../../../src/problem/streamed.js';
import { backends } from '../../linalg/backends.js';
import { asFile, unread } from '../streamed-rows.js';

/** Pictures that do not lie in the order of their labels, some of them of categories that nobody listed. */
function drawn(dimensions: number, more = 1): Problem {
  const sizes = {
    auxiliaryCategories: 14,
    auxiliaryPerCategory: 12 * more,
    testCategories: 7,
    webPerCategory: 9 * more,
  };
  const problem = generateProblem({ seed: 5, ...sizes, dimensions, validation: false });
  const shuffled = (count: number) => Int32Array.from({ length: count }, (_, i) => (i * 37) % count);
  const [auxiliary, web] = [problem.auxiliaryLabels, problem.webLabels].map(({ length }) => shuffled(length));
  return {
    ...problem,
    auxiliaryFeatures: selectRows(problem.auxiliaryFeatures, auxiliary),
    auxiliaryLabels: selectIntegers(problem.auxiliaryLabels, auxiliary),
    webFeatures: selectRows(problem.webFeatures, web),
    webLabels: selectIntegers(problem.webLabels, web),
    webText: selectRows(problem.webText!, web),
    webTexts: undefined,
    webKinds: undefined,
  };
}

const problem = drawn(12);
/** Several blocks of auxiliary and web pictures, which are kept in single precision. */
const many = drawn(120, 16);

function streamed(whole: Problem, atOnce?: number, sequential?: boolean) {
  const { auxiliaryFeatures, webFeatures, testFeatures } = whole;
  return {
    problem: {
      ...whole,
      auxiliaryFeatures: unread(auxiliaryFeatures),
      webFeatures: unread(webFeatures),
      testFeatures: unread(testFeatures),
    },
    auxiliaryRows: asFile(auxiliaryFeatures, atOnce, sequential),
    webRows: asFile(webFeatures, atOnce, sequential),
    testRows: asFile(testFeatures, atOnce, sequential),
  };
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = a.length === b.length ? 0 : Number.NaN;
  for (let k = 0; k < a.length; k++) largest = Math.max(largest, Math.abs(a[k] - b[k]));
  return largest;
}

describe.each(backends)('a fit of pictures in files, on the $name backend', ({ name, create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create(1);
  });
  afterAll(() => backend.dispose());

  it.each([
    [3, false],
    [50, true],
    [undefined, true],
  ])('is that of the pictures in memory, %s rows at a time, one after another: %s', async (atOnce, sequential) => {
    const whole = await new Bowerbird().fit(problem, { backend });
    const { problem: without, ...rows } = streamed(problem, atOnce, sequential);
    const found = await new Bowerbird().fit(without, { backend, ...rows });
    expect(found.predict(without.testFeatures)).toEqual(whole.predict(problem.testFeatures));
    expect([found.rounds_, found.converged_]).toEqual([whole.rounds_, whole.converged_]);
    expect(found.strangerShare_).toBeCloseTo(whole.strangerShare_, 6);
    found.webWeights().forEach((weight, i) => {
      expect(weight).toBeCloseTo(whole.webWeights()[i], 6);
    });
    const [chances, expected] = [
      found.probabilities(without.testFeatures),
      whole.probabilities(problem.testFeatures),
    ] as const;
    expect(chances.listed.rows).toBe(problem.testFeatures.rows);
    chances.listed.data.forEach((value, k) => {
      expect(value).toBeCloseTo(expected.listed.data[k], 6);
    });
    expect(found.groups()).toEqual(whole.groups());
    // Others are answered by the formula that was learnt, none of them too.
    const later = problem.webFeatures.view(0, 4);
    expect(found.predict(later)).toEqual(whole.predict(later));
    expect(found.predict(problem.testFeatures.view(0, 0).copy())).toHaveLength(0);
  });

  it.skipIf(name === 'cuda')('is that fit to the last bit where whitened pictures are kept in memory', async () => {
    for (const whole of [problem, many]) {
      const expected = await new Bowerbird().fit(whole, { backend });
      for (const atOnce of [20, undefined]) {
        const { problem: without, ...rows } = streamed(whole, atOnce);
        const found = await new Bowerbird().fit(without, { backend, ...rows, keep: 'memory' });
        const [own, all] = [without.testFeatures, whole.testFeatures];
        expect(found.predict(own)).toEqual(expected.predict(all));
        expect(found.decisionValues(own).copy().data).toEqual(expected.decisionValues(all).copy().data);
        expect(found.probabilities(own)).toEqual(expected.probabilities(all));
        expect(found.webWeights()).toEqual(expected.webWeights());
        expect(found.linear()).toEqual(expected.linear());
        expect(found.strangers()).toEqual(expected.strangers());
        expect(found.groups()).toEqual(expected.groups());
        expect(found.details()).toEqual(expected.details());
      }
    }
  });

  it('takes answers up as a fit in memory does', async () => {
    const test = new Int32Array(problem.testFeatures.rows).fill(-2);
    test.set([3, -1, 0, 5]);
    const whole = await (await new Bowerbird().fit(problem, { backend })).refit({ test });
    const { problem: without, ...rows } = streamed(problem, 10);
    const found = await (await new Bowerbird().fit(without, { backend, ...rows })).refit({ test });
    expect(found.predict(without.testFeatures)).toEqual(whole.predict(problem.testFeatures));
  });

  it('is the same in the generalized setting', async () => {
    const generalized = { ...problem, generalized: true };
    const whole = await new Bowerbird().fit(generalized, { backend });
    const { problem: without, ...rows } = streamed(generalized, 20);
    const found = await new Bowerbird().fit(without, { backend, ...rows });
    expect(found.predict(without.testFeatures)).toEqual(whole.predict(problem.testFeatures));
  });

  it('keeps whitened rows in the order asked for, many in single precision', async () => {
    for (const [copies, dtype] of [
      [1, 'float64'],
      [1500, 'float32'],
    ] as const) {
      const space = await WhitenedSpace.learn(problem, backend, { power: 0.75, shrinkage: 0.2 });
      const count = problem.webFeatures.rows * copies;
      const features = selectRows(
        problem.webFeatures,
        Int32Array.from({ length: count }, (_, i) => i % problem.webFeatures.rows),
      );
      const order = Int32Array.from({ length: count }, (_, i) => (i * 97) % count);
      const told: number[] = [];
      const tell = async (part: number) => {
        told.push(part);
      };
      const { rows, squaredLengths } = place(space, features, order);
      for (const [keep, sequential] of [
        ['disk', true],
        ['disk', false],
        ['memory', false],
      ] as const) {
        const found = await placeByBlocks(space, asFile(features, 1000, sequential), keep, tell, order);
        expect([found.rows.dtype, rows.dtype]).toEqual([dtype, dtype]);
        const tolerance = sequential || name === 'cuda' ? 1e-4 : 0;
        visitRows(found.rows, (block, start) => {
          const wanted = rows.view(start, start + block.rows).copy().data;
          expect(largestDifference(block.copy().data, wanted)).toBeLessThanOrEqual(tolerance);
        });
        expect(largestDifference(found.squaredLengths, squaredLengths)).toBeLessThanOrEqual(tolerance);
        expect(told.at(-1)).toBe(1);
      }
    }
  });
});

describe('files of pictures', () => {
  let backend: Backend;
  let folder: string;
  const usual = process.env.TMPDIR;
  beforeAll(async () => {
    backend = await backends.at(-1)!.create(1);
    folder = await mkdtemp(join(tmpdir(), 'bowerbird-test-'));
  });
  afterAll(async () => {
    backend.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  async function within(temporary: string, run: () => Promise<unknown>): Promise<Error | undefined> {
    process.env.TMPDIR = temporary;
    try {
      await run();
      return undefined;
    } catch (error) {
      return error as Error;
    } finally {
      if (usual === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = usual;
    }
  }

  it('are read from a problem file and leave nothing behind, whether a fit ends well or is broken off', async () => {
    const path = join(folder, 'problem.npz');
    const scratch = await mkdtemp(join(folder, 'scratch-'));
    await saveProblem(path, problem);
    const whole = await new Bowerbird().fit(problem, { backend });
    const opened = await openStreamedProblem(path, { scaling: 'none' }, ['auxiliary', 'web', 'test']);
    let answers: Int32Array | undefined;
    const fitted = await within(scratch, async () => {
      answers = (await new Bowerbird().fit(opened.problem, { backend, ...opened })).predict(
        opened.problem.testFeatures,
      );
    });
    expect(fitted).toBeUndefined();
    expect(answers).toEqual(whole.predict(problem.testFeatures));
    const stop = new AbortController();
    const stopped = await within(scratch, () =>
      new Bowerbird().fit(opened.problem, {
        ...{ backend, ...opened, signal: stop.signal },
        onProgress: ({ detail }) => detail?.includes('test pictures whitened') && stop.abort(),
      }),
    );
    expect(stopped?.name).toBe('AbortError');
    expect(await readdir(scratch)).toEqual([]);
    await opened.close();
  });

  it('say what to do where there is no folder for whitened pictures', async () => {
    const { problem: without, ...rows } = streamed(problem);
    const error = await within(join(folder, 'nowhere'), () => new Bowerbird().fit(without, { backend, ...rows }));
    expect(error).toBeInstanceOf(FileError);
    expect(String((error as FileError).hint)).toContain('TMPDIR');
  });

  it('are named where one of them ends early', async () => {
    const path = join(folder, 'short');
    await saveProblem(path, problem);
    const opened = await openStreamedProblem(path, { scaling: 'none' }, ['auxiliary', 'web', 'test']);
    await truncate(join(path, 'test_features.npy'), 1000);
    const error = await new Bowerbird().fit(opened.problem, { backend, ...opened }).catch((e) => e);
    await opened.close();
    expect(error.code).toMatch(/^BOWERBIRD_/);
    expect(error.message).toContain('test_features.npy');
  });
});
