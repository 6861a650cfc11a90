/**
 * What a user's folder may look like: which of a problem's test pictures it holds, and how many pictures in it show no
 * listed category. Everything here is a pure function of the problem and a seed.
 */
import { ArgumentError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import { Random } from '../linalg/index.js';
import { candidateNames, type Problem } from './problem.js';
import { selectIntegers, selectRows, stackRows } from './rows.js';
import { keepTest, keepWeb, rowsByCategory } from './subset.js';

/** How the pictures of a folder are shared out among the candidates. */
export type Shares =
  /** All test pictures. */
  | { readonly kind: 'all' }
  /** In random order k = 0…C−1 the categories keep a share smallest^(k/(C−1)) of their pictures, at least one. */
  | { readonly kind: 'long-tail'; readonly smallest: number }
  /** All pictures of a share of the categories, at least `least` of them. */
  | { readonly kind: 'some-categories'; readonly share: number; readonly least: number }
  /** Shares drawn from a Dirichlet distribution; the largest category keeps all its pictures. */
  | { readonly kind: 'dirichlet'; readonly concentration: number }
  /** So many pictures in all. */
  | { readonly kind: 'pictures'; readonly count: number };

export const sharesByName = {
  equal: { kind: 'all' },
  'long-tail': { kind: 'long-tail', smallest: 0.05 },
  fifth: { kind: 'some-categories', share: 0.2, least: 1 },
  'six-percent': { kind: 'some-categories', share: 0.06, least: 2 },
  'one-category': { kind: 'some-categories', share: 0, least: 1 },
  'dirichlet-1': { kind: 'dirichlet', concentration: 1 },
  'dirichlet-0.1': { kind: 'dirichlet', concentration: 0.1 },
  'one-picture': { kind: 'pictures', count: 1 },
  'five-pictures': { kind: 'pictures', count: 5 },
} as const satisfies Record<string, Shares>;

export interface FolderOptions {
  /** @default all test pictures */
  shares?: Shares;
  /** Features of pictures that show no candidate, to draw from. */
  strangers?: Matrix;
  /** Share of the folder that strangers make up, from 0 to below 1. @default 0 */
  strangerShare?: number;
}

/** A problem whose test pictures are a folder, and what these show. */
export interface Folder {
  /** Without test labels: some pictures have none to give. */
  readonly problem: Problem;
  /** Category of each test picture; −1 for one that shows no candidate. */
  readonly truth: Int32Array;
}

/**
 * The problem with a folder of this kind for its test pictures. Listed pictures come first, in their old order. Where the
 * strangers do not suffice for their share, listed pictures are left out at random.
 *
 * @example
 * const { problem: folder, truth } = drawFolder(problem, { shares: sharesByName['long-tail'] }, 1);
 */
export function drawFolder(problem: Problem, options: FolderOptions, seed: number): Folder {
  const { shares = sharesByName.equal, strangers, strangerShare = 0 } = options;
  if (!problem.testLabels) throw new ArgumentError('drawFolder: the problem needs test labels');
  if (!(strangerShare >= 0 && strangerShare < 1))
    throw new ArgumentError(`drawFolder: strangerShare is ${strangerShare}; it must be at least 0 and below 1`);
  const random = new Random(seed);
  let listed = drawRows(problem.testLabels, candidateNames(problem).length, shares, random.fork(1));
  if (strangerShare === 0) return withoutLabels(keepTest(problem, listed), selectIntegers(problem.testLabels, listed));
  if (!strangers || strangers.rows === 0)
    throw new ArgumentError('drawFolder: strangers were asked for and none are given', 'Give features of strangers.');
  const most = Math.max(1, Math.floor((strangers.rows * (1 - strangerShare)) / strangerShare));
  if (listed.length > most) {
    const all = listed;
    listed = random
      .fork(2)
      .choice(all.length, most)
      .map((k) => all[k])
      .sort();
  }
  const wanted = Math.max(1, Math.round((listed.length * strangerShare) / (1 - strangerShare)));
  const chosen = random.fork(3).choice(strangers.rows, Math.min(wanted, strangers.rows));
  const kept = keepTest(problem, listed);
  const truth = new Int32Array(listed.length + chosen.length).fill(-1);
  truth.set(kept.testLabels!);
  return withoutLabels({ ...kept, testFeatures: stackRows(kept.testFeatures, selectRows(strangers, chosen)) }, truth);
}

/** The rows of a folder with these shares, ascending. */
export function drawRows(labels: Int32Array, categories: number, shares: Shares, random: Random): Int32Array {
  if (shares.kind === 'pictures') return random.choice(labels.length, Math.min(shares.count, labels.length)).sort();
  const present = rowsByCategory(labels, categories).filter((rows) => rows.length > 0);
  const kept = keptShares(present.length, shares, random);
  const rows = present.flatMap((own, c) => {
    if (kept[c] === 1) return own;
    const least = shares.kind === 'long-tail' ? 1 : 0;
    const count = Math.max(least, Math.round(kept[c] * own.length));
    return Array.from(random.choice(own.length, count), (k) => own[k]);
  });
  return Int32Array.from(rows).sort();
}

/** Which share of its pictures each of the categories keeps; one of them keeps all. */
function keptShares(categories: number, shares: Exclude<Shares, { kind: 'pictures' }>, random: Random): Float64Array {
  const kept = new Float64Array(categories);
  switch (shares.kind) {
    case 'all':
      return kept.fill(1);
    case 'long-tail':
      random.permutation(categories).forEach((category, k) => {
        kept[category] = shares.smallest ** (k / Math.max(1, categories - 1));
      });
      return kept;
    case 'some-categories': {
      const count = Math.min(categories, Math.max(shares.least, Math.round(shares.share * categories)));
      for (const category of random.choice(categories, count)) kept[category] = 1;
      return kept;
    }
    case 'dirichlet': {
      const logarithms = kept.map(() => logGamma(shares.concentration, random));
      const largest = logarithms.reduce((most, value) => Math.max(most, value));
      return logarithms.map((value) => Math.exp(value - largest));
    }
  }
}

/**
 * The logarithm of a gamma variable of this shape (Marsaglia and Tsang, "A simple method for generating gamma variables",
 * ACM TOMS 2000); shapes below one through G(a) = G(a + 1) U^(1/a), in logarithms because small shapes underflow.
 */
function logGamma(shape: number, random: Random): number {
  if (!(shape > 0)) throw new ArgumentError(`a Dirichlet concentration is ${shape}; it must be above 0`);
  if (shape < 1) return logGamma(shape + 1, random) + Math.log(1 - random.uniform()) / shape;
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.uniform()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return Math.log(d * v);
  }
}

