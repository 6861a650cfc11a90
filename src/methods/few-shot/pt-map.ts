/**
 * PT-MAP (Hu, Gripon and Pateux, "Leveraging the feature distribution in transfer-based few-shot learning", ICANN 2021): in every round
 * the test pictures are assigned to the centres by optimal transport, P = Sinkhorn scaling of exp(−λ ‖zⱼ − c‖²) with equal shares for
 * all categories, and each centre moves a step towards the mean of the web pictures of its label and the test pictures in
 * proportion to P: c ← c + step (mean − c). Equal shares leave no place for auxiliary categories among the answers. Deviations: the power is that of the space (there ½), pictures are whitened by auxiliary ones
 * in place of a reduction by QR, and λ is larger (there 10) because cosines of whitened pictures are smaller.
 */
import type { Matrix } from '../../linalg/index.js';
import { labelCounts, labelTargets, squaredDistances } from '../../numerics/index.js';
import { log, number, whole } from '../../parameters.js';
import { columnSums, memberSums } from './cosines.js';
import { type FewShotData, fewShotSpec } from './few-shot-method.js';
import { sinkhorn, withOffsets } from './sinkhorn.js';

export const ptMapSpec = fewShotSpec({
  name: 'pt-map',
  title: 'PT-MAP',
  setting: 'standard',
  citation:
    'Hu, Gripon and Pateux, Leveraging the feature distribution in transfer-based few-shot learning, ICANN 2021',
  parameters: {
    lambda: number('how sharply squared distances decide', 30, { above: 0, range: log(7.5, 120) }),
    step: number('how far centres move in a round', 0.2, { above: 0, most: 1, range: log(0.1, 1) }),
    rounds: whole('rounds of assigning and moving', 20),
  },
  learn: async (data, { lambda, step, rounds }) => {
    const { backend, test, signal, onRound } = data;
    const walk = new CentreWalk(data, lambda, step);
    for (let round = 0; round < rounds; round++) {
      signal?.throwIfAborted();
      walk.move();
      onRound(round + 1, rounds);
    }
    const scores = (pictures: Matrix<Float64Array>) => transportScores(backend, pictures, walk.centres, lambda);
    const last = scores(test);
    const { offsets } = sinkhorn(last);
    return { values: withOffsets(last, offsets), score: (pictures) => withOffsets(scores(pictures), offsets) };
  },
});

/** The centres and their rounds. */
export class CentreWalk {
  readonly centres: Matrix<Float64Array>;
  readonly #data: FewShotData;
  readonly #lambda: number;
  readonly #step: number;
  readonly #webSums: Matrix<Float64Array>;
  readonly #webCounts: Float64Array;

  constructor(data: FewShotData, lambda: number, step: number) {
    const { backend, support, labels, categories } = data;
    this.#data = data;
    this.#lambda = lambda;
    this.#step = step;
    this.#webSums = memberSums(backend, labelTargets(labels, categories), support);
    this.#webCounts = labelCounts(labels, categories);
    this.centres = this.#webSums.copy('float64');
    backend.scaleRows(
      this.centres,
      this.#webCounts.map((count) => 1 / count),
    );
  }

  /** Assigns the test pictures and moves every centre a step. */
  move(): Matrix<Float64Array> {
    const { backend, test } = this.#data;
    const { assignments } = sinkhorn(transportScores(backend, test, this.centres, this.#lambda));
    const targets = memberSums(backend, assignments, test, this.#webSums.copy('float64'));
    const masses = columnSums(assignments);
    backend.scaleRows(
      targets,
      masses.map((mass, c) => 1 / (mass + this.#webCounts[c])),
    );
    backend.axpby(this.centres, this.#step, targets, 1 - this.#step);
    return assignments;
  }
}

function transportScores(
  backend: FewShotData['backend'],
  pictures: Matrix<Float64Array>,
  centres: Matrix<Float64Array>,
  lambda: number,
): Matrix<Float64Array> {
  const result = squaredDistances(backend, pictures, centres);
  for (let k = 0; k < result.data.length; k++) result.data[k] *= -lambda;
  return result;
}
