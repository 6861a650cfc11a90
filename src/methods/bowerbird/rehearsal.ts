/**
 * Rehearsals. Some auxiliary categories play the listed ones and some play strangers; the space is learnt from the others
 * alone. Web pictures are those that were crawled for auxiliary categories where there are any, else planted ones with a
 * known share of wrong pictures. Since everything is known here, it can be learnt how sharply distances decide, how far a
 * web picture's evidence is to be believed, what gives a stranger away, and how sure an answer may be.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix, Random } from '../../linalg/index.js';
import { contentOrder } from '../../numerics/index.js';
import type { Problem } from '../../problem/index.js';
import {
  keepValidationWeb,
  plantWeb,
  restrictToCategories,
  rowsWhere,
  selectIntegers,
  selectRows,
} from '../../problem/index.js';
import { WhitenedSpace } from '../blocks/whitened-space.js';
import { type Ground, type GroundOptions, layGround, type Placed, place } from './ground.js';
import { type Judged, likeliestFactor } from './likelihood.js';
import { fitLogistic } from './logistic.js';
import { Neighbours } from './neighbours.js';
import { settle } from './settle.js';
import { BowerbirdSolver, type SolverOptions } from './solver.js';
import {
  leastCompany,
  lonelyRows,
  type Seen,
  type StrangerModel,
  strangerFeatures,
  teachDetector,
} from './strangers.js';
import type { TestSide } from './test-state.js';
import { distances } from './vectors.js';

export interface RehearsalOptions extends GroundOptions {
  power: number;
  shrinkage: number;
  tails: number;
  neighbours: number;
  neighbourWeight: number;
  textWeight: number;
}

/** One split of the rehearsing categories. */
interface Draft {
  readonly ground: Ground;
  readonly pictures: Placed;
  /** Among the listed ones of this world; −1 for strangers, which come last. */
  readonly truth: Int32Array;
  /** 1 for web pictures that are right, where that is known. */
  readonly right?: Float64Array;
}

/** The same once its web pictures have been learnt from. */
interface World extends Draft {
  readonly solver: BowerbirdSolver;
  readonly variance: number;
}

/** How sure answers may be: the factor of decisions, and the number of pictures it was learnt from. */
export interface Sureness {
  readonly factor: number;
  readonly seen: number;
}

/** Fewer auxiliary categories than these cannot play all parts. */
const leastCategories = 6;
/** Shares of strangers in the splits. */
const strangerShares = [0.3, 0.6, 0.45];
const plantedWrong = 0.35;
/** Pictures of a split: more would not change the second digit of anything learnt. */
const mostListed = 700;
const mostStrange = 500;

export class Rehearsal {
  /** β */
  readonly sharpness: number;
  /** Variance of a picture about its category's mean, over what the auxiliary pictures of the space show. */
  readonly spread: number;
  readonly evidence: { slope: number; intercept: number };
  readonly strangers: StrangerModel;
  readonly #worlds: readonly World[];
  readonly #options: RehearsalOptions;
  readonly #backend: Backend;

  private constructor(
    backend: Backend,
    options: RehearsalOptions,
    worlds: readonly World[],
    learnt: Pick<Rehearsal, 'sharpness' | 'spread' | 'evidence' | 'strangers'>,
  ) {
    this.#backend = backend;
    this.#options = options;
    this.#worlds = worlds;
    this.sharpness = learnt.sharpness;
    this.spread = learnt.spread;
    this.evidence = learnt.evidence;
    this.strangers = learnt.strangers;
  }

