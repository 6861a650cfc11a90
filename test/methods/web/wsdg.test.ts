import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { BagMachine, type BagProblem } from '../../../src/methods/web/bag-machine.js';
import { latentDomains } from '../../../src/methods/web/latent-domains.js';
import { Wsdg } from '../../../src/methods/web/wsdg.js';
import { WsdgPi } from '../../../src/methods/web/wsdg-pi.js';
import { centred, columnMeans } from '../../../src/numerics/centring.js';
import { linearDecisions } from '../../../src/numerics/linear-model.js';
import { noisyProblem } from './noisy-problem.js';

const backend = await createBackend({ threads: 1 });

describe('latent domains', () => {
  const random = new Random(5);
  const categories = [
    [0, 1, 2, 3, 4, 5],
    [6, 7, 8, 9, 10, 11],
  ];
  const features = new Matrix(random.normalArray(12 * 3), 12, 3);

  /** ‖μ₀ − μ₁‖². */
  function discrepancy(domains: ArrayLike<number>): number {
    const means = [0, 1].map((domain) => {
      const rows = Array.from({ length: 12 }, (_, i) => i).filter((i) => domains[i] === domain);
      return [0, 1, 2].map((j) => rows.reduce((sum, i) => sum + features.at(i, j) / rows.length, 0));
    });
    return means[0].reduce((sum, value, j) => sum + (value - means[1][j]) ** 2, 0);
  }

  it('spread every category evenly, and no exchange of two of its pictures sets them further apart', () => {
    const domains = latentDomains(backend, features, categories, 2);
    const reached = discrepancy(domains);
    for (const rows of categories) {
      expect(rows.filter((row) => domains[row] === 0).length).toBe(3);
      for (const a of rows)
        for (const b of rows) {
          const exchanged = Int32Array.from(domains);
          [exchanged[a], exchanged[b]] = [domains[b], domains[a]];
          expect(discrepancy(exchanged)).toBeLessThan(reached + 1e-12);
        }
    }
  });

  it('are those that a planted difference of style makes', () => {
    const style = Array.from({ length: 40 }, (_, i) => i % 2);
    const pictures = Matrix.from(
      style.map((s) => Array.from(random.normalArray(5), (v, j) => v + (j === 2 ? 8 * s : 0))),
    );
    const rows = [0, 1].map((half) => Array.from({ length: 20 }, (_, i) => 20 * half + i));
    const domains = latentDomains(backend, pictures, rows, 2);
    const agree = style.filter((s, i) => s === domains[i]).length;
    expect(Math.max(agree, 40 - agree)).toBe(40);
  });
});

/** Six pictures of each of three categories in bags of three, two domains. */
function smallBags(extra: Partial<BagProblem> = {}): BagProblem {
  const random = new Random(11);
  const features = new Matrix(random.normalArray(18 * 4), 18, 4);
  for (let i = 0; i < 18; i++) features.row(i)[Math.floor(i / 6)] += 1.5;
  return {
    features,
    bags: [0, 1, 2, 3, 4, 5].map((l) => ({ category: l >> 1, rows: [3 * l, 3 * l + 1, 3 * l + 2] })),
    domains: Int32Array.from({ length: 18 }, (_, i) => i % 2),
    categories: 3,
    domainCount: 2,
    selected: 2 / 3,
    cost: 2,
    ...extra,
  };
}
const words = Matrix.zeros(18, 4);
for (let i = 0; i < 18; i++) for (const j of [i % 3, 3]) words.set(i, j, 1);
const exact = { tolerance: 1e-3, maxSweeps: 5000 };
const two = () => 2;

/** Every way to take two pictures of three in each of the bags. */
function allSelections(bags: number): Uint8Array[] {
  return Array.from({ length: 3 ** bags }, (_, code) => {
    const selection = new Uint8Array(3 * bags).fill(1);
    for (let l = 0; l < bags; l++) selection[3 * l + (Math.floor(code / 3 ** l) % 3)] = 0;
    return selection;
  });
}

