/**
 * How far web pictures are trusted where that is reported. While a folder is settled, the share of wrong pictures is held near
 * what is usual, and evidence is believed as far as crawled pictures of auxiliary categories, whose truth is only guessed at picture
 * by picture, taught it. But how many of these are right can be told well from their labels; so the log odds b that make their
 * rehearsed trust add up to that are added to those of the real pictures, and the share of wrong ones is estimated from these.
 */
import type { Matrix } from '../../linalg/index.js';
import type { BowerbirdSolver } from './solver.js';
import { logOdds } from './vectors.js';

/** Sharpnesses that are tried, over that of the rehearsal, and shares of right labels. */
const sharpnesses = [0.25, 0.35, 0.5, 0.7, 1, 1.4, 2];
const rightShares = Array.from({ length: 39 }, (_, k) => (k + 1) / 40);

/**
 * The share π of right labels. A picture labelled c shows c with chance π, else any other of the K categories:
 * p(x | c) = π f_c + (1 − π) (Σ_k f_k − f_c) / (K − 1), f_k = exp(−β ‖x − μ_k‖²). β and π are those under which the labels,
 * given the pictures and that each label is as frequent, are likeliest.
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
  const n = labels.length;
  const [own, ofNamed] = [new Float64Array(n), new Float64Array(n)];
  let best = { likelihood: Number.NEGATIVE_INFINITY, share: 0.5 };
  for (const sharpness of sharpnesses) {
    // Over the sum of all.
    for (let i = 0; i < n; i++) {
      const row = far.row(i);
      const least = row.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
      const densities = row.map((distance) => Math.exp(-usual * sharpness * (distance - least)));
      const sum = densities.reduce((a, b) => a + b, 0);
      own[i] = densities[labels[i]] / sum;
      ofNamed[i] = densities.subarray(0, named).reduce((a, b) => a + b, 0) / sum;
    }
    for (const share of rightShares) {
      const wrong = (1 - share) / (far.cols - 1);
      let likelihood = 0;
      for (let i = 0; i < n; i++)
        likelihood += Math.log(((share - wrong) * own[i] + wrong) / ((share - wrong) * ofNamed[i] + wrong * named));
      if (likelihood > best.likelihood) best = { likelihood, share };
    }
  }
  return best.share;
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

/** Web pictures of a rehearsed folder: log odds without those of their share, and the share of them that is right. */
export interface RehearsedTrust {
  readonly evidence: Float64Array;
  readonly share: number;
}

const mostAdded = 3;

/** b: added to the evidence, it makes the trust in rehearsed pictures add up to those that are right. */
export function addedToEvidence(rehearsed: readonly RehearsedTrust[]): number {
  let [low, high] = [-mostAdded, mostAdded];
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    const excess = rehearsed.reduce(
      (sum, { evidence, share }) => sum + meanOf(trustByEvidence(evidence, middle)) - share,
      0,
    );
    if (excess > 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** What speaks for the web pictures of a solver without the share of wrong ones. */
export function evidenceOf({ trust, wrongShare }: BowerbirdSolver): Float64Array {
  return trust.map((chance) => logOdds(Math.min(1 - 1e-12, Math.max(1e-12, chance))) + logOdds(wrongShare));
}

/** The trust in a solver's web pictures with what rehearsals add; what people said of them stays. */
export function reportedTrust(solver: BowerbirdSolver, added: number): Float64Array {
  const { webKnown } = solver.ground;
  const judged = (_: number, i: number) => !webKnown?.[i];
  const trust = trustByEvidence(evidenceOf(solver).filter(judged), added).values();
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