/**
 * So many web pictures of every category, this share of them wrong, chosen by the known truth about them (`webKinds`). A
 * category with too few pictures of one kind keeps the share and has fewer in all.
 */
export function withWrongShare(problem: Problem, share: number, perCategory: number, seed: number): Problem {
  const { webKinds, webLabels } = problem;
  if (!webKinds) throw new ArgumentError('withWrongShare: the problem does not say which web pictures are wrong');
  const wrong = Math.round(share * perCategory);
  const rows = rowsByCategory(webLabels, problem.testNames.length).flatMap((own, category) => {
    const order = Array.from(new Random(seed, category).permutation(own.length), (k) => own[k]);
    const clean = order.filter((i) => webKinds[i] === 'clean');
    const other = order.filter((i) => webKinds[i] !== 'clean');
    const size = Math.min(
      1,
      wrong < perCategory ? clean.length / (perCategory - wrong) : 1,
      wrong > 0 ? other.length / wrong : 1,
    );
    return [...clean.slice(0, Math.round(size * (perCategory - wrong))), ...other.slice(0, Math.round(size * wrong))];
  });
  return keepWeb(problem, Int32Array.from(rows).sort());
}

function withoutLabels({ testLabels: _, testKnown: _known, ...problem }: Problem, truth: Int32Array): Folder {
  return { problem, truth };
}
