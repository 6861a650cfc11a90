/**
 * Rehearsals. Auxiliary categories play listed ones and strangers (cast.ts). Since everything is known here, it can be
 * learnt how sharply distances decide, how far a web picture's evidence is to be believed, what gives a stranger away, and
 * how sure an answer may be.
 */
import type { Backend } from '../../linalg/index.js';
import type { Problem, Sureness } from '../../problem/index.js';
import { restrictToCategories, selectIntegers } from '../../problem/index.js';
import type { Features } from '../blocks/feature-rows.js';
import { type Ingredients, prepared } from '../blocks/preparation.js';
import { WhitenedSpace } from '../blocks/whitened-space.js';
import { castOf, labelsForSpace, plantedWrong, playsOf } from './cast.js';
import { type GroundOptions, selectPlaced } from './ground.js';
import { learnEvidence, learnStrangers, meanDistrust, shareOfRight } from './lessons.js';
import {
  type Calibrated,
  firstQuartile,
  type Judged,
  leadsOf,
  likeliestFactor,
  likeliestSureness,
} from './likelihood.js';
import { Neighbours } from './neighbours.js';
import { settle } from './settle.js';
import type { StatedShares } from './shares.js';
import { BowerbirdSolver, type Evidence, type SolverOptions, softened } from './solver.js';
import type { StrangerModel } from './strangers.js';
import type { TestSide, TestState } from './test-state.js';
import { evidenceOf, learnReporting, type RehearsedWeb, type Reporting } from './web-trust.js';
import { asWorld, draftsOf, likeFolder, unitScores, type World } from './worlds.js';

export interface RehearsalOptions extends GroundOptions {
  power: number;
  shrinkage: number;
  tails: number;
  neighbours: number;
  neighbourWeight: number;
  textWeight: number;
}

/** How to settle a folder: a factor of the sharpness, the heat to start from (settle.ts), and how sure answers may be. */
export interface Manner {
  readonly sharpness: number;
  readonly heat: number;
  readonly sureness: Sureness;
  /** By how much decisions led in the rehearsals that this was learnt in. */
  readonly lead: number;
  /** How the trust in web pictures is reported (web-trust.ts). */
  readonly reporting?: Reporting;
}

type Way = Pick<Manner, 'sharpness' | 'heat'>;

const plain: Way = { sharpness: 1, heat: 1 };
/** Let the shares speak before looks decide, one more than the other: which is right, rehearsals say. */
const patient: Way = { sharpness: 0.88, heat: 0.6 };
const mostPatient: Way = { sharpness: 0.77, heat: 0.4 };
/** Below this concentration of the shares a folder shows very few of the categories: the most patient way is right. */
const veryFew = 0.06;
/** From this one on shares hardly differ, and have nothing to say. */
const aboutEqual = 9;

/** The ways to try in a folder whose shares have this concentration. */
export function waysToSettle(shares: StatedShares, concentration: number): readonly Way[] {
  if (shares !== 'unknown' || concentration >= aboutEqual) return [plain];
  return concentration < veryFew ? [mostPatient] : [plain, patient, mostPatient];
}

/** Folders drawn from each world, and the number of pictures from which one is enough. */
const draws = 3;
const largeFolder = 200;

/** By how much web pictures may be trusted less than those of a rehearsal, and the largest share that is made wrong there. */
const lessTrusted = 0.15;
const mostWrong = 0.8;

/** The arrays that a rehearsal is made from, and all else that it depends on. */
function ingredientsOf({
  auxiliaryFeatures,
  auxiliaryLabels,
  auxiliarySemantics,
  validationWeb,
}: Problem): Ingredients {
  const { features, labels, text, auxiliaryUsed } = validationWeb ?? {};
  const crawled = [features, labels, text, auxiliaryUsed && Int32Array.from(auxiliaryUsed)];
  return [auxiliaryFeatures, auxiliaryLabels, auxiliarySemantics, ...crawled.filter((each) => each !== undefined)];
}

function parametersOf(problem: Problem, options: RehearsalOptions, wrong: number): number[] {
  const { webLabels, webText, testNames, generalized } = problem;
  const { power, shrinkage, tails, neighbours, neighbourWeight, textWeight, trust, smoothing } = options;
  const counts = [webLabels.length, testNames.length, wrong, Number(webText !== undefined), Number(generalized)];
  return [...counts, power, shrinkage, tails, neighbours, neighbourWeight, textWeight, trust, smoothing];
}

