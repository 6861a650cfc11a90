/**
 * What a second view of each picture is worth: CUB with ResNet-50, plain, the middle 72 % mirrored, and the mean of both.
 * Options: `--data FOLDER` with cub-resnet50.npz and cub-resnet50-zoom.npz, `--seeds 1,2`, `--concatenate` (slow) for both
 * views beside each other.
 */
import { parseArgs } from 'node:util';
import { createBackend, type Matrix } from '../src/linalg/index.js';
import { createMethod, findMethod } from '../src/methods/index.js';
import { toUnitRows } from '../src/numerics/unit-rows.js';
import { stackColumns } from '../src/problem/rows.js';
import { markdownTable } from './shared/document.js';
import { ceiling } from './wild/ceiling.js';
import { plantedCub, readCub, readZoomed } from './wild/problems.js';

const methods = ['bowerbird', 'lr'];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      seeds: { type: 'string', default: '1,2' },
      concatenate: { type: 'boolean', default: false },
    },
  });
  const cub = await readCub(values.data);
  const [plain, zoomed] = [cub.features, await readZoomed(values.data)].map((matrix) =>
    toUnitRows(matrix.copy('float64')),
  );
  const looks: Record<string, () => Matrix> = {
    plain: () => plain,
    'zoom-mirror': () => zoomed,
    'mean of both': () => mean(plain, zoomed),
    ...(values.concatenate && { 'both beside each other': () => stackColumns(plain, zoomed) }),
  };
  const backend = await createBackend();
  const rows: string[][] = [];
  for (const [name, features] of Object.entries(looks)) {
    const sums = new Map<string, number>();
    const seeds = values.seeds.split(',').map(Number);
    for (const seed of seeds) {
      const { problem } = plantedCub({ ...cub, features: features() }, 'attributes', seed, {});
      const truth = problem.testLabels!;
      const score = (key: string, predicted: Int32Array) => {
        const right = predicted.filter((label, i) => label === truth[i]).length / truth.length;
        sums.set(key, (sums.get(key) ?? 0) + right / seeds.length);
        console.error(`${name}, seed ${seed}, ${key}: ${(100 * right).toFixed(1)}`);
      };
      for (const method of methods) {
        const fitted = await createMethod(findMethod(method)).fit(problem, { backend });
        score(method, fitted.predict(problem.testFeatures));
      }
      score('true means', await ceiling({ problem, truth }, backend));
    }
    rows.push([name, ...[...methods, 'true means'].map((key) => (100 * sums.get(key)!).toFixed(1))]);
  }
  console.log(markdownTable(['view', ...methods.map((name) => `\`${name}\``), 'means of the true labels'], rows));
}

function mean(a: Matrix<Float64Array>, b: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = a.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] += b.data[k];
  return toUnitRows(result);
}
