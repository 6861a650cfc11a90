/** Problems of the sizes at which the learner is measured, and the parameters it is measured with. */
import { type Matrix, Random } from 'bowerbird/linalg';
import { type GenerateOptions, generateProblem, type Problem } from 'bowerbird/problem';

export const parameters = { lambda1: 10, lambda2: 0.5, lambda3: 0.1, lambda4: 0.1, bound: 2.5 };

/** The paper's sizes for CUB. */
export function cubSizes(): Problem {
  return generateProblem({
    auxiliaryCategories: 150,
    testCategories: 50,
    dimensions: 4096,
    semanticDimensions: 800,
    auxiliaryPerCategory: 59,
    webPerCategory: 100,
    testPerCategory: 59,
    text: false,
    validation: false,
  });
}

/** A search on it fits problems of the paper's sizes for CUB: 150 auxiliary and 50 validation categories. */
export function cubSearch(): Problem {
  return generateProblem({
    auxiliaryCategories: 200,
    testCategories: 67,
    dimensions: 4096,
    semanticDimensions: 800,
    auxiliaryPerCategory: 59,
    webPerCategory: 100,
    testPerCategory: 1,
    text: false,
  });
}

/** 1024 dimensions, for measurements with very many web pictures. */
export function narrowSizes(options: Pick<GenerateOptions, 'testCategories' | 'webPerCategory' | 'dtype'>): Problem {
  return generateProblem({
    auxiliaryCategories: 150,
    dimensions: 1024,
    semanticDimensions: 300,
    auxiliaryPerCategory: 10,
    testPerCategory: 30,
    text: false,
    validation: false,
    ...options,
  });
}

/** Labels of so many pictures, equally many of each category. */
export function evenLabels(count: number, categories: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.floor((i * categories) / count));
}

/** Fills rows, the first of which is picture number `first`, with its category's row of `originals` and noise of its own. */
export function noisyCopies(originals: Matrix, labels: Int32Array): (rows: Matrix, first: number) => void {
  const noise = new Random(1).normalArray(1_000_003);
  return (rows, first) => {
    for (let i = 0; i < rows.rows; i++) {
      const source = originals.row(labels[first + i]);
      const row = rows.row(i);
      const from = ((first + i) * 7919) % (noise.length - rows.cols);
      for (let j = 0; j < rows.cols; j++) row[j] = source[j] + 0.02 * noise[from + j];
    }
  };
}
