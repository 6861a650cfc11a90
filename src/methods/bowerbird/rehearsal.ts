/**
 * Rehearsals. Auxiliary categories play listed ones and strangers (cast.ts). Since everything is known here, it can be
 * learnt how sharply distances decide, how far a web picture's evidence is to be believed, what gives a stranger away, and
 * how sure an answer may be.
 */
import type { Backend } from '../../linalg/index.js';
import { Matrix, Random } from '../../linalg/index.js';
import type { Problem, Sureness } from '../../problem/index.js';
import { restrictToCategories, rowsWhere, selectIntegers, selectRows } from '../../problem/index.js';
import { fingerprint, WhitenedSpace } from '../blocks/whitened-space.js';
import { type Cast, castOf, type Play, plantedWrong, playsOf } from './cast.js';
import { type Ground, type GroundOptions, layGround, type Placed, place } from './ground.js';
import { type Calibrated, firstQuartileLead, type Judged, likeliestFactor, likeliestSureness } from './likelihood.js';
import { fitLogistic } from './logistic.js';
import { Neighbours } from './neighbours.js';
import { settle } from './settle.js';
import { BowerbirdSolver, type Evidence, type SolverOptions, softened } from './solver.js';
import {
  leastCompany,
  lonelyRows,
  type Seen,
  type StrangerModel,
  strangerFeatures,
  teachDetector,
} from './strangers.js';
import type { TestSide, TestState } from './test-state.js';
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
  /** Auxiliary category of each picture. */
  readonly shown: Int32Array;
  /** 1 for web pictures that are right, where that is known. */
  readonly right?: Float64Array;
}

/** The same once its web pictures have been learnt from. */
interface World extends Draft {
  readonly solver: BowerbirdSolver;
  readonly variance: number;
}

/** How to settle a folder: a factor of the sharpness, the heat to start from (settle.ts), and how sure answers may be. */
export interface Manner {
  readonly sharpness: number;
  readonly heat: number;
  readonly sureness: Sureness;
  /** By how much decisions led in the rehearsals that this was learnt in. */
  readonly lead: number;
}

const plain = { sharpness: 1, heat: 1 };
/** Lets the shares speak before looks decide. */
const patient = { sharpness: 0.77, heat: 0.4 };
/** Below this concentration of the shares a folder shows very few of the categories: patience is right. */
const veryFew = 0.06;
/** Below this one it may be: rehearsals decide. */
const few = 0.3;
/** Folders drawn from each world, and the number of pictures from which one is enough. */
const draws = 3;
const largeFolder = 200;

/** Rehearsals of one set of auxiliary pictures that are kept, the last ones first. */
interface Kept {
  readonly key: string;
  readonly backend: Backend;
  readonly rehearsal: Rehearsal | undefined;
}
const kept = new WeakMap<Matrix, readonly Kept[]>();
const mostKept = 2;
/** By how much web pictures may be trusted less than those of a rehearsal, and the largest share that is made wrong there. */
const lessTrusted = 0.15;
const mostWrong = 0.8;

/** Of all that a rehearsal depends on. */
function rehearsalKey(problem: Problem, options: RehearsalOptions, wrong: number): string {
  const { auxiliaryFeatures, auxiliaryLabels, auxiliarySemantics, validationWeb, webLabels, testNames } = problem;
  const { power, shrinkage, tails, neighbours, neighbourWeight, textWeight, trust, smoothing } = options;
  const prints = [auxiliaryFeatures, auxiliarySemantics, validationWeb?.features, validationWeb?.text].map((matrix) =>
    matrix ? fingerprint(matrix) : '',
  );
  const counts = [webLabels.length, testNames.length, wrong];
  const parameters = [power, shrinkage, tails, neighbours, neighbourWeight, textWeight, trust, smoothing];
  const labels = [auxiliaryLabels, validationWeb?.labels, validationWeb?.auxiliaryUsed].map((row) => [...(row ?? [])]);
  return JSON.stringify([prints, counts, parameters, labels]);
}

export class Rehearsal {
  /** β */
  readonly sharpness: number;
  /** Variance of a picture about its category's mean, over what the auxiliary pictures of the space show. */
  readonly spread: number;
  readonly evidence: Evidence;
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

