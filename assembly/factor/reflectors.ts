// The triangular factor of a block of Householder reflectors (Schreiber and Van Loan 1989):
// H_0 H_1 … H_{k-1} = I - Y' F Y with the rows of Y the reflector vectors and F upper triangular.

/**
 * F from the products G = Y Y' and the τ: f_jj = τ_j and f_{0…j-1, j} = -τ_j F_{0…j-1, 0…j-1} G_{0…j-1, j}. The strict
 * lower triangle of F is set to zero.
 */
export function reflectorFactor(count: i32, gram: usize, tau: usize, factor: usize): void {
  const rowBytes = usize(count) * 8;
  memory.fill(factor, 0, usize(count) * rowBytes);
  for (let j = 0; j < count; j++) {
    const t = load<f64>(tau + usize(j) * 8);
    for (let i = 0; i < j; i++) {
      const row = factor + usize(i) * rowBytes;
      let sum: f64 = 0;
      for (let k = i; k < j; k++) {
        sum += load<f64>(row + usize(k) * 8) * load<f64>(gram + usize(k) * rowBytes + usize(j) * 8);
      }
      store<f64>(row + usize(j) * 8, -t * sum);
    }
    store<f64>(factor + usize(j) * (rowBytes + 8), t);
  }
}
