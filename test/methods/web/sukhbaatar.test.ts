import { describe, expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { noiseObjective, Sukhbaatar } from '../../../src/methods/web/sukhbaatar.js';
import { SoftmaxLayer } from '../../../src/numerics/softmax.js';
import { noisyProblem } from './noisy-problem.js';

const backend = await createBackend({ threads: 1 });

describe('the noise layer', () => {
  it('has the gradient that finite differences give', () => {
    const random = new Random(9);
    const features = new Matrix(random.normalArray(20 * 4), 20, 4);
    const labels = Int32Array.from({ length: 20 }, () => random.integer(3));
    const layer = new SoftmaxLayer(backend, features, 3);
    const objective = noiseObjective(layer, labels, 0.3, 0.7);
    const point = random.normalArray(layer.parameterCount + 9);
    const [gradient, unused] = [new Float64Array(point.length), new Float64Array(point.length)];
    objective(point, gradient);
    for (let k = 0; k < point.length; k++) {
      const moved = (by: number) => {
        const copy = Float64Array.from(point);
        copy[k] += by;
        return objective(copy, unused);
      };
      expect(gradient[k]).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 5);
    }
    layer.release();
  });

  it('learns which category passes for which', async () => {
    const problem = noisyProblem({ seed: 3, kind: 'one-sided', wrong: 0.45, webPerCategory: 250 });
    const { confusion_ } = await new Sukhbaatar().fit(problem, { backend });
    // Wrong pictures labelled 2k show 2k + 1; none are labelled 2k + 1.
    for (let c = 0; c < 6; c += 2) {
      expect(confusion_!.at(c + 1, c)).toBeGreaterThan(0.15);
      expect(confusion_!.at(c, c + 1)).toBeLessThan(0.1);
    }
    for (let j = 0; j < 6; j++) expect(confusion_!.row(j).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 10);
  });

  it('learns that most labels of a category are wrong, where they are', async () => {
    const clean = noisyProblem({ seed: 4, kind: 'one-sided', wrong: 0, webPerCategory: 150 });
    const count = new Int32Array(6);
    // Seven in ten pictures of an odd category bear the label of its even neighbour.
    const webLabels = clean.webLabels.map((label) => (label % 2 === 1 && count[label]++ % 10 < 7 ? label - 1 : label));
    const { confusion_ } = await new Sukhbaatar().fit({ ...clean, webLabels }, { backend });
    for (let c = 1; c < 6; c += 2) {
      expect(confusion_!.at(c, c)).toBeLessThan(0.45);
      expect(confusion_!.at(c, c - 1)).toBeGreaterThan(0.5);
      expect(confusion_!.at(c - 1, c - 1)).toBeGreaterThan(0.8);
    }
  });
});