  /** Undefined where there are too few auxiliary categories, or too few pictures of them, to rehearse with. */
  static async hold(
    problem: Problem,
    backend: Backend,
    options: RehearsalOptions,
    pause: () => Promise<void>,
  ): Promise<Rehearsal | undefined> {
    const cast = castOf(problem);
    if (!cast) return undefined;
    const stage = restrictToCategories(
      { ...problem, testLabels: undefined, validationWeb: undefined },
      { auxiliary: cast.audience },
    );
    const space = await WhitenedSpace.learn(stage, backend, options);
    await pause();
    const plays: Play[] = [];
    for (let split = 0; split < strangerShares.length; split++) {
      const play = playOf(problem, cast, split);
      if (play) plays.push(play);
    }
    if (plays.length === 0) return undefined;
    const drafts: Draft[] = [];
    for (const play of plays) {
      const ground = layGround(backend, space, { ...stage, ...play.problem }, options);
      drafts.push({ ...play, ground, pictures: place(backend, space, play.test) });
      await pause();
    }
    // How sharply distances decide and how far evidence is believed depend on each other: from all web pictures trusted
    // alike in a few passes to both.
    const decide = () => likeliestFactor(worlds.map(unitScores), 1e-3, 4);
    let evidence = { slope: 1, intercept: 0 };
    let worlds: World[] = drafts.map((draft) =>
      asWorld(draft, new BowerbirdSolver(draft.ground, solverOptions(options, 1, evidence))),
    );
    for (let pass = 0; pass < 3; pass++) {
      const sharpness = decide();
      worlds = [];
      for (const draft of drafts) {
        const solver = new BowerbirdSolver(draft.ground, solverOptions(options, sharpness, evidence));
        solver.learnFromWeb();
        worlds.push(asWorld(draft, solver));
        await pause();
      }
      if (pass < 2) evidence = learnEvidence(worlds);
    }
    const sharpness = decide();
    const spread = worlds.reduce((sum, world) => sum + world.variance, 0) / worlds.length / space.within;
    const strangers = learnStrangers(backend, worlds, options);
    await pause();
    return new Rehearsal(backend, options, worlds, { sharpness, spread, evidence, strangers });
  }

