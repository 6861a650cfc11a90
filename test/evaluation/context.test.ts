import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSource, type ProblemSource, shareSplits } from '../../src/evaluation/context.js';
import { openShared, shareProblem } from '../../src/evaluation/shared-problem.js';
import { Matrix } from '../../src/linalg/index.js';
import {
  generalize,
  generateProblem,
  loadProblem,
  type Problem,
  problemHash,
  saveProblem,
  syntheticValidationWeb,
  validationSplit,
} from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

const problem = generateProblem({ seed: 6 });
const standard = { split: 'test', generalized: false } as const;
const validation = { split: 'validation', generalized: false } as const;

/** The contents, whatever memory they lie in. */
function contents(of: Problem): unknown {
  const { validationWeb: _, ...rest } = of;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, value instanceof Matrix ? [...value.copy().data] : value]),
  );
}

describe('a problem in shared memory', () => {
  it('is the problem, with every matrix where threads can see it', () => {
    const vouched = { ...problem, webVouched: Uint8Array.from(problem.webLabels, (label) => +(label === 0)) };
    const shared = openShared(structuredClone(shareProblem(vouched)));
    expect(contents(shared)).toEqual(contents(vouched));
    expect(contents({ ...problem, ...shared.validationWeb })).toEqual(
      contents({ ...problem, ...problem.validationWeb }),
    );
    for (const value of [...Object.values(shared), ...Object.values(shared.validationWeb!)])
      if (value instanceof Matrix) expect(value.storage).toBeInstanceOf(SharedArrayBuffer);
  });

  it('keeps web pictures of auxiliary categories, which methods learn from, and none that were made up', async () => {
    const own = (await openSource(shareSplits(problem, [standard], 1), 1))(standard);
    expect(own.validationWeb?.features.rows).toBe(problem.validationWeb!.features.rows);
    const validationWeb = syntheticValidationWeb(problem, { noise: 0.3, seed: 1 });
    const other = (await openSource(shareSplits({ ...problem, validationWeb }, [standard, validation], 1), 1))(
      standard,
    );
    expect(other.validationWeb).toBeUndefined();
  });

  it('is not copied for the validation split: its pictures are auxiliary pictures', async () => {
    const source = shareSplits(problem, [standard, validation], 1);
    const splitOf = await openSource(source, 1);
    const [whole, part] = [splitOf(standard), splitOf(validation)];
    expect(contents(part)).toEqual(contents(validationSplit(problem)));
    expect(part.testFeatures.storage).toBe(whole.auxiliaryFeatures.storage);
    expect(part.auxiliaryFeatures.storage).toBe(whole.auxiliaryFeatures.storage);
    expect(splitOf(validation)).toBe(part);
  });

  it('holds the generalized setting where jobs ask for it, and nothing they do not ask for', async () => {
    const split = { split: 'test', generalized: true } as const;
    const splitOf = await openSource(shareSplits(problem, [split], 7), 7);
    expect(contents(splitOf(split))).toEqual(contents(generalize(problem, 7)));
    expect(() => splitOf(validation)).toThrow('does not hold');
  });
});

describe('a problem in a file', () => {
  it('is opened where its contents are those the run began with', async () => {
    const path = join(folder, 'problem.npz');
    await saveProblem(path, generateProblem({ seed: 6, scaling: 'none' }));
    const loaded = await loadProblem(path);
    const source: ProblemSource = { kind: 'file', path, load: {}, hash: problemHash(loaded), validation: { seed: 1 } };
    const splitOf = await openSource(source, 1);
    expect(contents(splitOf(validation))).toEqual(contents(validationSplit(loaded)));
    await expect(openSource({ ...source, hash: '0'.repeat(64) }, 1)).rejects.toThrow(
      'the run began with 000000000000…',
    );
  });

  it('gets made-up validation pictures where they were asked for', async () => {
    const source: ProblemSource = {
      kind: 'generated',
      options: { seed: 6, validation: false },
      validation: { syntheticNoise: 0.5, seed: 2 },
    };
    const part = (await openSource(source, 1))(validation);
    const wrong = part.webKinds!.filter((kind) => kind !== 'clean').length;
    expect(wrong / part.webKinds!.length).toBeCloseTo(0.5, 12);
  });
});
