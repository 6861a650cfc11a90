/**
 * The worlds of a rehearsal: plays (cast.ts) with their pictures placed and their web pictures learnt from, and folders drawn
 * from them.
 */
import type { Backend, Matrix } from '../../linalg/index.js';
import { Random } from '../../linalg/index.js';
import type { Problem } from '../../problem/index.js';
import { rowsWhere, selectIntegers, selectRows } from '../../problem/index.js';
import type { Features } from '../blocks/feature-rows.js';
import type { WhitenedSpace } from '../blocks/whitened-space.js';
import type { Cast, Play } from './cast.js';
import { type Ground, type GroundOptions, layGround, type Placed, place, placeSome, selectPlaced } from './ground.js';
import type { Judged } from './likelihood.js';
import type { BowerbirdSolver } from './solver.js';
import { leastCompany } from './strangers.js';
import { distances } from './vectors.js';

/** One split of the rehearsing categories. */
export interface Draft {
  readonly ground: Ground;
  readonly pictures: Placed<Matrix>;
  /** Among the candidates of this world, the listed ones first; −1 for strangers, which come last. */
  readonly truth: Int32Array;
  /** Auxiliary category of each picture. */
  readonly shown: Int32Array;
  /** 1 for web pictures that are right, where that is known. */
  readonly right?: Float64Array;
}

/** The same once its web pictures have been learnt from. */
export interface World extends Draft {
  readonly solver: BowerbirdSolver;
  readonly variance: number;
}

/** Pictures that several plays use are placed once. */
export async function draftsOf(
  problem: Problem,
  auxiliary: Features,
  stage: Problem,
  cast: Cast,
  plays: readonly Play[],
  backend: Backend,
  space: WhitenedSpace,
  options: GroundOptions,
): Promise<Draft[]> {
  const used = [
    ...new Set(plays.flatMap((play) => [...play.test, ...(cast.crawled ? [] : Array.from(play.web.rows))])),
  ];
  used.sort((a, b) => a - b);
  const places = new Map(used.map((row, k) => [row, k]));
  const all = await placeSome(space, auxiliary, Int32Array.from(used));
  const chosen = (rows: ArrayLike<number>) =>
    selectPlaced(
      backend,
      all,
      Int32Array.from(rows, (row) => places.get(row)!),
    );
  const crawled = cast.crawled ? place(space, problem.validationWeb!.features) : undefined;
  return plays.map(({ listed, web, test, truth }) => {
    const listing = {
      ...stage,
      webLabels: web.labels,
      webText: web.text,
      webVouched: undefined,
      testSemantics: selectRows(problem.auxiliarySemantics, listed),
    };
    const placedWeb = crawled ? selectPlaced(backend, crawled, web.rows) : chosen(web.rows);
    const ground = layGround(backend, space, listing, options, placedWeb);
    const shown = selectIntegers(problem.auxiliaryLabels, test);
    const right = web.right && Float64Array.from(ground.webOrder, (row) => web.right![row]);
    return { ground, pictures: chosen(test), truth, shown, ...(right && { right }) };
  });
}

export function asWorld(draft: Draft, solver: BowerbirdSolver): World {
  return { ...draft, solver, variance: ownVariance(solver, draft.pictures, draft.truth) };
}

/** Whether a picture with this truth shows a listed category. */
export const isListed = (truth: number, { categories }: BowerbirdSolver): boolean => truth >= 0 && truth < categories;

/** Variance of listed pictures about their own category's mean, per dimension. */
function ownVariance(solver: BowerbirdSolver, pictures: Placed, truth: Int32Array): number {
  const { backend, dimension, known } = solver.ground;
  const far = distances(backend, pictures, solver.means);
  let [sum, count] = [0, 0];
  for (let j = 0; j < truth.length; j++) {
    if (!isListed(truth[j], solver)) continue;
    sum += far.at(j, truth[j]) / dimension + solver.meanVariances[truth[j]];
    count++;
  }
  return Math.max(sum / Math.max(1, count), known.within);
}

