/**
 * Confidence that means something: softmax(scores/(σ T)), where σ is the mean spread of a picture's scores over the
 * categories, which makes classifiers comparable, and the temperature T minimises the negative log-likelihood on
 * pictures whose category is known (Guo et al., "On calibration of modern neural networks", ICML 2017). Those are the
 * pictures of the validation categories, classified by the same method fitted for them; test labels are not touched.
 */
import { ArgumentError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import { softmaxInPlace } from '../numerics/index.js';

export interface Sharpness {
  readonly temperature: number;
  /** σ of the classifier it belongs to. */
  readonly spread: number;
}

export interface Reliability {
  pictures: number;
  accuracy: number;
  meanConfidence: number;
  /** Expected calibration error: the mean gap between confidence and accuracy over ten groups of like confidence. */
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
export function confidences(scores: ArrayLike<number>, { temperature, spread }: Sharpness): Float64Array {
  const scale = 1 / (temperature * spread);
  const chances = Float64Array.from(scores, (score) => score * scale);
  softmaxInPlace(chances);
  return chances;
}

/** The same of n rows of scores. */
export function chancesOf(scores: Matrix, sharpness: Sharpness): Matrix<Float64Array> {
  const chances = Matrix.zeros(scores.rows, scores.cols);
  for (let i = 0; i < scores.rows; i++) chances.row(i).set(confidences(scores.row(i), sharpness));
  return chances;
}

/** The temperature with the smallest negative log-likelihood; it is unimodal in log T, so sections are halved. */
export function findTemperature(scores: Matrix, labels: Int32Array): number {
  if (scores.rows === 0 || scores.rows !== labels.length)
    throw new ArgumentError(`findTemperature: ${scores.rows} rows of scores for ${labels.length} labels`);
  const spread = scoreSpread(scores);
  const loss = (logTemperature: number) => {
    const temperature = Math.exp(logTemperature);
    let sum = 0;
    for (let i = 0; i < scores.rows; i++)
      sum -= Math.log(Math.max(1e-300, confidences(scores.row(i), { temperature, spread })[labels[i]]));
    return sum;
  };
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [Math.log(1e-2), Math.log(1e2)];
  while (high - low > 1e-4) {
    const a = high - golden * (high - low);
    const b = low + golden * (high - low);
    if (loss(a) < loss(b)) high = b;
    else low = a;
  }
  return Math.exp((low + high) / 2);
}

const groups = 10;

export function reliability(scores: Matrix, labels: Int32Array, sharpness: Sharpness): Reliability {
  const counts = Array.from({ length: groups }, () => ({ pictures: 0, right: 0, confidence: 0 }));
  for (let i = 0; i < scores.rows; i++) {
    const probabilities = confidences(scores.row(i), sharpness);
    const best = probabilities.reduce((top, value, c) => (value > probabilities[top] ? c : top), 0);
    const group = counts[Math.min(groups - 1, Math.floor(probabilities[best] * groups))];
    group.pictures++;
    group.confidence += probabilities[best];
    if (best === labels[i]) group.right++;
  }
  const total = (key: 'right' | 'confidence') => counts.reduce((sum, group) => sum + group[key], 0) / scores.rows;
  const gap = counts.reduce((sum, { right, confidence }) => sum + Math.abs(right - confidence), 0);
  return {
    pictures: scores.rows,
    accuracy: total('right'),
    meanConfidence: total('confidence'),
    expectedCalibrationError: gap / scores.rows,
  };
}
