import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CubSplit, heldOutProblem, loadCub } from '../../../bench/zero-shot/cub.js';
import { meets, tableRows } from '../../../bench/zero-shot/rows.js';
import { chooseParameters, score } from '../../../bench/zero-shot/search.js';
import { zeroShotMethods } from '../../../src/methods/zero-shot/index.js';
import { backend } from './small.js';

const data = '../shared/data/cub-googlenet.npz';
const long = process.env.BOWERBIRD_LONG !== undefined;
/** Quick enough for every run of the tests. */
const quick = ['ESZSL', 'SynC', 'SAE, semantic space'];
const rows = tableRows.filter(({ title, required }) => required && (long || quick.includes(title)));
const cases = (['ss', 'ps'] as CubSplit[]).flatMap((split) => rows.map((row) => [split, row.title, row] as const));

describe.skipIf(!existsSync(data))('CUB with GoogLeNet features (skipped where ../shared/data lacks it)', () => {
  const problems = new Map<CubSplit, ReturnType<typeof loadCub>>();
  const load = (split: CubSplit) => {
    if (!problems.has(split)) problems.set(split, loadCub(data, split));
    return problems.get(split)!;
  };

  it.each(cases)(
    'split %s: %s is as accurate as asked for, its parameters chosen on held-out categories',
    async (split, _, row) => {
      const problem = await load(split);
      const spec = zeroShotMethods.find(({ name }) => name === row.method)!;
      const options = { backend, trials: long ? 10 : 2, seed: 1, fixed: row.fixed };
      const { parameters, heldOut } = await chooseParameters(spec, problem, options);
      const percent = 100 * (await score(spec, parameters, problem, backend));
      expect(heldOut).toBeGreaterThan(0.1);
      expect(percent).toSatisfy(
        (value: number) => meets(row, value),
        `${percent.toFixed(1)} ${JSON.stringify(parameters)}`,
      );
    },
    600_000,
  );

  it('holds out categories that the rehearsal does not learn from', async () => {
    const problem = await load('ss');
    const rehearsal = heldOutProblem(problem, 1);
    expect(rehearsal.testNames.length).toBe(38);
    expect(rehearsal.auxiliaryNames.length).toBe(112);
    expect(rehearsal.testNames.filter((name) => rehearsal.auxiliaryNames.includes(name))).toEqual([]);
    expect(problem.auxiliaryNames).toEqual(expect.arrayContaining([...rehearsal.testNames]));
    expect(rehearsal.testFeatures.rows + rehearsal.auxiliaryFeatures.rows).toBe(problem.auxiliaryFeatures.rows);
  });
});