/** Scores of the listed pictures at sharpness 1. */
export function unitScores({ solver, pictures, truth, variance }: World): Judged {
  const { backend } = solver.ground;
  const listed = rowsWhere(truth.length, (j) => isListed(truth[j], solver));
  const left = solver.meanVariances.reduce((sum, value) => sum + value, 0) / solver.meanVariances.length;
  const scores = distances(backend, selectPlaced(backend, pictures, listed), solver.means).copy('float64');
  for (let k = 0; k < scores.data.length; k++) scores.data[k] *= -0.5 / (variance + left);
  return { scores, labels: selectIntegers(truth, listed) };
}

/**
 * Rows of a folder of pictures of candidates whose counts are spread as the given ones are.
 * @param listed number of listed categories among those counted, which have the first counts; the others are known ones
 */
export function likeFolder(
  { truth, solver }: World,
  counts: Float64Array,
  pictures: number,
  split: number,
  listed = counts.length,
): Int32Array {
  const random = new Random(71 + split);
  const candidates = truth.reduce((most, label) => Math.max(most, label + 1), solver.categories);
  const byCategory: number[][] = Array.from({ length: candidates }, () => []);
  for (let j = 0; j < truth.length; j++) if (truth[j] >= 0) byCategory[truth[j]].push(j);
  // Of the known categories only some have pictures here.
  const kinds = [
    { own: byCategory.slice(0, solver.categories), like: counts.subarray(0, listed) },
    { own: byCategory.slice(solver.categories).filter((rows) => rows.length > 0), like: counts.subarray(listed) },
  ];
  const all = sum(counts);
  const shared = kinds.flatMap(({ own, like }) => {
    if (own.length === 0 || !(sum(like) > 0)) return [];
    const wanted = spreadLike(like, own.length);
    const [total, part] = [sum(wanted), sum(like) / all];
    return Array.from(random.permutation(own.length), (c, k) => ({ rows: own[c], share: (wanted[k] / total) * part }));
  });
  let scale = Math.max(leastCompany, pictures);
  for (const { rows, share } of shared) if (share > 0.02) scale = Math.min(scale, rows.length / share);
  const chosen = shared.flatMap(({ rows, share }) => {
    const count = Math.min(rows.length, Math.round(share * scale));
    return Array.from(random.choice(rows.length, count), (place) => rows[place]);
  });
  return Int32Array.from(chosen).sort();
}

/** So many counts that are spread as the given ones, from the largest on: those at the same places of a list of another length. */
function spreadLike(counts: Float64Array, length: number): Float64Array {
  const sorted = Float64Array.from(counts).sort().reverse();
  return Float64Array.from({ length }, (_, k) =>
    k === 0 ? sorted[0] : sorted[Math.min(sorted.length - 1, Math.floor((k * sorted.length) / length))],
  );
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

/** The parts of the listed and the strange categories that occur in a folder. */
export interface Occurring {
  readonly listed: number;
  readonly strange: number;
}

export const allOccur: Occurring = { listed: 1, strange: 1 };
export const fewOccur: Occurring = { listed: 0.2, strange: 0.5 };

/** Rows of a folder with this share of strangers; undefined where there are none, or that is no company. */
export function folderWith(
  { truth, shown }: World,
  share: number,
  occurring: Occurring,
  split: number,
): Int32Array | undefined {
  const random = new Random(500 + split);
  const some = (strange: boolean, part: number, least: number) => {
    const categories = [...new Set(shown.filter((_, j) => truth[j] < 0 === strange))];
    const count = Math.min(categories.length, Math.max(least, Math.round(part * categories.length)));
    const kept = new Set(Array.from(random.choice(categories.length, count), (k) => categories[k]));
    return Array.from(rowsWhere(truth.length, (j) => truth[j] < 0 === strange && kept.has(shown[j])));
  };
  const listed = some(false, occurring.listed, 2);
  const others = some(true, occurring.strange, 1);
  const count = Math.min(others.length, Math.round((listed.length * share) / (1 - share)));
  const strange = Array.from(random.choice(others.length, count), (k) => others[k]);
  return count > 0 && listed.length + count >= leastCompany ? Int32Array.from([...listed, ...strange]) : undefined;
}
