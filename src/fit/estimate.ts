/**
 * How right a folder is, from a few answers and without a labelled test set. Now and then a picture is drawn at random
 * from the unanswered ones, U of them, with known chances π, and checked: r = 1 where the fit was right. Its weight is
 * w = 1 / (U π), and the share of wrong answers is ê = Σ w (1 − r) / Σ w (Hájek's estimate). Questions that were chosen for
 * their worth are no sample, but what they found is known: the wrong answers they put right are taken off. With Ū the mean
 * of U and ḡ the mean number of mistakes found since each check, Ū ê − ḡ wrong answers are left.
 *
 * Places of the draws are a golden-ratio sequence over the pictures in the order of their confidence, so that any number
 * of them is spread over all degrees of confidence: strata without borders. The variance is estimated from differences of
 * draws that lie side by side, and Wilson's interval is that of as many plain draws as give the same variance.
 */

/** How a check was drawn. */
export interface Drawn {
  /** w */
  readonly weight: number;
  /** Between 0 and 1. */
  readonly place: number;
  /** U */
  readonly open: number;
}

/** A question that was answered: whether the fit was right before it was, and how it was drawn where it was a check. */
export interface AnsweredQuestion {
  readonly right: boolean;
  readonly drawn?: Drawn;
}

export interface AccuracyEstimate {
  /** Share of the folder that is right, and its 95 % interval. */
  readonly accuracy: number;
  readonly low: number;
  readonly high: number;
  /** Pictures checked at random. */
  readonly checked: number;
  /** Pictures that people answered. */
  readonly answered: number;
  readonly pictures: number;
  /** More checks that would halve the interval. */
  readonly moreToHalve: number;
}

/** 95 % of the normal distribution lies within. */
const quantile = 1.959964;
const golden = (Math.sqrt(5) - 1) / 2;

/**
 * @param questions in the order in which they were answered, checks and others
 * @param answered pictures that people answered, whether asked or not
 * @returns undefined where nothing was checked
 */
export function estimateAccuracy(
  questions: readonly AnsweredQuestion[],
  answered: number,
  pictures: number,
): AccuracyEstimate | undefined {
  const checks = questions.filter(({ drawn }) => drawn);
  if (checks.length === 0 || pictures === 0) return undefined;
  const weights = Float64Array.from(checks, ({ drawn }) => drawn!.weight);
  const total = sum(weights);
  const share = sum(weights.map((weight, k) => (checks[k].right ? weight : 0))) / total;
  const { low, high } = wilson(share, worth(checks, share));
  const [open, found] = [mean(checks.map(({ drawn }) => drawn!.open)), meanFoundSince(questions)];
  const left = Math.max(0, pictures - answered);
  const right = (rate: number) => 1 - Math.min(left, Math.max(0, open * (1 - rate) - found)) / pictures;
  return {
    ...{ accuracy: right(share), low: right(low), high: right(high) },
    ...{ checked: checks.length, answered, pictures },
    moreToHalve: Math.min(left, 3 * checks.length),
  };
}

/** As many plain draws as these are worth. */
function worth(checks: readonly AnsweredQuestion[], share: number): number {
  const n = checks.length;
  const total = checks.reduce((sum, { drawn }) => sum + drawn!.weight, 0);
  const plain = total ** 2 / checks.reduce((sum, { drawn }) => sum + drawn!.weight ** 2, 0);
  if (share === 0 || share === 1) return plain;
  const ordered = [...checks].sort((a, b) => a.drawn!.place - b.drawn!.place);
  const residuals = ordered.map(({ right, drawn }) => drawn!.weight * (Number(right) - share));
  let squares = 0;
  for (let k = 1; k < n; k++) squares += (residuals[k] - residuals[k - 1]) ** 2;
  const variance = (squares / (2 * (n - 1))) * (n / total ** 2);
  // Few draws may lie smoothly by chance: never more than two plain ones each.
  return Math.min(2 * n, Math.max(plain, (share * (1 - share)) / Math.max(variance, 1e-12)));
}

/** Mistakes that a check and all questions after it found, on average over the checks. */
function meanFoundSince(questions: readonly AnsweredQuestion[]): number {
  let [found, all, checks] = [0, 0, 0];
  for (const { right, drawn } of questions.toReversed()) {
    if (!right) found++;
    if (!drawn) continue;
    all += found;
    checks++;
  }
  return all / checks;
}

/** Wilson's interval (JASA 1927) for a share seen in `size` draws. */
export function wilson(share: number, size: number): { low: number; high: number } {
  const z = quantile ** 2 / size;
  const centre = (share + z / 2) / (1 + z);
  const half = (quantile / (1 + z)) * Math.sqrt((share * (1 - share)) / size + z / (4 * size));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * The picture to check after so many others, with chances in proportion to √(p(1 − p)) of its confidence p, at least a
 * third of those of the least sure: where nothing is in doubt, little can be learnt.
 * @param confidence of the unanswered pictures
 * @param start between 0 and 1, the same for all checks of a folder
 */
export function drawCheck(
  confidence: Float64Array,
  checks: number,
  start: number,
): { picture: number; drawn: Drawn } | undefined {
  const open = confidence.length;
  if (open === 0) return undefined;
  const place = (start + checks * golden) % 1;
  const order = [...confidence.keys()].sort((a, b) => confidence[a] - confidence[b]);
  const sizes = order.map((j) => Math.max(0.5 / 3, Math.sqrt(Math.max(0, confidence[j] * (1 - confidence[j])))));
  const total = sum(sizes);
  let [left, k] = [place * total, 0];
  while (k < open - 1 && left >= sizes[k]) left -= sizes[k++];
  return { picture: order[k], drawn: { weight: total / (open * sizes[k]), place, open } };
}

function sum(values: ArrayLike<number>): number {
  let result = 0;
  for (let k = 0; k < values.length; k++) result += values[k];
  return result;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
