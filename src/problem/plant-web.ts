/**
 * Web pictures with known noise out of labelled ones: for each listed category so many pictures are claimed to show it,
 * of which a share shows something else: half of the wrong ones one of the most similar listed categories, half a
 * category nobody listed. No picture is used twice.
 */
import { ArgumentError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import { Random } from '../linalg/index.js';
import type { WebKind } from './generate-pictures.js';

export interface PlantOptions {
  /** Pictures that may be used, by the category they show; what is left over serves elsewhere. */
  pools: readonly (readonly number[])[];
  /** Categories that web pictures are claimed to show, by their number among the pools. */
  listed: readonly number[];
  /** One vector for each pool, to tell which categories are similar. */
  vectors: Matrix;
  /** Web pictures of each listed category. */
  perCategory: number;
  /** Share of them that shows something else. */
  wrong: number;
  /** How many of the most similar listed categories a picture may be confused with. @default 4 */
  confusable?: number;
}

export interface PlantedPicture {
  /** From the pools. */
  readonly row: number;
  /** Position of the claimed category among the listed ones. */
  readonly claimed: number;
  readonly kind: WebKind;
}

/**
 * Pictures of one listed category after the other. Where pools run dry the clean pictures and the wrong ones of a
 * category are fewer in the same proportion.
 */
export function plantWeb(options: PlantOptions, seed: number): PlantedPicture[] {
  const { pools, listed, vectors, perCategory, wrong, confusable = 4 } = options;
  if (!(wrong >= 0 && wrong <= 1))
    throw new ArgumentError(`plantWeb: wrong is ${wrong}; it must be a share from 0 to 1`);
  const random = new Random(seed);
  const shuffled = <T>(values: readonly T[]) => Array.from(random.permutation(values.length), (k) => values[k]);
  const spare = pools.map((rows) => shuffled(rows));
  const isListed = new Set(listed);
  const unlisted = [...pools.keys()].filter((category) => !isListed.has(category));
  const wrongCount = Math.round(wrong * perCategory);
  const result: PlantedPicture[] = [];
  const wrongCounts = listed.map((category, claimed) => {
    const wanted = perCategory - wrongCount;
    const clean = spare[category].splice(0, wanted);
    for (const row of clean) result.push({ row, claimed, kind: 'clean' });
    return wanted > 0 ? Math.round((wrongCount * clean.length) / wanted) : wrongCount;
  });
  listed.forEach((category, claimed) => {
    const near = mostSimilar(vectors, category, listed).slice(0, confusable);
    for (let k = 0; k < wrongCounts[claimed]; k++) {
      const kind = k % 2 === 0 && near.length > 0 ? 'confused' : 'other';
      const row = shuffled(kind === 'confused' ? near : unlisted).find((source) => spare[source].length > 0);
      if (row !== undefined) result.push({ row: spare[row].pop()!, claimed, kind });
    }
  });
  return result.sort((a, b) => a.claimed - b.claimed);
}

/** The other candidates, those first whose vectors have the largest cosine with the category's own. */
function mostSimilar(vectors: Matrix, category: number, candidates: readonly number[]): number[] {
  const own = vectors.row(category);
  const cosine = (other: number) => {
    const row = vectors.row(other);
    let [dot, squares] = [0, 0];
    for (let j = 0; j < row.length; j++) {
      dot += row[j] * own[j];
      squares += row[j] * row[j];
    }
    return squares > 0 ? dot / Math.sqrt(squares) : 0;
  };
  const cosines = new Map(candidates.map((candidate) => [candidate, cosine(candidate)]));
  return candidates.filter((c) => c !== category).sort((a, b) => cosines.get(b)! - cosines.get(a)!);
}