describe.each([
  ['without text', smallBags()],
  ['with text', smallBags({ text: words, textPenalty: 0.5 })],
])('the machine over bags, %s', (_, given) => {
  it('closes the gap between primal and dual for one selection and for a mixture', async () => {
    const machine = new BagMachine(backend, given);
    for (const selection of [0, 100, 400].map((k) => allSelections(6)[k])) {
      machine.add(selection);
      expect((await machine.solve(exact)).converged).toBe(true);
      expect(machine.dual()).toBeGreaterThan(0.5);
      expect(machine.primal()).toBeLessThan(machine.dual() * 1.02);
      expect(machine.primal()).toBeGreaterThan(machine.dual() * 0.999);
    }
  });

  it('is relaxed: its objective falls with every violating selection, below that of any single one', async () => {
    const relaxed = new BagMachine(backend, given);
    let selection: Uint8Array | undefined = allSelections(6)[0];
    const objectives: number[] = [];
    while (selection && objectives.length < 12) {
      relaxed.add(selection);
      await relaxed.solve(exact);
      objectives.push(relaxed.dual());
      selection = relaxed.violating(two);
    }
    expect(objectives.length).toBeGreaterThan(1);
    for (let k = 1; k < objectives.length; k++) expect(objectives[k]).toBeLessThan(objectives[k - 1] * 1.001);
    let least = Number.POSITIVE_INFINITY;
    for (const each of allSelections(6)) {
      const single = new BagMachine(backend, given);
      single.add(each);
      await single.solve({ tolerance: 1e-3, maxSweeps: 300 });
      least = Math.min(least, single.dual());
    }
    expect(objectives[objectives.length - 1]).toBeLessThan(least * 1.001);
  });
});

const problem = noisyProblem({ seed: 7, kind: 'confused', wrong: 0.35 });
const mean = columnMeans(problem.webFeatures);
const features = centred(problem.webFeatures, mean);

describe('WSDG', () => {
  it('minimizes slack of the means of bags against every other category, not of single pictures', async () => {
    const cost = 0.5;
    const parameters = { bagSize: 5, selected: 1, domains: 1, cost, selections: 1 };
    const { model_, bags_ } = await new Wsdg(parameters).fit(problem, { backend });
    expect(bags_!.every(({ rows }) => rows.length === 5)).toBe(true);
    const means = bags_!.map(({ rows }) =>
      Array.from(features.row(0), (_, j) => rows.reduce((sum, row) => sum + features.at(row, j) / rows.length, 0)),
    );
    const objective = (weights: Float64Array) => {
      const d = features.cols;
      let total = weights.reduce((sum, value) => sum + value ** 2 / 2, 0);
      bags_!.forEach(({ category }, l) => {
        const score = (c: number) => means[l].reduce((sum, value, j) => sum + value * weights[c * d + j], 0);
        const margins = [0, 1, 2, 3, 4, 5].filter((c) => c !== category).map((c) => score(category) - score(c));
        total += cost * Math.max(0, 1 - Math.min(...margins));
      });
      return total;
    };
    const found = model_!.weights.data;
    const reached = objective(found);
    expect(reached).toBeLessThan(0.9 * objective(new Float64Array(found.length)));
    const random = new Random(1);
    for (let k = 0; k < 100; k++) {
      const size = (0.02 * Math.hypot(...found)) / Math.sqrt(found.length);
      expect(objective(found.map((value) => value + size * random.normal()))).toBeGreaterThan(reached * 0.998);
    }
    for (const factor of [0.9, 1.1])
      expect(objective(found.map((value) => factor * value))).toBeGreaterThan(reached * 0.998);
  });

  it('mixes selections, each of which lowers the relaxed objective', async () => {
    const { objectives_ } = await new Wsdg({ selected: 0.6, cost: 5 }).fit(problem, { backend });
    expect(objectives_!.length).toBeGreaterThan(1);
    for (let k = 1; k < objectives_!.length; k++) expect(objectives_![k]).toBeLessThan(objectives_![k - 1] * 1.005);
  });

  it('answers with the best of a category’s classifiers', async () => {
    const method = await new Wsdg({ domains: 2, cost: 1 }).fit(problem, { backend });
    const each = linearDecisions(backend, method.model_!, problem.testFeatures);
    const values = method.decisionValues(problem.testFeatures);
    for (let i = 0; i < values.rows; i++)
      for (let c = 0; c < 6; c++) expect(values.at(i, c)).toBe(Math.max(each.at(i, 2 * c), each.at(i, 2 * c + 1)));
  });
});

describe('WSDG_PI', () => {
  it('learns from the text', async () => {
    const silent = { ...problem, webText: Matrix.zeros(features.rows, 3).fill(1) };
    const weights = async (given: typeof problem) =>
      (await new WsdgPi({ cost: 1 }).fit(given, { backend })).model_!.weights.data;
    const [plain, told] = [await weights(silent), await weights(problem)];
    const apart = Math.hypot(...told.map((value, k) => value - plain[k])) / Math.hypot(...plain);
    expect(apart).toBeGreaterThan(0.05);
  });

  it('says that text is missing', async () => {
    const { webText: _, ...silent } = problem;
    await expect(new WsdgPi().fit(silent, { backend })).rejects.toThrow(/web_text.*no text/);
  });
});