export class Rehearsal {
  /** β */
  readonly sharpness: number;
  /** Variance of a picture about its category's mean, over what the auxiliary pictures of the space show. */
  readonly spread: number;
  readonly evidence: Evidence;
  readonly strangers: StrangerModel;
  readonly #worlds: readonly World[];
  /** Share of crawled pictures that are right. */
  #rightShare: number | undefined;
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
   * Undefined where there are too few auxiliary categories, or too few pictures of them, to rehearse with. Fits of one
   * problem mostly want the same ones.
   * @param wrong share of wrong web pictures where they are planted
   * @param auxiliary the auxiliary features, where the problem does not have them
   */
  static hold(
    problem: Problem,
    backend: Backend,
    options: RehearsalOptions,
    pause: () => Promise<void>,
    wrong = plantedWrong,
    auxiliary: Features = problem.auxiliaryFeatures,
  ): Promise<Rehearsal | undefined> {
    return prepared('rehearsal', backend, ingredientsOf(problem), parametersOf(problem, options, wrong), () =>
      Rehearsal.#hold(problem, backend, options, pause, wrong, auxiliary),
    );
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
    auxiliary: Features,
  ): Promise<Rehearsal | undefined> {
    const cast = await castOf(problem, auxiliary, backend);
    if (!cast) return undefined;
    const seen = { ...problem, auxiliaryLabels: labelsForSpace(problem, cast) };
    const space = await WhitenedSpace.learn(seen, backend, options, cast.audience, auxiliary);
    const stage = restrictToCategories(withoutPictures(problem), { auxiliary: cast.audience });
    await pause();
    const plays = playsOf(problem, cast, wrong);
    const drafts = await draftsOf(problem, auxiliary, stage, cast, plays, backend, space, options);
    if (drafts.length === 0) return undefined;
    await pause();
    // How sharply distances decide and how far evidence is believed depend on each other: from all web pictures trusted
    // alike in a few passes to both.
    const decide = () => likeliestFactor(backend, worlds.map(unitScores), 1e-3, 4);
    let evidence: Evidence = { slope: 1, intercept: 0, text: options.textWeight };
    let worlds: World[] = drafts.map((draft) => {
      const solver = new BowerbirdSolver(draft.ground, solverOptions(options, 1, evidence));
      solver.updateMeans();
      return asWorld(draft, solver);
    });
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
    const strangers = learnStrangers(backend, worlds, options.neighbours);
    await pause();
    return new Rehearsal(backend, options, worlds, { sharpness, spread, evidence, strangers });
  }

  /** How to settle a folder like the one that came to rest in this state, and how sure its answers may then be. */
  async manner(state: TestState, options: SolverOptions, rounds: number, pause: () => Promise<void>): Promise<Manner> {
    let best: ({ way: Way; found: Calibrated } & Rehearsed) | undefined;
    for (const way of waysToSettle(state.side.shares, state.shareModel.concentration)) {
      const rehearsed = await this.#rehearse(state, options, rounds, way, pause);
      const found = likeliestSureness(rehearsed.judged);
      if (!best || found.likelihood > best.found.likelihood) best = { way, found, ...rehearsed };
    }
    const { way, found, judged, web } = best!;
    const leads = judged.map(({ scores }) => firstQuartile(leadsOf(scores)));
    const lead = leads.reduce((sum, value) => sum + value, 0) / Math.max(1, leads.length);
    const sureness = { factor: found.factor, doubt: found.doubt };
    return {
      ...way,
      lead,
      sureness,
      ...(web.length > 0 && { reporting: learnReporting(web, () => this.#shareOfRight()) }),
    };
  }

  /** Folders of each world whose shares are spread like these, answered. */
  async #rehearse(
    { counts, assignments, solver }: TestState,
    options: SolverOptions,
    rounds: number,
    { sharpness, heat }: Way,
    pause: () => Promise<void>,
  ): Promise<Rehearsed> {
    const judged: Judged[] = [];
    const web: RehearsedWeb[] = [];
    for (const [k, world] of this.#worlds.entries()) {
      const start = world.solver.fork(softened(options, sharpness));
      start.learnFromWeb();
      for (let draw = 0; draw < draws; draw++) {
        const split = k + this.#worlds.length * draw;
        const rows = likeFolder(world, counts, assignments.rows, split, solver.categories);
        if (rows.length < 2) continue;
        const chosen = selectPlaced(this.#backend, world.pictures, rows);
        const side: TestSide = {
          pictures: chosen,
          neighbours: new Neighbours(this.#backend, chosen, this.#options.neighbours),
          neighbourWeight: this.#options.neighbourWeight,
          shares: 'unknown',
          answerWeight: 1,
          variance: world.variance,
        };
        const { state, solver: settled } = await settle(start, side, rounds, pause, { heat });
        web.push({ evidence: evidenceOf(settled), right: world.right });
        judged.push({ scores: state.decisions(), labels: selectIntegers(world.truth, rows) });
        // One large folder says enough.
        if (rows.length > largeFolder) break;
      }
    }
    return { judged, web };
  }

  /** The worlds show other parts of one crawl. */
  #shareOfRight(): number {
    this.#rightShare ??= this.#worlds.reduce((sum, world) => sum + shareOfRight(world), 0) / this.#worlds.length;
    return this.#rightShare;
  }
}

/** What came of rehearsed folders: decisions, and the evidence for the web pictures. */
interface Rehearsed {
  readonly judged: Judged[];
  readonly web: RehearsedWeb[];
}

/** Plays have pictures of their own. */
function withoutPictures(problem: Problem): Problem {
  const none = { webText: undefined, webTexts: undefined, webKinds: undefined, webVouched: undefined };
  return {
    ...problem,
    ...{ auxiliaryFeatures: problem.auxiliaryFeatures.view(0, 0), auxiliaryLabels: new Int32Array(0) },
    ...{ webFeatures: problem.webFeatures.view(0, 0), webLabels: new Int32Array(0), ...none },
    ...{ testLabels: undefined, validationWeb: undefined },
  };
}

function solverOptions({ tails }: RehearsalOptions, sharpness: number, evidence: Evidence): SolverOptions {
  return { sharpness, tails, evidence, caution: 1 };
}

/**
 * How sure the answers for a folder may be. Spaces learnt from more or fewer categories give decisions of another scale than
 * those rehearsed: three quarters of that difference are believed to be one of scale, the rest to be one of difficulty.
 * @param leads by how much each picture's decision leads
 */
export function folderSureness({ sureness, lead }: Manner, leads: Float64Array, unlisted: Float64Array): Sureness {
  const own = firstQuartile(leads.filter((_, j) => unlisted[j] < 0.5));
  const scale = Math.min(2.5, Math.max(0.5, (lead / Math.max(own, 1e-3)) ** 0.75));
  return { ...sureness, factor: scale * sureness.factor };
}
