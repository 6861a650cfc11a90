/**
 * How far web pictures are trusted where that is reported. While a folder is settled, the share of wrong pictures is held near
 * what is usual, and evidence is believed as far as first rounds of rehearsals taught it. Settled rehearsals tell more: where their
 * web pictures were planted, how much evidence is worth that has come to rest (a slope); where they were crawled, and truth is only
 * guessed at picture by picture, how many of them are right, which labels tell well. So the log odds b that make rehearsed trust add
 * up to that are added to those of the real pictures, and the share of wrong ones is estimated from these.
 */
import type { Matrix } from '../../linalg/index.js';
import { leastOnLogScale } from '../../numerics/index.js';
import { column, fitLogistic } from './logistic.js';
import type { BowerbirdSolver } from './solver.js';
import { logOdds } from './vectors.js';

/** Sharpnesses between which the likeliest one lies, over that of the rehearsal, and shares of right labels. */
const sharpnesses = [0.1, 3] as const;
const rightShares = Array.from({ length: 199 }, (_, k) => (k + 1) / 200);

/**
 * The share π of right labels. A picture labelled c shows c with chance π, else any other of the K categories:
 * p(x | c) = π f_c + (1 − π) (Σ_k f_k − f_c) / (K − 1), f_k = exp(−β ‖x − μ_k‖²). β and π are those under which the labels,
 * given the pictures and that each label is as frequent, are likeliest. Too sharp a β takes pictures that are edited for wrong, too
 * soft a one those of look-alikes for right: a quarter more of it takes 0.05 from π, so that it is looked for closely.
 * @param far ‖x − μ_k‖², those of the categories that labels name first
 * @param named number of these
 * @param usual the β to look around
 */
export function shareOfRightLabels(
  far: Matrix<Float64Array>,
  labels: Int32Array,
  named: number,
  usual: number,
): number {
  const at = (sharpness: number) => likeliestShare(chancesOfLabels(far, labels, named, usual * sharpness));
  return at(leastOnLogScale((sharpness) => -at(sharpness).likelihood, ...sharpnesses, 0.05)).share;
}

/** f of the own category and Σ f of those that labels name, over Σ f of all, for each picture. */
interface LabelChances {
  readonly own: Float64Array;
  readonly ofNamed: Float64Array;
  readonly named: number;
  readonly categories: number;
}

function chancesOfLabels(
  far: Matrix<Float64Array>,
  labels: Int32Array,
  named: number,
  sharpness: number,
): LabelChances {
  const [own, ofNamed] = [new Float64Array(labels.length), new Float64Array(labels.length)];
  for (let i = 0; i < labels.length; i++) {
    const row = far.row(i);
    const least = row.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const densities = row.map((distance) => Math.exp(-sharpness * (distance - least)));
    const sum = densities.reduce((a, b) => a + b, 0);
    own[i] = densities[labels[i]] / sum;
    ofNamed[i] = densities.subarray(0, named).reduce((a, b) => a + b, 0) / sum;
  }
  return { own, ofNamed, named, categories: far.cols };
}

function likeliestShare({ own, ofNamed, named, categories }: LabelChances): { likelihood: number; share: number } {
  let best = { likelihood: Number.NEGATIVE_INFINITY, share: 0.5 };
  for (const share of rightShares) {
    const wrong = (1 - share) / (categories - 1);
    let likelihood = 0;
    for (let i = 0; i < own.length; i++)
      likelihood += Math.log(((share - wrong) * own[i] + wrong) / ((share - wrong) * ofNamed[i] + wrong * named));
    if (likelihood > best.likelihood) best = { likelihood, share };
  }
  return best;
}

/** Share of wrong pictures before any is seen, and what it counts for beside the pictures. */
const usualWrong = 0.35;
const priorPart = 0.1;
const steps = 200;

