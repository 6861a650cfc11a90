// Sums of other rows, as a sparse matrix says.

import { pair, sum } from './lanes';

/** Row i of Y ← row i of Y + Σ_e values[e] (row columns[e] of X), e from starts[i] to starts[i + 1]; four vectors at a time. */
// @ts-ignore: decorator
@inline
function sparse<T>(
  m: i32, n: i32, starts: usize, columns: usize, values: usize, x: usize, ldx: usize, y: usize, ldy: usize,
): void {
  const lanes = 16 / sizeof<T>();
  const wide = n - (n % (4 * i32(lanes)));
  for (let i = 0; i < m; i++) {
    const first = load<i32>(starts + usize(i) * 4);
    const last = load<i32>(starts + usize(i) * 4, 4);
    const row = y + usize(i) * ldy;
    let c = 0;
    for (; c < wide; c += 4 * i32(lanes)) {
      const at = usize(c) * sizeof<T>();
      let a = v128.load(row + at);
      let b = v128.load(row + at, 16);
      let d = v128.load(row + at, 32);
      let f = v128.load(row + at, 48);
      for (let e = first; e < last; e++) {
        const from = x + usize(load<i32>(columns + usize(e) * 4)) * ldx + at;
        const factor = v128.splat<T>(load<T>(values + usize(e) * sizeof<T>()));
        a = v128.add<T>(a, v128.mul<T>(factor, v128.load(from)));
        b = v128.add<T>(b, v128.mul<T>(factor, v128.load(from, 16)));
        d = v128.add<T>(d, v128.mul<T>(factor, v128.load(from, 32)));
        f = v128.add<T>(f, v128.mul<T>(factor, v128.load(from, 48)));
      }
      v128.store(row + at, a);
      v128.store(row + at, b, 16);
      v128.store(row + at, d, 32);
      v128.store(row + at, f, 48);
    }
    for (; c < n; c++) {
      const at = usize(c) * sizeof<T>();
      let own = load<T>(row + at);
      for (let e = first; e < last; e++) {
        const from = x + usize(load<i32>(columns + usize(e) * 4)) * ldx + at;
        own += load<T>(values + usize(e) * sizeof<T>()) * load<T>(from);
      }
      store<T>(row + at, own);
    }
  }
}

export function sparseRows32(
  m: i32, n: i32, starts: usize, columns: usize, values: usize, x: usize, ldx: usize, y: usize, ldy: usize,
): void {
  sparse<f32>(m, n, starts, columns, values, x, ldx, y, ldy);
}

export function sparseRows64(
  m: i32, n: i32, starts: usize, columns: usize, values: usize, x: usize, ldx: usize, y: usize, ldy: usize,
): void {
  sparse<f64>(m, n, starts, columns, values, x, ldx, y, ldy);
}

/** Σ_i Σ_e values[e] (row i of X)·(row columns[e] of X) over m rows from `first` on; values are f64. */
// @ts-ignore: decorator
@inline
function form<T>(m: i32, n: i32, first: i32, starts: usize, columns: usize, values: usize, x: usize, ldx: usize): f64 {
  const even = n & ~1;
  let total: f64 = 0;
  for (let i = 0; i < m; i++) {
    const row = x + usize(first + i) * ldx;
    const end = load<i32>(starts + usize(i) * 4, 4);
    for (let e = load<i32>(starts + usize(i) * 4); e < end; e++) {
      const other = x + usize(load<i32>(columns + usize(e) * 4)) * ldx;
      let dot = f64x2.splat(0);
      for (let c = 0; c < even; c += 2) {
        const at = usize(c) * sizeof<T>();
        dot = f64x2.add(dot, f64x2.mul(pair<T>(row + at), pair<T>(other + at)));
      }
      let own = sum(dot);
      if (even < n) {
        const at = usize(even) * sizeof<T>();
        own += f64(load<T>(row + at)) * f64(load<T>(other + at));
      }
      total += load<f64>(values + usize(e) * 8) * own;
    }
  }
  return total;
}

export function sparseForm32(
  m: i32, n: i32, first: i32, starts: usize, columns: usize, values: usize, x: usize, ldx: usize,
): f64 {
  return form<f32>(m, n, first, starts, columns, values, x, ldx);
}

export function sparseForm64(
  m: i32, n: i32, first: i32, starts: usize, columns: usize, values: usize, x: usize, ldx: usize,
): f64 {
  return form<f64>(m, n, first, starts, columns, values, x, ldx);
}
