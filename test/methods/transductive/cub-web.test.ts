import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { accuracy } from '../../../src/fit/index.js';
import { createBackend } from '../../../src/linalg/create.js';
import { createMethod } from '../../../src/methods/spec.js';
import { transductiveMethods } from '../../../src/methods/transductive/index.js';
import { loadProblem } from '../../../src/problem/load.js';

const data = '../shared/data/cub-web.npz';
const backend = await createBackend({ threads: 1 });
/** Quick enough for every run of the tests. */
const quick = ['shojaee', 'zhang-saligrama'];
const specs = transductiveMethods.filter(({ name }) => process.env.BOWERBIRD_LONG || quick.includes(name));
/** Defaults were chosen on auxiliary categories; inductive ESZSL gets 55 here. */
const least: Record<string, number> = { 'zhang-saligrama': 0.56, shojaee: 0.54, xu: 0.45 };

describe.skipIf(!existsSync(data))('CUB with attributes (skipped where ../shared/data lacks it)', () => {
  it.each(specs.map((spec) => [spec.name, spec] as const))(
    '%s recognizes about half of the pictures or more with its defaults',
    async (name, spec) => {
      const problem = await loadProblem(data, { semantics: 'attributes' });
      const method = await createMethod(spec).fit(problem, { backend });
      expect(accuracy(method.predict(problem.testFeatures), problem.testLabels!)).toBeGreaterThan(least[name] ?? 0.48);
    },
    300_000,
  );
});
