/**
 * The gamma function's logarithm and the derivatives of it that Dirichlet distributions need, by recurrence to large arguments and
 * the asymptotic series there (Abramowitz and Stegun, 6.1.41, 6.3.18 and 6.4.12): about 12 digits for positive arguments.
 */

/** log Γ(x), x > 0. */
export function logGamma(x: number): number {
  let [shift, y] = [0, x];
  for (; y < 8; y++) shift += Math.log(y);
  const r = 1 / (y * y);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / y;
  return (y - 0.5) * Math.log(y) - y + Math.log(2 * Math.PI) / 2 + series - shift;
}

/** ψ(x), the derivative of log Γ, x > 0. */
export function digamma(x: number): number {
  let [shift, y] = [0, x];
  for (; y < 8; y++) shift += 1 / y;
  const r = 1 / (y * y);
  return Math.log(y) - 0.5 / y - r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132)))) - shift;
}

/** ψ'(x), x > 0. */
export function trigamma(x: number): number {
  let [shift, y] = [0, x];
  for (; y < 8; y++) shift += 1 / (y * y);
  const r = 1 / (y * y);
  return shift + 1 / y + r / 2 + (r / y) * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - (5 * r) / 66))));
}

/** The x with ψ(x) = y: Newton's method from Minka's start ("Estimating a Dirichlet distribution", 2000, appendix C). */
export function inverseDigamma(y: number): number {
  let x = y >= -2.22 ? Math.exp(y) + 0.5 : -1 / (y - digamma(1));
  for (let step = 0; step < 5; step++) x = Math.max(x - (digamma(x) - y) / trigamma(x), x / 10);
  return x;
}
