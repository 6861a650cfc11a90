/**
 * Who plays what in a rehearsal: some auxiliary categories play the listed ones, some strangers, the others are the audience,
 * from which the space is learnt. Web pictures are those that were crawled for auxiliary categories where there are any,
 * else planted ones with a known share of wrong pictures.
 */
import { type Backend, type Matrix, Random } from '../../linalg/index.js';
import { type Problem, plantWeb, rowsWhere, selectIntegers, selectRows } from '../../problem/index.js';
import { contentOrderOf, type Features } from '../blocks/feature-rows.js';

/** Fewer auxiliary categories than these cannot play all parts. */
const leastCategories = 6;
/** Shares of strangers in the plays, and the number of auxiliary pictures above which two large plays teach enough. */
const strangerShares = [0.3, 0.6, 0.45];
const manyPictures = 10_000;
/** Share of wrong web pictures where they are planted, unless more are asked for. */
export const plantedWrong = 0.35;
/** Pictures of a play: more would not change the second digit of anything learnt. */
const mostListed = 700;
const mostStrange = 500;
/** Web pictures of a play where they are planted, but for so many of each category that means can be made of them. */
const mostPlanted = 2000;
const enoughPlanted = 20;

/** Who plays what: `audience` makes the space, `players` play listed categories and strangers. */
export interface Cast {
  readonly audience: number[];
  readonly players: number[];
  /** Rows of each auxiliary category, in an order that does not depend on how the problem is written down. */
  readonly rows: number[][];
  /** Those of the players that can play listed categories. */
  readonly able: number[];
  /** The players' web pictures are real ones. */
  readonly crawled: boolean;
  /**
   * Where known categories are candidates: rows of each of the audience that are in the folders and not in the space, as
   * pictures of known categories are in a real folder. Else none.
   */
  readonly known: number[][];
}

/** One of so many pictures of a known category that plays is in the folders. */
const onePlays = 3;

/**
 * How many of the able players are listed. Where known categories are in the folders too, fewer are, so that strangers
 * are not shown more often than others: pictures of what is shown often have closer neighbours.
 */
function listedCount(players: number, able: number, generalized: boolean): number {
  const part = able < players ? 0.85 : generalized ? 0.5 : 0.7;
  return Math.max(2, Math.round(part * able));
}

/**
 * @param auxiliary the auxiliary features, where the problem does not have them
 * @param backend whose threads scale what is read of them
 */
export async function castOf(
  problem: Problem,
  auxiliary: Features = problem.auxiliaryFeatures,
  backend?: Backend,
): Promise<Cast | undefined> {
  const { auxiliaryLabels, auxiliaryNames, validationWeb, generalized } = problem;
  const rows: number[][] = Array.from(auxiliaryNames, () => []);
  const order: number[] = [];
  for (const row of await contentOrderOf(auxiliary, auxiliaryLabels, backend)) {
    const category = auxiliaryLabels[row];
    if (rows[category].length === 0) order.push(category);
    rows[category].push(row);
  }
  const able = order.filter((category) => rows[category].length >= 4);
  if (able.length < leastCategories) return undefined;
  const counts = new Int32Array(auxiliaryNames.length);
  for (const label of validationWeb?.labels ?? []) counts[label]++;
  const crawled = able.filter((category) => counts[category] >= 3);
  const shuffled = (values: number[]) => Array.from(new Random(1).permutation(values.length), (k) => values[k]);
  const others = shuffled(able.filter((c) => !crawled.includes(c)));
  const castWith = (players: number[], some: Pick<Cast, 'able' | 'crawled'>): Cast => {
    const audience = order.filter((category) => !players.includes(category));
    const listed = listedCount(players.length, some.able.length, generalized);
    const plays = (k: number) => generalized && k < listed;
    const known = audience.map((category, k) =>
      plays(k) ? rows[category].filter((_, place) => place % onePlays === onePlays - 1) : [],
    );
    return { ...some, players, audience, rows, known };
  };
  if (crawled.length >= leastCategories && order.length - crawled.length >= leastCategories / 2) {
    // Strangers need no web pictures.
    const strange = others.slice(0, Math.min(Math.round(crawled.length / 2), Math.floor(others.length / 3)));
    return castWith([...crawled, ...strange], { able: crawled, crawled: true });
  }
  const players = shuffled(able).slice(0, Math.max(4, Math.round(0.45 * able.length)));
  const cast = castWith(players, { able: players, crawled: false });
  return cast.audience.some((category) => rows[category].length > 1) ? cast : undefined;
}

/** The problem's auxiliary labels, −1 for pictures that the space is not made from although their category is known. */
export function labelsForSpace({ auxiliaryLabels }: Problem, { known }: Cast): Int32Array {
  const labels = auxiliaryLabels.slice();
  for (const row of known.flat()) labels[row] = -1;
  return labels;
}

