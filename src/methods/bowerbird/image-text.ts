/**
 * What an image-text model says directly. Its score of a picture x for a category is x·t_c, t_c the vector of the category's
 * name: a linear classifier. In the whitened space, where a picture is L⁻¹(x − centre), that is the classifier of categories
 * whose means lie along L't_c. So these, less their mean over the auxiliary categories, are a hint at the means, and how much
 * of it to believe is learnt from the means that are known (words.ts).
 */
import { Matrix } from '../../linalg/index.js';
import type { Problem } from '../../problem/index.js';
import { imageTextPair } from '../../problem/index.js';
import type { WhitenedSpace } from '../blocks/whitened-space.js';
import { centredVectors } from './words.js';

/** Auxiliary categories first; undefined where the problem has no features and names of one image-text model. */
export function imageTextHint(space: WhitenedSpace, problem: Problem): Matrix<Float64Array> | undefined {
  const pair = imageTextPair(problem);
  if (!pair) return undefined;
  const { auxiliary, test } = pair.text;
  const powered = (vectors: Matrix) => space.powered(vectors);
  const texts = centredVectors(powered(auxiliary), powered(test));
  const vectors = Matrix.zeros(texts.rows, space.auxiliaryCentre.length);
  vectors.view(0, texts.rows, pair.from, pair.to).copyFrom(texts);
  return space.carry(vectors);
}