/** σ(evidence + b + log odds of the share of right pictures), the share being what these chances make with the prior. */
export function trustByEvidence(evidence: Float64Array, added: number): Float64Array {
  let wrong = usualWrong;
  let trust = evidence;
  for (let step = 0; step < steps; step++) {
    const odds = added - logOdds(wrong);
    trust = evidence.map((value) => 1 / (1 + Math.exp(-value - odds)));
    const next = (1 - meanOf(trust) + priorPart * usualWrong) / (1 + priorPart);
    if (Math.abs(next - wrong) < 1e-7) break;
    wrong = next;
  }
  return trust;
}

const mostAdded = 3;
/** Where look-alikes are hardly told apart, labels that name one for another seem right: of crawled pictures too many are then taken for right. */
const mostAddedToCrawled = 1;

/**
 * b: added to the evidence, it makes the trust in rehearsed pictures add up to those that are right.
 * @param rehearsed evidence of the web pictures of each rehearsed folder
 * @param share of them that is right
 * @param most b at most
 */
export function addedToEvidence(rehearsed: readonly Float64Array[], share: number, most = mostAdded): number {
  let [low, high] = [-mostAdded, most];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    const excess = rehearsed.reduce((sum, evidence) => sum + meanOf(trustByEvidence(evidence, middle)) - share, 0);
    if (excess > 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** How evidence counts where the trust in web pictures is reported: slope · evidence + added. */
export interface Reporting {
  readonly slope: number;
  readonly added: number;
}

/** Evidence for the web pictures of a rehearsed folder and, where they were planted, 1 for those that are right. */
export interface RehearsedWeb {
  readonly evidence: Float64Array;
  readonly right?: Float64Array;
}

const [leastSlope, mostSlope] = [0.25, 4];
/** Evidence beyond which nothing is learnt of its slope. */
const mostEvidence = 30;
/** Small: evidence that tells nearly all right from wrong has a slope of many deviations, which a larger penalty would flatten. */
const slopeRidge = 0.01;

/** @param shareOfCrawled share of right ones where pictures were crawled */
export function learnReporting(rehearsed: readonly RehearsedWeb[], shareOfCrawled: () => number): Reporting {
  const planted: number[] = [];
  const targets: number[] = [];
  for (const { evidence, right } of rehearsed) {
    right?.forEach((holds, i) => {
      planted.push(Math.max(-mostEvidence, Math.min(mostEvidence, evidence[i])));
      targets.push(holds);
    });
  }
  const known = planted.length > 0;
  const slope = known
    ? Math.min(mostSlope, Math.max(leastSlope, fitLogistic(column(planted), targets, slopeRidge).weights[0]))
    : 1;
  const counted = rehearsed.map(({ evidence }) => evidence.map((value) => slope * value));
  const added = known
    ? addedToEvidence(counted, meanOf(Float64Array.from(targets)))
    : addedToEvidence(counted, shareOfCrawled(), mostAddedToCrawled);
  return { slope, added };
}

/** What speaks for the web pictures of a solver without the share of wrong ones. */
export function evidenceOf({ trust, wrongShare }: BowerbirdSolver): Float64Array {
  return trust.map((chance) => logOdds(Math.min(1 - 1e-12, Math.max(1e-12, chance))) + logOdds(wrongShare));
}

/** The trust in a solver's web pictures as rehearsals would report it; what people said of them stays. */
export function reportedTrust(solver: BowerbirdSolver, { slope, added }: Reporting): Float64Array {
  const { webKnown } = solver.ground;
  const judged = (_: number, i: number) => !webKnown?.[i];
  const evidence = evidenceOf(solver)
    .filter(judged)
    .map((value) => slope * value);
  const trust = trustByEvidence(evidence, added).values();
  return solver.trust.map((said, i) => (judged(said, i) ? trust.next().value! : said));
}

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Values of web pictures, which a fit keeps in the order of their labels, as the problem has them. */
export function inGivenOrder(values: Float64Array, order: Int32Array): Float64Array {
  const result = new Float64Array(values.length);
  for (let i = 0; i < order.length; i++) result[order[i]] = values[i];
  return result;
}
