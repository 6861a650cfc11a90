/** The categories' vectors in the space of the learnt semantics, as a saved model of the learner holds them. */
import { openSafetensors, toMatrix } from '../formats/index.js';
import type { Matrix } from '../linalg/matrix.js';

export interface CategoryVectors {
  names: readonly string[];
  vectors: Matrix;
}

/** Undefined where the model is of another kind. */
export async function readCategoryVectors(path: string): Promise<CategoryVectors | undefined> {
  const file = await openSafetensors(path);
  try {
    const { names } = file.metadata;
    if (names === undefined || !file.names.includes('candidates')) return undefined;
    const vectors = toMatrix(await file.read('candidates'), 'float64', { name: 'candidates', file: path });
    return { names: JSON.parse(names) as string[], vectors };
  } finally {
    await file.close();
  }
}