  /**
   * Undefined where there are too few auxiliary categories, or too few pictures of them, to rehearse with. The last
   * rehearsals of each set of auxiliary pictures are kept: fits of one problem mostly want the same ones.
   * @param wrong share of wrong web pictures where they are planted
   */
  static async hold(
    problem: Problem,
    backend: Backend,
    options: RehearsalOptions,
    pause: () => Promise<void>,
    wrong = plantedWrong,
  ): Promise<Rehearsal | undefined> {
    const key = rehearsalKey(problem, options, wrong);
    const others = kept.get(problem.auxiliaryFeatures) ?? [];
    const found = others.find((each) => each.key === key && each.backend === backend);
    if (found) return found.rehearsal;
    const rehearsal = await Rehearsal.#hold(problem, backend, options, pause, wrong);
    kept.set(problem.auxiliaryFeatures, [{ key, backend, rehearsal }, ...others].slice(0, mostKept));
    return rehearsal;
  }

  /**
   * The share of wrong web pictures to rehearse with again, where the real ones deserve much less trust than the planted
   * ones: what was learnt with good means does not hold for bad ones. Else undefined, as for crawled ones, which are what
   * they are.
   */
  wrongFor(real: BowerbirdSolver): number | undefined {
    const wrong = meanDistrust([real]);
    const own = meanDistrust(this.#worlds.map(({ solver }) => solver));
    if (wrong < own + lessTrusted || this.#worlds.some(({ right }) => !right)) return undefined;
    // In steps, so that small changes of a problem do not ask for another rehearsal.
    return Math.round(10 * Math.min(mostWrong, wrong)) / 10;
  }

  static async #hold(
    problem: Problem,
    backend: Backend,
    options: RehearsalOptions,
    pause: () => Promise<void>,
    wrong: number,
  ): Promise<Rehearsal | undefined> {
    const cast = castOf(problem);
    if (!cast) return undefined;
    const stage = restrictToCategories(
      { ...problem, testLabels: undefined, validationWeb: undefined },
      { auxiliary: cast.audience },
    );
    const space = await WhitenedSpace.learn(stage, backend, options);
    await pause();
    const drafts = draftsOf(problem, stage, cast, playsOf(problem, cast, wrong), backend, space, options);
    if (drafts.length === 0) return undefined;
    await pause();
    // How sharply distances decide and how far evidence is believed depend on each other: from all web pictures trusted
    // alike in a few passes to both.
    const decide = () => likeliestFactor(worlds.map(unitScores), 1e-3, 4);
    let evidence: Evidence = { slope: 1, intercept: 0, text: options.textWeight };
    let worlds: World[] = drafts.map((draft) =>
      asWorld(draft, new BowerbirdSolver(draft.ground, solverOptions(options, 1, evidence))),
    );
    for (let pass = 0; pass < 3; pass++) {
      const sharpness = decide();
      const before = worlds;
      worlds = [];
      for (const [k, draft] of drafts.entries()) {
        const given = solverOptions(options, sharpness, evidence);
        const solver = pass === 0 ? new BowerbirdSolver(draft.ground, given) : before[k].solver.fork(given);
        solver.learnFromWeb();
        worlds.push(asWorld(draft, solver));
        await pause();
      }
      if (pass < 2) evidence = learnEvidence(worlds, options.textWeight);
    }
    const sharpness = decide();
    const spread = worlds.reduce((sum, world) => sum + world.variance, 0) / worlds.length / space.within;
    const strangers = learnStrangers(backend, worlds, options);
    await pause();
    return new Rehearsal(backend, options, worlds, { sharpness, spread, evidence, strangers });
  }

  /** How to settle a folder like the one that came to rest in this state, and how sure its answers may then be. */
  async manner(state: TestState, options: SolverOptions, rounds: number, pause: () => Promise<void>): Promise<Manner> {
    const concentration = state.side.shares === 'unknown' ? state.shareModel.concentration : Number.POSITIVE_INFINITY;
    const ways = concentration < veryFew ? [patient] : concentration < few ? [plain, patient] : [plain];
    const pictures = state.assignments.rows;
    let best: { way: typeof plain; found: Calibrated; judged: Judged[] } | undefined;
    for (const way of ways) {
      const judged = await this.#rehearse(state.counts, pictures, options, rounds, way, pause);
      const found = likeliestSureness(judged);
      if (!best || found.likelihood > best.found.likelihood) best = { way, found, judged };
    }
    const { way, found, judged } = best!;
    const leads = judged.map(({ scores }) => firstQuartileLead(scores));
    const lead = leads.reduce((sum, value) => sum + value, 0) / Math.max(1, leads.length);
    return { ...way, lead, sureness: { factor: found.factor, doubt: found.doubt } };
  }

  /** Folders of each world whose shares are spread like these, answered. */
  async #rehearse(
    counts: Float64Array,
    pictures: number,
    options: SolverOptions,
    rounds: number,
    { sharpness, heat }: typeof plain,
    pause: () => Promise<void>,
  ): Promise<Judged[]> {
    const judged: Judged[] = [];
    for (const [k, world] of this.#worlds.entries()) {
      const start = world.solver.fork(softened(options, sharpness));
      start.learnFromWeb();
      for (let draw = 0; draw < draws; draw++) {
        const rows = likeFolder(world, counts, pictures, k + this.#worlds.length * draw);
        if (rows.length < 2) continue;
        const chosen = selectPlaced(world.pictures, rows);
        const side: TestSide = {
          pictures: chosen,
          neighbours: new Neighbours(this.#backend, chosen, this.#options.neighbours),
          neighbourWeight: this.#options.neighbourWeight,
          generalized: false,
          shares: 'unknown',
          answerWeight: 1,
          variance: world.variance,
        };
        const { state } = await settle(start, side, rounds, pause, { heat });
        judged.push({ scores: state.decisions, labels: selectIntegers(world.truth, rows) });
        // One large folder says enough.
        if (rows.length > largeFolder) break;
      }
    }
    return judged;
  }
}

function solverOptions({ tails }: RehearsalOptions, sharpness: number, evidence: Evidence): SolverOptions {
  return { sharpness, tails, evidence };
}

/** The share of wrong web pictures as their trust has it, without what is usual. */
function meanDistrust(solvers: readonly BowerbirdSolver[]): number {
  const trust = solvers.flatMap((solver) => [...solver.trust]);
  return 1 - trust.reduce((sum, value) => sum + value, 0) / Math.max(1, trust.length);
}

/** Pictures that several plays use are placed once. */
function draftsOf(
  problem: Problem,
  stage: Problem,
  cast: Cast,
  plays: readonly Play[],
  backend: Backend,
  space: WhitenedSpace,
  options: RehearsalOptions,
): Draft[] {
  const used = [
    ...new Set(plays.flatMap((play) => [...play.test, ...(cast.crawled ? [] : Array.from(play.web.rows))])),
  ];
  used.sort((a, b) => a - b);
  const places = new Map(used.map((row, k) => [row, k]));
  const all = place(backend, space, selectRows(problem.auxiliaryFeatures, used));
  const chosen = (rows: ArrayLike<number>) =>
    selectPlaced(
      all,
      Int32Array.from(rows, (row) => places.get(row)!),
    );
  const crawled = cast.crawled ? place(backend, space, problem.validationWeb!.features) : undefined;
  return plays.map(({ listed, web, test, truth }) => {
    const listing = {
      ...stage,
      webLabels: web.labels,
      webText: web.text,
      webVouched: undefined,
      testSemantics: selectRows(problem.auxiliarySemantics, listed),
    };
    const placedWeb = crawled ? selectPlaced(crawled, web.rows) : chosen(web.rows);
    const ground = layGround(backend, space, listing, options, placedWeb);
    const shown = selectIntegers(problem.auxiliaryLabels, test);
    return { ground, pictures: chosen(test), truth, shown, ...(web.right && { right: web.right }) };
  });
}

function asWorld(draft: Draft, solver: BowerbirdSolver): World {
  if (solver.means === draft.ground.prior.means) solver.updateMeans();
  return { ...draft, solver, variance: ownVariance(solver, draft.pictures, draft.truth) };
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

/** How far the evidence of web pictures' looks is to be believed beside that of their words. */
function learnEvidence(worlds: readonly World[], text: number): Evidence {
  const rows: Float64Array[] = [];
  const targets: number[] = [];
  const offsets: number[] = [];
  for (const world of worlds) {
    const { looks, words } = world.solver.webEvidence();
    const right = world.right ?? judgedByCleanMeans(world);
    for (let i = 0; i < looks.length; i++) {
      rows.push(Float64Array.of(Math.max(-30, Math.min(30, looks[i]))));
      targets.push(right[i]);
      offsets.push(text * (words?.[i] ?? 0));
    }
  }
  const share = targets.reduce((sum, value) => sum + value, 0) / targets.length;
  if (!(share > 0.02 && share < 0.98)) return { slope: 1, intercept: 0, text };
  const { weights, intercept } = fitLogistic(rows, targets, 1, offsets);
  return {
    slope: Math.min(2, Math.max(0.25, weights[0])),
    intercept: Math.min(3, Math.max(-8, intercept - Math.log(share / (1 - share)))),
    text,
  };
}

function learnStrangers(backend: Backend, worlds: readonly World[], options: RehearsalOptions): StrangerModel {
  const seen = ({ solver, pictures, truth, variance }: World, rows?: Int32Array): Seen => {
    const chosen = rows ? selectPlaced(pictures, rows) : pictures;
    const neighbours = new Neighbours(backend, chosen, options.neighbours);
    const strange = Float64Array.from(rows ?? truth.keys(), (j) => (truth[j] < 0 ? 1 : 0));
    return { rows: strangerFeatures(solver, chosen, variance, neighbours), strange, neighbours };
  };
  const company = worlds.map((world) => seen(world));
  const few = worlds.flatMap((world, k) =>
    fewStrangerShares.flatMap((share, draw) => {
      const rows = folderOfFew(world, share, k + worlds.length * draw);
      return rows ? seen(world, rows) : [];
    }),
  );
  const lonely = worlds.map(({ solver, pictures, variance }, k) => ({
    rows: lonelyRows(solver, pictures, variance),
    strange: company[k].strange,
  }));
  const detector = teachDetector(company);
  return {
    company: detector,
    few: few.length > 0 ? teachDetector(few) : detector,
    lonely: teachDetector(lonely),
  };
}

/** Shares of strangers in folders of few categories, and the parts of the listed and the strange ones that occur there. */
const fewStrangerShares = [0.3, 0.2, 0.5];
const fewListed = 0.2;
const fewStrange = 0.5;

/** Rows of a folder in which few categories occur; undefined where that is no company. */
function folderOfFew({ truth, shown }: World, share: number, split: number): Int32Array | undefined {
  const random = new Random(500 + split);
  const some = (strange: boolean, part: number, least: number) => {
    const categories = [...new Set(shown.filter((_, j) => truth[j] < 0 === strange))];
    const count = Math.min(categories.length, Math.max(least, Math.round(part * categories.length)));
    const kept = new Set(Array.from(random.choice(categories.length, count), (k) => categories[k]));
    return Array.from(rowsWhere(truth.length, (j) => truth[j] < 0 === strange && kept.has(shown[j])));
  };
  const listed = some(false, fewListed, 2);
  const others = some(true, fewStrange, 1);
  const count = Math.min(others.length, Math.round((listed.length * share) / (1 - share)));
  const strange = Array.from(random.choice(others.length, count), (k) => others[k]);
  return count > 0 && listed.length + count >= leastCompany ? Int32Array.from([...listed, ...strange]) : undefined;
}

/** Rows of a folder of listed pictures whose counts are spread as the given ones are. */
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

function selectPlaced({ rows, squaredLengths }: Placed, chosen: ArrayLike<number>): Placed {
  return {
    rows: selectRows(rows, chosen) as Matrix<Float64Array>,
    squaredLengths: Float64Array.from(chosen, (j) => squaredLengths[j]),
  };
}
