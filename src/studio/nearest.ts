/** The pictures whose features are most like those of another one, by the cosine. */
import { featureRows } from './feature-rows.js';

export interface Neighbour {
  id: string;
  category: string;
  likeness: number;
}

/** @param folder features of pictures, as an extraction leaves them */
export async function nearestPictures(
  folder: string,
  features: ArrayLike<number>,
  count: number,
  wanted: (id: string) => boolean = () => true,
): Promise<Neighbour[]> {
  let best: Neighbour[] = [];
  for await (const row of featureRows(folder, wanted)) {
    const likeness = cosine(features, row.features);
    if (best.length === count && likeness <= best[count - 1].likeness) continue;
    best = [...best, { id: row.id, category: row.category, likeness }]
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, count);
  }
  return best;
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    product += a[j] * b[j];
    ofA += a[j] * a[j];
    ofB += b[j] * b[j];
  }
  return product / (Math.sqrt(ofA * ofB) || 1);
}
