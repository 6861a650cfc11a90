/**
 * Confidence that means something: (1 − doubt) softmax(scores/(σ T)) + doubt/C, where σ is the mean spread of a picture's scores over the
 * categories, which makes classifiers comparable, and the temperature T minimizes the negative log-likelihood on
 * pictures whose category is known (Guo et al., "On calibration of modern neural networks", ICML 2017). Those are the
 * pictures of the validation categories, classified by the same method fitted for them; test labels are not touched. What
 * was learnt from n pictures leaves a doubt (`doubtAfter`), however clear those n were.
 */
import { ArgumentError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import { leastOnLogScale, softmaxInPlace } from '../numerics/index.js';
import { rowMaxima } from '../problem/index.js';

export interface Sharpness {
  readonly temperature: number;
  /** σ of the classifier it belongs to. */
  readonly spread: number;
  readonly doubt: number;
}

export interface Reliability {
  pictures: number;
  accuracy: number;
  meanConfidence: number;
  /** Expected calibration error: the mean gap between confidence and accuracy over fifteen groups of like confidence. */
  expectedCalibrationError: number;
}

/** Mean over pictures of the standard deviation of their scores. */
export function scoreSpread(scores: Matrix): number {
  let total = 0;
  for (let i = 0; i < scores.rows; i++) {
    const row = scores.row(i);
    let mean = 0;
    for (let c = 0; c < row.length; c++) mean += row[c] / row.length;
    let squares = 0;
    for (let c = 0; c < row.length; c++) squares += (row[c] - mean) ** 2;
    total += Math.sqrt(squares / row.length);
  }
  return total / scores.rows || 1;
}

/** Probabilities of the categories, a row at a time. */
export function confidences(scores: ArrayLike<number>, { temperature, spread, doubt }: Sharpness): Float64Array {
  const scale = 1 / (temperature * spread);
  const chances = Float64Array.from(scores, (score) => score * scale);
  softmaxInPlace(chances);
  return chances.map((chance) => (1 - doubt) * chance + doubt / chances.length);
}

/** The same of n rows of scores. */
export function chancesOf(scores: Matrix, sharpness: Sharpness): Matrix<Float64Array> {
  const chances = Matrix.zeros(scores.rows, scores.cols);
  for (let i = 0; i < scores.rows; i++) chances.row(i).set(confidences(scores.row(i), sharpness));
  return chances;
}

/** The temperature with the smallest negative log-likelihood; it is unimodal in log T. */
export function findTemperature(scores: Matrix, labels: Int32Array): number {
  if (scores.rows === 0 || scores.rows !== labels.length)
    throw new ArgumentError(`findTemperature: ${scores.rows} rows of scores for ${labels.length} labels`);
  const spread = scoreSpread(scores);
  const loss = (temperature: number) => {
    let sum = 0;
    for (let i = 0; i < scores.rows; i++)
      sum -= Math.log(Math.max(1e-300, confidences(scores.row(i), { temperature, spread, doubt: 0 })[labels[i]]));
    return sum;
  };
  return leastOnLogScale(loss, 1e-2, 1e2, 1e-4);
}

const groups = 15;

/** How well confidence holds: for each picture the chance that its answer is right, and whether it was. */
export function reliability(confidence: ArrayLike<number>, right: ArrayLike<boolean>): Reliability {
  const counts = Array.from({ length: groups }, () => ({ right: 0, confidence: 0 }));
  for (let i = 0; i < confidence.length; i++) {
    const group = counts[Math.max(0, Math.min(groups - 1, Math.floor(confidence[i] * groups)))];
    group.confidence += confidence[i];
    if (right[i]) group.right++;
  }
  const pictures = confidence.length;
  const total = (key: 'right' | 'confidence') => counts.reduce((sum, group) => sum + group[key], 0) / pictures;
  const gap = counts.reduce((sum, group) => sum + Math.abs(group.right - group.confidence), 0);
  return {
    pictures,
    accuracy: total('right'),
    meanConfidence: total('confidence'),
    expectedCalibrationError: gap / pictures,
  };
}

/** The same of scores, for the pictures that show a candidate. */
export function scoreReliability(scores: Matrix, labels: Int32Array, sharpness: Sharpness): Reliability {
  const listed = [...labels.keys()].filter((i) => labels[i] >= 0);
  const best = rowMaxima(scores);
  return reliability(
    listed.map((i) => confidences(scores.row(i), sharpness)[best[i]]),
    listed.map((i) => best[i] === labels[i]),
  );
}