  /**
   * The factor that makes decisions of a folder with such shares, settled with this sharpness, as sure as they are right.
   * @param shares of the listed categories, in any order
   */
  async confidence(
    shares: Float64Array,
    pictures: number,
    options: SolverOptions,
    rounds: number,
    pause: () => Promise<void>,
  ): Promise<Sureness> {
    const judged: Judged[] = [];
    for (const [k, world] of this.#worlds.entries()) {
      const rows = likeFolder(world, shares, pictures, k);
      if (rows.length < 2) continue;
      const chosen = selectPlaced(world.pictures, rows);
      const side: TestSide = {
        pictures: chosen,
        neighbours: new Neighbours(this.#backend, chosen, this.#options.neighbours),
        neighbourWeight: this.#options.neighbourWeight,
        generalized: false,
        shares: 'unknown',
        variance: world.variance,
      };
      const start = new BowerbirdSolver(world.ground, options);
      start.learnFromWeb();
      const { state } = await settle(start, side, rounds, pause);
      judged.push({ scores: state.decisions, labels: selectIntegers(world.truth, rows) });
    }
    const seen = judged.reduce((sum, { labels }) => sum + labels.length, 0);
    return { factor: seen === 0 ? 0.5 : likeliestFactor(judged, 0.05, 2), seen };
  }
}

function solverOptions(
  { tails, textWeight }: RehearsalOptions,
  sharpness: number,
  evidence: SolverOptions['evidence'],
): SolverOptions {
  return { sharpness, tails, textWeight, evidence };
}

function asWorld(draft: Draft, solver: BowerbirdSolver): World {
  if (solver.means === draft.ground.prior.means) solver.updateMeans();
  return { ...draft, solver, variance: ownVariance(solver, draft.pictures, draft.truth) };
}

/** Who plays what: `audience` makes the space, `players` play listed categories and strangers. */
interface Cast {
  readonly audience: number[];
  readonly players: number[];
  /** Rows of each auxiliary category, in an order that does not depend on how the problem is written down. */
  readonly rows: number[][];
  /** The players' web pictures are real ones. */
  readonly crawled: boolean;
}

function castOf(problem: Problem): Cast | undefined {
  const { auxiliaryFeatures, auxiliaryLabels, auxiliaryNames, validationWeb } = problem;
  const rows: number[][] = Array.from(auxiliaryNames, () => []);
  const order: number[] = [];
  for (const row of contentOrder(auxiliaryFeatures, auxiliaryLabels)) {
    const category = auxiliaryLabels[row];
    if (rows[category].length === 0) order.push(category);
    rows[category].push(row);
  }
  const able = order.filter((category) => rows[category].length >= 4);
  if (able.length < leastCategories) return undefined;
  const counts = new Int32Array(auxiliaryNames.length);
  for (const label of validationWeb?.labels ?? []) counts[label]++;
  const crawled = able.filter((category) => counts[category] >= 3);
  if (crawled.length >= leastCategories && order.length - crawled.length >= leastCategories / 2)
    return { players: crawled, audience: order.filter((c) => !crawled.includes(c)), rows, crawled: true };
  const shuffled = Array.from(new Random(1).permutation(able.length), (k) => able[k]);
  const players = shuffled.slice(0, Math.max(4, Math.round(able.length / 3)));
  const audience = order.filter((category) => !players.includes(category));
  return audience.some((category) => rows[category].length > 1)
    ? { players, audience, rows, crawled: false }
    : undefined;
}

interface Play {
  /** What differs from the stage: the listed categories and their web pictures. */
  readonly problem: Pick<
    Problem,
    'webFeatures' | 'webLabels' | 'webText' | 'testSemantics' | 'testNames' | 'webVouched'
  >;
  readonly test: Matrix;
  readonly truth: Int32Array;
  readonly right?: Float64Array;
}

function playOf(problem: Problem, cast: Cast, split: number): Play | undefined {
  const random = new Random(11 + split);
  const shuffled = <T>(values: readonly T[]) => Array.from(random.permutation(values.length), (k) => values[k]);
  const players = shuffled(cast.players);
  const listed = players.slice(0, Math.max(2, Math.round(0.65 * players.length)));
  const strange = players.slice(listed.length);
  const web = cast.crawled ? crawledWeb(problem, listed) : plantedWeb(problem, cast, listed, split);
  if (!web) return undefined;
  const free = (category: number) =>
    cast.rows[category].filter((row) => !web.used.has(row) && problem.validationWeb?.auxiliaryUsed?.[row] !== 1);
  const own = shuffled(listed.flatMap((category, label) => free(category).map((row) => ({ row, label }))));
  const others = shuffled(strange.flatMap((category) => free(category)));
  const share = strangerShares[split];
  let kept = own.slice(0, mostListed);
  let foreign = others.slice(0, Math.min(mostStrange, Math.round((kept.length * share) / (1 - share))));
  if (foreign.length * (1 - share) < kept.length * share)
    kept = kept.slice(0, Math.max(10, Math.round((foreign.length * (1 - share)) / share)));
  if (kept.length < 4) return undefined;
  foreign = foreign.slice(0, mostStrange);
  return {
    problem: {
      webFeatures: web.features,
      webLabels: web.labels,
      webText: web.text,
      webVouched: undefined,
      testSemantics: selectRows(problem.auxiliarySemantics, listed),
      testNames: listed.map((category) => problem.auxiliaryNames[category]),
    },
    test: selectRows(problem.auxiliaryFeatures, [...kept.map(({ row }) => row), ...foreign]),
    truth: Int32Array.from([...kept.map(({ label }) => label), ...foreign.map(() => -1)]),
    ...(web.right && { right: web.right }),
  };
}

interface PlayedWeb {
  features: Matrix;
  text?: Matrix;
  labels: Int32Array;
  right?: Float64Array;
  /** Auxiliary pictures that became web pictures. */
  used: Set<number>;
}

function crawledWeb(problem: Problem, listed: number[]): PlayedWeb {
  const { validationWeb } = problem;
  const kept = keepValidationWeb(
    validationWeb!,
    rowsWhere(validationWeb!.labels.length, (i) => listed.includes(validationWeb!.labels[i])),
  );
  return {
    features: kept.features,
    ...(kept.text && { text: kept.text }),
    labels: kept.labels.map((label) => listed.indexOf(label)),
    used: new Set(),
  };
}

function plantedWeb(problem: Problem, cast: Cast, listed: number[], split: number): PlayedWeb | undefined {
  const { webLabels, testNames, auxiliaryFeatures, auxiliarySemantics } = problem;
  const smallest = Math.min(...listed.map((category) => cast.rows[category].length));
  const typical = Math.max(3, Math.round(webLabels.length / Math.max(1, testNames.length)) || 10);
  const perCategory = Math.min(typical, Math.max(3, Math.floor((0.5 * smallest) / (1 - plantedWrong))));
  const everyone = [...listed, ...cast.players.filter((c) => !listed.includes(c)), ...cast.audience];
  const planted = plantWeb(
    {
      // Half of a listed category's pictures stay for the test.
      pools: everyone.map((category) => cast.rows[category].slice(0, Math.ceil(cast.rows[category].length / 2))),
      listed: listed.map((_, k) => k),
      vectors: selectRows(auxiliarySemantics, everyone),
      perCategory,
      wrong: plantedWrong,
    },
    31 + split,
  );
  if (planted.length === 0) return undefined;
  return {
    features: selectRows(
      auxiliaryFeatures,
      planted.map(({ row }) => row),
    ),
    labels: Int32Array.from(planted, ({ claimed }) => claimed),
    right: Float64Array.from(planted, ({ kind }) => (kind === 'clean' ? 1 : 0)),
    used: new Set(planted.map(({ row }) => row)),
  };
}

/** Variance of listed pictures about their own category's mean, per dimension. */
function ownVariance(solver: BowerbirdSolver, pictures: Placed, truth: Int32Array): number {
  const { backend, dimension, known } = solver.ground;
  const far = distances(backend, pictures, solver.means);
  let [sum, count] = [0, 0];
  for (let j = 0; j < truth.length; j++) {
    if (truth[j] < 0) continue;
    sum += far.at(j, truth[j]) / dimension + solver.meanVariances[truth[j]];
    count++;
  }
  return Math.max(sum / Math.max(1, count), known.within);
}

/** Scores of the listed pictures at sharpness 1. */
function unitScores({ solver, pictures, truth, variance }: World): Judged {
  const listed = rowsWhere(truth.length, (j) => truth[j] >= 0);
  const left = solver.meanVariances.reduce((sum, value) => sum + value, 0) / solver.meanVariances.length;
  const scores = distances(solver.ground.backend, selectPlaced(pictures, listed), solver.means);
  for (let k = 0; k < scores.data.length; k++) scores.data[k] *= -0.5 / (variance + left);
  return { scores, labels: selectIntegers(truth, listed) };
}

/** The chance that each crawled picture is right, by the means of the clean pictures, which a real fit does not have. */
function judgedByCleanMeans({ ground, solver, pictures, truth, variance }: World): Float64Array {
  const { backend, known, web, webLabels, dimension } = ground;
  const count = solver.categories;
  const clean = Matrix.zeros(count + known.means.rows, dimension);
  const numbers = new Float64Array(count);
  for (let j = 0; j < truth.length; j++) {
    if (truth[j] < 0) continue;
    const [to, from] = [clean.row(truth[j]), pictures.rows.row(j)];
    for (let k = 0; k < to.length; k++) to[k] += from[k];
    numbers[truth[j]]++;
  }
  // As far as the pictures of a category determine its mean.
  const ratio = known.within / known.between;
  for (let c = 0; c < count; c++) {
    const row = clean.row(c);
    for (let k = 0; k < row.length; k++) row[k] /= numbers[c] + ratio;
  }
  for (let k = 0; k < known.means.rows; k++) clean.row(count + k).set(known.means.row(k));
  for (let c = 0; c < clean.rows; c++) {
    const row = clean.row(c);
    for (let k = 0; k < row.length; k++) row[k] += solver.webShift[k];
  }
  const far = distances(backend, web, clean);
  const factor = (-0.5 * solver.options.sharpness) / variance;
  return Float64Array.from(webLabels, (label, i) => {
    const row = far.row(i);
    let others = 0;
    for (let c = 0; c < row.length; c++) if (c !== label) others += Math.exp(factor * (row[c] - row[label]));
    // Right and wrong are as likely beforehand; a wrong one shows any other category.
    return 1 / (1 + others / (row.length - 1));
  });
}

/** How far the evidence of web pictures is to be believed. */
function learnEvidence(worlds: readonly World[]): { slope: number; intercept: number } {
  const rows: Float64Array[] = [];
  const targets: number[] = [];
  for (const world of worlds) {
    const evidence = world.solver.webEvidence();
    const right = world.right ?? judgedByCleanMeans(world);
    for (let i = 0; i < evidence.length; i++) {
      rows.push(Float64Array.of(Math.max(-30, Math.min(30, evidence[i]))));
      targets.push(right[i]);
    }
  }
  const share = targets.reduce((sum, value) => sum + value, 0) / targets.length;
  if (!(share > 0.02 && share < 0.98)) return { slope: 1, intercept: 0 };
  const { weights, intercept } = fitLogistic(rows, targets, 1);
  return {
    slope: Math.min(2, Math.max(0.25, weights[0])),
    intercept: Math.min(3, Math.max(-8, intercept - Math.log(share / (1 - share)))),
  };
}

function learnStrangers(backend: Backend, worlds: readonly World[], options: RehearsalOptions): StrangerModel {
  const [company, lonely]: [Seen[], Seen[]] = [[], []];
  for (const { solver, pictures, truth, variance } of worlds) {
    const neighbours = new Neighbours(backend, pictures, options.neighbours);
    const strange = Float64Array.from(truth, (label) => (label < 0 ? 1 : 0));
    company.push({ rows: strangerFeatures(solver, pictures, variance, neighbours), strange, neighbours });
    lonely.push({ rows: lonelyRows(solver, pictures, variance), strange });
  }
  return { company: teachDetector(company), lonely: teachDetector(lonely) };
}

/** Rows of a folder of listed pictures whose shares are spread as the given ones are. */
function likeFolder({ truth, solver }: World, shares: Float64Array, pictures: number, split: number): Int32Array {
  const random = new Random(71 + split);
  const byCategory: number[][] = Array.from({ length: solver.categories }, () => []);
  for (let j = 0; j < truth.length; j++) if (truth[j] >= 0) byCategory[truth[j]].push(j);
  const sorted = Float64Array.from(shares).sort().reverse();
  const order = random.permutation(byCategory.length);
  // The share at the same place of a list of another length.
  const wanted = Float64Array.from(
    { length: byCategory.length },
    (_, k) => sorted[Math.min(sorted.length - 1, Math.floor((k * sorted.length) / byCategory.length))],
  );
  wanted[0] = sorted[0];
  const total = wanted.reduce((sum, share) => sum + share, 0);
  const most = Math.max(leastCompany, pictures);
  let scale = most;
  order.forEach((category, k) => {
    const share = wanted[k] / total;
    if (share > 0.02) scale = Math.min(scale, byCategory[category].length / share);
  });
  const rows: number[] = [];
  order.forEach((category, k) => {
    const own = byCategory[category];
    const count = Math.min(own.length, Math.round((wanted[k] / total) * scale));
    for (const place of random.choice(own.length, count)) rows.push(own[place]);
  });
  return Int32Array.from(rows).sort();
}

function selectPlaced({ rows, squaredLengths }: Placed, chosen: Int32Array): Placed {
  return {
    rows: selectRows(rows, chosen) as Matrix<Float64Array>,
    squaredLengths: Float64Array.from(chosen, (j) => squaredLengths[j]),
  };
}
