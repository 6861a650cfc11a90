/** Several networks and views in a workspace, from the features to answers for other pictures. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../allclose.js';
import { Matrix, Random } from '../../src/linalg/index.js';
import { readProblem } from '../../src/problem/index.js';
import { loadFeatures } from '../../src/vision/index.js';
import { classify } from '../../src/workspace/classify.js';
import { openWorkspace, runWorkspace, type StageName, type WrittenConfiguration } from '../../src/workspace/index.js';
import { explainedScales } from '../../src/workspace/looks.js';
import { tinyDimension, tinyModel } from '../vision/tiny-model.js';
import { bowerbird, makeWorld, type World, writeConfiguration } from './world.js';

let world: World;
let other: string;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 4, test: 2, web: 3, validation: false });
  other = (await tinyModel(world.folder, 7)).network.model.slice(world.folder.length + 1);
});
afterAll(() => world.remove());

async function run(change: Partial<WrittenConfiguration>, until: StageName) {
  writeConfiguration(world, { text: false, learner: { method: 'lr', device: 'wasm', threads: 1 }, ...change });
  return runWorkspace(await openWorkspace(world.folder), { until });
}

const unit = (row: ArrayLike<number>) => {
  const values = Array.from(row);
  return values.map((value) => value / Math.hypot(...values));
};

describe('several looks', { timeout: 120_000 }, () => {
  it('stand beside each other, views of one network averaged, and what was extracted before is not extracted again', async () => {
    const first = world.configuration.model as string;
    await run({ model: first }, 'features-test');
    const plain = await loadFeatures(world.path('features', 'test'));
    const model = [{ name: first, views: ['plain' as const, 'zoom-mirror' as const] }, other];
    await run({ model }, 'features-test');
    const looks = world.path('features', 'test', 'looks');
    const names = [`${first.replace('.onnx', '')}-feature-plain`, `${first.replace('.onnx', '')}-feature-zoom-mirror`];
    for (const name of names) expect(existsSync(`${looks}/${name}/index.csv`)).toBe(true);
    const kept = await loadFeatures(`${looks}/${names[0]}`);
    expect(kept.features.data).toEqual(plain.features.data);
    const zoomed = await loadFeatures(`${looks}/${names[1]}`);
    const both = await loadFeatures(world.path('features', 'test'));
    expect(both.ids).toEqual(plain.ids);
    expect(both.meta.parts).toEqual([
      { name: `${first.replace('.onnx', '')} (plain, zoom-mirror)`, width: tinyDimension },
      { name: other.replace('.onnx', ''), width: tinyDimension },
    ]);
    for (const i of [0, 3]) {
      const [a, b] = [unit(plain.features.row(i)), unit(zoomed.features.row(i))];
      const expected = unit(a.map((value, j) => value + b[j]));
      expect(Array.from(both.features.row(i)).slice(0, tinyDimension)).toBeAllClose(expected, { tolerance: 1e-5 });
    }
  });

  it('leave the features of a network as they were when it is the only one again', async () => {
    const looks = world.path('features', 'test', 'looks');
    const name = `${(world.configuration.model as string).replace('.onnx', '')}-feature-plain`;
    const file = `${looks}/${name}/shard-00000.npy`;
    const before = statSync(file).mtimeMs;
    await run({ model: world.configuration.model }, 'features-test');
    expect(statSync(world.path('features', 'test', 'shard-00000.npy')).mtimeMs).toBe(before);
    expect(existsSync(looks)).toBe(false);
  });

  it('are scaled by what they explain in the problem, and answer for other pictures as they did for those of the folder', async () => {
    const model = [world.configuration.model as string, other];
    await run({ model }, 'fit');
    const problem = await readProblem(world.path('problem.npz'));
    const { featureScales } = JSON.parse(readFileSync(world.path('problem-pictures.json'), 'utf8'));
    expect(Math.max(...featureScales)).toBeCloseTo(1, 10);
    const lengths = [0, tinyDimension].map((from) =>
      Math.hypot(...problem.testFeatures.row(0).slice(from, from + tinyDimension)),
    );
    expect(lengths[0]).toBeCloseTo(featureScales[0], 5);
    expect(lengths[1]).toBeCloseTo(featureScales[1], 5);
    const answers = readFileSync(world.path('run', 'answers.csv'), 'utf8').trim().split('\n').slice(1);
    const names = problem.testNames;
    const paths = names.flatMap((name) => [world.path('test', name)]);
    const { pictures, failed } = await classify(await openWorkspace(world.folder), paths);
    expect(failed).toEqual([]);
    const expected = new Map(answers.map((line) => line.split(',').slice(0, 2) as [string, string]));
    const agree = pictures.filter(({ picture, category }) => {
      const id = [...expected.keys()].find((key) => picture.endsWith(key));
      return id !== undefined && expected.get(id) === category;
    });
    expect(agree.length).toBe(pictures.length);
  });

  it('are not exported as one file that starts from pixels, and the classifier alone is', async () => {
    const refused = await bowerbird(['export', world.folder, '--out', world.path('out'), '--as', 'onnx-pixels']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('several networks or views')]);
    const { code } = await bowerbird(['export', world.folder, '--out', world.path('out')]);
    expect(code).toBe(0);
    expect(statSync(world.path('out', 'classifier.onnx')).size).toBeGreaterThan(0);
    expect(existsSync(world.path('out', 'classifier-with-network.onnx'))).toBe(false);
  });
});

describe('the scale of a network', () => {
  it('is the larger the more of its variance lies between categories', () => {
    const random = new Random(2);
    const labels = Int32Array.from({ length: 60 }, (_, i) => i % 6);
    const rows = Array.from(labels, (label) => [
      ...Array.from({ length: 4 }, (_, j) => 3 * Math.sin(label * 7 + j) + random.normal()),
      ...Array.from({ length: 4 }, (_, j) => Math.sin(label * 5 + j) + random.normal()),
      ...Array.from({ length: 4 }, () => random.normal()),
    ]);
    const parts = ['telling', 'weak', 'nothing'].map((name) => ({ name, width: 4 }));
    const [telling, weak, nothing] = explainedScales(Matrix.from(rows), labels, parts);
    expect(telling).toBe(1);
    expect(weak).toBeLessThan(0.95);
    expect(nothing).toBeLessThan(0.5 * weak);
  });
});
