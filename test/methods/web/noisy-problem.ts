// Generated problems that bring out one kind of label noise at a time: Gaussian categories of unit-length pictures.
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import { normalize } from '../../../src/problem/normalize.js';
import type { Problem } from '../../../src/problem/problem.js';

export interface NoisyOptions {
  seed: number;
  /**
   * `confused`: wrong pictures show the one category whose semantic vector is nearest; `one-sided`: the same, in every
   * second category only; `random`: wrong pictures show any other category;
   * `clusters`: wrong pictures of a category all show the same thing, which is no category at all.
   */
  kind: 'confused' | 'one-sided' | 'random' | 'clusters';
  /** Share of wrong web pictures. */
  wrong: number;
  categories?: number;
  webPerCategory?: number;
  dimensions?: number;
  /** Deviation of a picture around its category's mean; means are drawn with deviation 1. */
  spread?: number;
}

/** Categories 2k and 2k + 1 look alike a little and have similar semantic vectors; text names what is really shown. */
export function noisyProblem(options: NoisyOptions): Problem {
  const { seed, kind, wrong, categories = 6, webPerCategory = 60, dimensions = 20, spread = 1.2 } = options;
  const random = new Random(seed);
  const draw = () => Array.from(random.normalArray(dimensions));
  const pairs = Array.from({ length: Math.ceil(categories / 2) }, draw);
  const means = Array.from({ length: categories }, (_, c) => draw().map((v, j) => 0.8 * v + 0.6 * pairs[c >> 1][j]));
  const strangers = Array.from({ length: categories }, draw);
  const picture = (mean: number[]) => mean.map((value) => value + spread * random.normal());
  const web: number[][] = [];
  const labels: number[] = [];
  const shown: number[] = [];
  for (let c = 0; c < categories; c++)
    for (let i = 0; i < webPerCategory; i++) {
      const right = i >= Math.round(wrong * webPerCategory) || (kind === 'one-sided' && c % 2 === 1);
      const other =
        kind === 'confused' || kind === 'one-sided' ? c ^ 1 : (c + 1 + random.integer(categories - 1)) % categories;
      shown.push(right ? c : kind === 'clusters' ? categories + c : other);
      labels.push(c);
      web.push(picture(shown[shown.length - 1] < categories ? means[shown[shown.length - 1]] : strangers[c]));
    }
  const test = Array.from({ length: categories * 40 }, (_, i) => picture(means[Math.floor(i / 40)]));
  const words = Matrix.from(shown.map((s) => Array.from({ length: 2 * categories }, (_, w) => (w === s ? 1 : 0))));
  const semantics = means.map((_, c) =>
    Array.from({ length: 4 + categories }, (_, j) => (j === c >> 1 ? 2 : j === 4 + c ? 1 : 0)),
  );
  return normalize({
    auxiliaryFeatures: Matrix.from(test.slice(0, 2)),
    auxiliaryLabels: Int32Array.of(0, 1),
    auxiliarySemantics: Matrix.from(semantics.slice(0, 2)),
    auxiliaryNames: ['one', 'two'],
    webFeatures: Matrix.from(web),
    webLabels: Int32Array.from(labels),
    webText: words,
    webKinds: shown.map((s, i) => (s === labels[i] ? 'clean' : kind)),
    testFeatures: Matrix.from(test),
    testLabels: Int32Array.from(test, (_, i) => Math.floor(i / 40)),
    testSemantics: Matrix.from(semantics),
    testNames: means.map((_, c) => `category ${c}`),
    generalized: false,
  });
}
