/**
 * Logistic regression on a few features: minimizes −Σ [t log p + (1 − t) log(1 − p)] + ½ r ‖w‖² over weights of features
 * at zero mean and unit deviation, p = σ(w·f + b), by Newton's method. Targets t may lie between 0 and 1.
 */
export interface Logistic {
  /** Weights of the features as they are. */
  readonly weights: Float64Array;
  readonly intercept: number;
}

const steps = 30;

/**
 * @param rows a row of features for each target
 * @param offsets what is added to w·f + b of each row and not learnt
 */
export function fitLogistic(
  rows: readonly Float64Array[],
  targets: ArrayLike<number>,
  ridge: number,
  offsets?: ArrayLike<number>,
): Logistic {
  const width = rows[0]?.length ?? 0;
  const n = rows.length;
  const means = new Float64Array(width);
  const deviations = new Float64Array(width);
  for (const row of rows) for (let k = 0; k < width; k++) means[k] += row[k] / n;
  for (const row of rows) for (let k = 0; k < width; k++) deviations[k] += (row[k] - means[k]) ** 2 / n;
  for (let k = 0; k < width; k++) deviations[k] = Math.sqrt(deviations[k]) || 1;
  const scaled = new Float64Array(n * width);
  for (let i = 0, at = 0; i < n; i++)
    for (let k = 0; k < width; k++, at++) scaled[at] = (rows[i][k] - means[k]) / deviations[k];
  // A row and, for the intercept, a 1.
  const row = new Float64Array(width + 1).fill(1);
  const size = width + 1;
  const solution = new Float64Array(size);
  for (let step = 0; step < steps; step++) {
    const gradient = new Float64Array(size);
    const curvature = Array.from({ length: size }, () => new Float64Array(size));
    for (let k = 0; k < width; k++) {
      gradient[k] = -ridge * solution[k];
      curvature[k][k] = ridge;
    }
    curvature[width][width] = 1e-6;
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < width; k++) row[k] = scaled[i * width + k];
      let value = solution[width] + (offsets?.[i] ?? 0);
      for (let k = 0; k < width; k++) value += solution[k] * row[k];
      const p = 1 / (1 + Math.exp(-value));
      const weight = Math.max(p * (1 - p), 1e-9);
      const missing = targets[i] - p;
      for (let k = 0; k < size; k++) {
        gradient[k] += missing * row[k];
        const [to, factor] = [curvature[k], weight * row[k]];
        for (let m = 0; m <= k; m++) to[m] += factor * row[m];
      }
    }
    const change = solveSymmetric(curvature, gradient);
    let largest = 0;
    for (let k = 0; k < size; k++) {
      const bounded = Math.max(-2, Math.min(2, change[k]));
      solution[k] += bounded;
      largest = Math.max(largest, Math.abs(bounded));
    }
    if (largest < 1e-8) break;
  }
  const weights = Float64Array.from({ length: width }, (_, k) => solution[k] / deviations[k]);
  const intercept = weights.reduce((sum, weight, k) => sum - weight * means[k], solution[width]);
  return { weights, intercept };
}

export function logisticValue({ weights, intercept }: Logistic, row: Float64Array): number {
  let value = intercept;
  for (let k = 0; k < weights.length; k++) value += weights[k] * row[k];
  return value;
}

/** Cholesky, of the lower triangle. */
function solveSymmetric(matrix: Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  const x = Float64Array.from(right);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i][j];
      for (let k = 0; k < j; k++) sum -= matrix[i][k] * matrix[j][k];
      matrix[i][j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j][j];
    }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= matrix[i][k] * x[k];
    x[i] /= matrix[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= matrix[k][i] * x[k];
    x[i] /= matrix[i][i];
  }
  return x;
}
