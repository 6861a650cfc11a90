/**
 * Log densities of web pictures about a mean: Student's t in d dimensions with `tails` · d degrees of freedom, times the
 * sharpness, since edited pictures lie far out in the right direction. What all of them share is left out.
 */
export class Densities {
  readonly #sharpness: number;
  readonly #dimension: number;
  readonly #freedom: number;

  constructor(dimension: number, { sharpness, tails }: { sharpness: number; tails: number }) {
    this.#sharpness = sharpness;
    this.#dimension = dimension;
    this.#freedom = tails * dimension;
  }

  /** At a squared distance from the mean. */
  at(distance: number, variance: number, logVariance = Math.log(variance)): number {
    const [d, freedom] = [this.#dimension, this.#freedom];
    return (-this.#sharpness * (d * logVariance + (freedom + d) * Math.log1p(distance / variance / freedom))) / 2;
  }

  /** How much a picture at this distance counts in the mean, beside one of a normal distribution. */
  nearness(distance: number, variance: number): number {
    return (this.#freedom + this.#dimension) / (this.#freedom + distance / variance);
  }

  /** Those at several means of variances v_c, as powers: exp(density) = (s_c (b_c + distance))^−power. */
  mixture(squares: Float64Array, variances: Float64Array) {
    const [d, freedom] = [this.#dimension, this.#freedom];
    return {
      squares,
      shifts: variances.map((variance) => variance * freedom),
      scales: variances.map((variance) => variance ** (d / (freedom + d)) / (variance * freedom)),
      power: (this.#sharpness * (freedom + d)) / 2,
    };
  }
}