/** One play: which categories are listed, their web pictures, and the folder to be classified. */
export interface Play {
  /** Auxiliary categories that play the listed ones. */
  readonly listed: readonly number[];
  readonly web: PlayedWeb;
  /** Auxiliary pictures. */
  readonly test: readonly number[];
  /** Among the listed ones and, where they are candidates, the audience after them; −1 for strangers, which come last. */
  readonly truth: Int32Array;
}

export interface PlayedWeb {
  /** Rows of the auxiliary pictures or, for crawled ones, of the validation web pictures. */
  readonly rows: ArrayLike<number>;
  readonly labels: Int32Array;
  readonly text?: Matrix;
  /** 1 for web pictures that are right, where that is known. */
  readonly right?: Float64Array;
}

/** @param wrong share of wrong web pictures where they are planted */
export function playsOf(problem: Problem, cast: Cast, wrong: number): Play[] {
  const plays = problem.auxiliaryLabels.length > manyPictures ? 2 : strangerShares.length;
  return strangerShares.slice(0, plays).flatMap((_, split) => playOf(problem, cast, split, wrong) ?? []);
}

function playOf(problem: Problem, cast: Cast, split: number, wrong: number): Play | undefined {
  const random = new Random(11 + split);
  const shuffled = <T>(values: readonly T[]) => Array.from(random.permutation(values.length), (k) => values[k]);
  const count = listedCount(cast.players.length, cast.able.length, problem.generalized);
  const listed = shuffled(cast.able).slice(0, count);
  const strange = cast.players.filter((category) => !listed.includes(category));
  const web = cast.crawled ? crawledWeb(problem, listed) : plantedWeb(problem, cast, listed, wrong, split);
  if (!web) return undefined;
  const used = new Set(cast.crawled ? [] : Array.from(web.rows));
  const free = (rows: readonly number[]) =>
    rows.filter((row) => !used.has(row) && problem.validationWeb?.auxiliaryUsed?.[row] !== 1);
  const candidates = [...listed.map((category) => cast.rows[category]), ...cast.known];
  const own = shuffled(candidates.flatMap((rows, label) => free(rows).map((row) => ({ row, label }))));
  const others = shuffled(strange.flatMap((category) => free(cast.rows[category])));
  const share = strangerShares[split];
  let kept = own.slice(0, mostListed);
  let foreign = others.slice(0, Math.min(mostStrange, Math.round((kept.length * share) / (1 - share))));
  if (foreign.length * (1 - share) < kept.length * share)
    kept = kept.slice(0, Math.max(10, Math.round((foreign.length * (1 - share)) / share)));
  if (kept.length < 4) return undefined;
  foreign = foreign.slice(0, mostStrange);
  return {
    listed,
    web,
    test: [...kept.map(({ row }) => row), ...foreign],
    truth: Int32Array.from([...kept.map(({ label }) => label), ...foreign.map(() => -1)]),
  };
}

/** The first of the crawled pictures, as many as the listed categories have, with text if those have text. */
function crawledWeb(problem: Problem, listed: number[]): PlayedWeb {
  const { labels } = problem.validationWeb!;
  const text = problem.webText && problem.validationWeb!.text;
  const most = typicalCount(problem);
  const taken = new Map<number, number>();
  const rows = rowsWhere(labels.length, (i) => {
    const count = taken.get(labels[i]) ?? 0;
    taken.set(labels[i], count + 1);
    return count < most && listed.includes(labels[i]);
  });
  return {
    rows,
    labels: selectIntegers(labels, rows).map((label) => listed.indexOf(label)),
    ...(text && { text: selectRows(text, rows) }),
  };
}

/** Web pictures that a listed category usually has. */
function typicalCount({ webLabels, testNames }: Problem): number {
  return Math.max(3, Math.round(webLabels.length / Math.max(1, testNames.length)) || 10);
}

function plantedWeb(
  problem: Problem,
  cast: Cast,
  listed: number[],
  wrong: number,
  split: number,
): PlayedWeb | undefined {
  const smallest = Math.min(...listed.map((category) => cast.rows[category].length));
  const perCategory = Math.min(
    typicalCount(problem),
    Math.max(3, Math.floor((0.5 * smallest) / (1 - wrong))),
    Math.max(enoughPlanted, Math.floor(mostPlanted / listed.length)),
  );
  const everyone = [...listed, ...cast.players.filter((c) => !listed.includes(c)), ...cast.audience];
  const planted = plantWeb(
    {
      // Half of a listed category's pictures stay for the test.
      pools: everyone.map((category) => cast.rows[category].slice(0, Math.ceil(cast.rows[category].length / 2))),
      listed: listed.map((_, k) => k),
      vectors: selectRows(problem.auxiliarySemantics, everyone),
      perCategory,
      wrong,
    },
    31 + split,
  );
  if (planted.length === 0) return undefined;
  return {
    rows: planted.map(({ row }) => row),
    labels: Int32Array.from(planted, ({ claimed }) => claimed),
    right: Float64Array.from(planted, ({ kind }) => (kind === 'clean' ? 1 : 0)),
  };
}
