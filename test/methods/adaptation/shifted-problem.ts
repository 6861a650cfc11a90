// Generated problems whose web and test pictures differ in one way each: what domain adaptation is for.
import { Matrix } from '../../../src/linalg/matrix.js';
import { Random } from '../../../src/linalg/random.js';
import type { Problem } from '../../../src/problem/problem.js';

/**
 * `selection`: most web pictures have a style in which categories look like other ones, all test pictures the rarer
 * style; `subspace`: test pictures lie in a turned subspace; `mean`: test pictures are moved far along a
 * direction that tells categories apart a little; `covariance`: test pictures are stretched along other features than web pictures.
 */
export type Shift = 'selection' | 'subspace' | 'mean' | 'covariance';

const [categories, dimensions, latent] = [5, 16, 4];

export function shiftedProblem(shift: Shift, seed: number): Problem {
  const random = new Random(seed);
  const normals = (count: number) => Array.from(random.normalArray(count));
  // Variances of the latent directions differ, so that principal components correspond between domains.
  const scales = [4, 2.6, 1.7, 1.1];
  const means = Array.from({ length: categories }, () => normals(latent).map((value, k) => scales[k] * value));
  const stretch = Array.from({ length: latent }, (_, k) => (k % 2 === 0 ? 0.3 : 3));

  const picture = (category: number, domain: 'web' | 'test'): number[] => {
    const rare = domain === 'test' || random.uniform() < 0.25;
    const shown = shift === 'selection' && !rare ? (category + 1) % categories : category;
    let z = means[shown].map((value, k) => value + 0.5 * scales[k] * random.normal());
    if (shift === 'mean' && domain === 'test') z = z.map((value, k) => value + (k === latent - 1 ? 8 : 0));
    if (shift === 'covariance' && domain === 'test') z = z.map((value, k) => value * stretch[k]);
    const x = normals(dimensions).map((value) => 0.2 * value);
    // A turn by 72 degrees from the first four features towards the next four.
    const angle = shift === 'subspace' && domain === 'test' ? 1.25 : 0;
    z.forEach((value, k) => {
      x[k] += Math.cos(angle) * value;
      x[latent + k] += Math.sin(angle) * value;
    });
    if (shift === 'selection') x[2 * latent] += rare ? 6 : -6;
    return x;
  };
  const set = (domain: 'web' | 'test', each: number) => {
    const labels = Int32Array.from({ length: categories * each }, (_, i) => Math.floor(i / each));
    return { labels, features: Matrix.from(Array.from(labels, (label) => picture(label, domain))) };
  };
  const [web, test] = [set('web', 60), set('test', 60)];
  const semantics = Matrix.from(means);
  return {
    auxiliaryFeatures: test.features.view(0, 2),
    auxiliaryLabels: Int32Array.of(0, 1),
    auxiliarySemantics: semantics.view(0, 2),
    auxiliaryNames: ['one', 'two'],
    webFeatures: web.features,
    webLabels: web.labels,
    testFeatures: test.features,
    testLabels: test.labels,
    testSemantics: semantics,
    testNames: means.map((_, c) => `category ${c}`),
    generalized: false,
  };
}
