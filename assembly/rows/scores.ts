// Scores that are linear in squared distances, how far two matrices are apart, products of their rows, and rows times numbers.

import { pair, sum } from './lanes';

/** p ← factor max(0, length − 2 p + square) + constant; constants of columns are f64. */
// @ts-ignore: decorator
@inline
function scores<T>(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, factors: usize, constants: usize,
): void {
  const even = n & ~1;
  const zero = f64x2.splat(0);
  for (let i = 0; i < m; i++) {
    const row = products + usize(i) * stride;
    const length = load<f64>(lengths + usize(i) * 8);
    const long = f64x2.splat(length);
    for (let c = 0; c < even; c += 2) {
      const at = usize(c) * 8;
      const p = pair<T>(row + usize(c) * sizeof<T>());
      const distance = f64x2.pmax(zero, f64x2.add(f64x2.sub(long, f64x2.add(p, p)), v128.load(squares + at)));
      const score = f64x2.add(f64x2.mul(v128.load(factors + at), distance), v128.load(constants + at));
      if (sizeof<T>() === 8) v128.store(row + at, score);
      else v128.store64_lane(row + usize(c) * 4, f32x4.demote_f64x2_zero(score), 0);
    }
    if (even < n) {
      const at = usize(even) * 8;
      const place = row + usize(even) * sizeof<T>();
      const distance = max<f64>(0, length - 2 * f64(load<T>(place)) + load<f64>(squares + at));
      store<T>(place, <T>(load<f64>(factors + at) * distance + load<f64>(constants + at)));
    }
  }
}

export function scoreRows32(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, factors: usize, constants: usize,
): void {
  scores<f32>(m, n, products, stride, lengths, squares, factors, constants);
}

export function scoreRows64(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, factors: usize, constants: usize,
): void {
  scores<f64>(m, n, products, stride, lengths, squares, factors, constants);
}

/** Σ |a − b| */
// @ts-ignore: decorator
@inline
function differences<T>(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize): f64 {
  const even = n & ~1;
  let total: f64 = 0;
  for (let i = 0; i < m; i++) {
    const x = a + usize(i) * lda;
    const y = b + usize(i) * ldb;
    let own = f64x2.splat(0);
    for (let c = 0; c < even; c += 2) {
      const at = usize(c) * sizeof<T>();
      own = f64x2.add(own, f64x2.abs(f64x2.sub(pair<T>(x + at), pair<T>(y + at))));
    }
    total += sum(own);
    if (even < n) {
      const at = usize(even) * sizeof<T>();
      total += abs(f64(load<T>(x + at)) - f64(load<T>(y + at)));
    }
  }
  return total;
}

export function sumOfDifferences32(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize): f64 {
  return differences<f32>(m, n, a, lda, b, ldb);
}

export function sumOfDifferences64(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize): f64 {
  return differences<f64>(m, n, a, lda, b, ldb);
}

/** out[i] ← (row i of a) · (row i of b), four sums at a time; f64 */
// @ts-ignore: decorator
@inline
function dots<T>(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize, out: usize): void {
  const whole = n & ~3;
  for (let i = 0; i < m; i++) {
    const x = a + usize(i) * lda;
    const y = b + usize(i) * ldb;
    let first = f64x2.splat(0);
    let second = f64x2.splat(0);
    for (let c = 0; c < whole; c += 4) {
      const at = usize(c) * sizeof<T>();
      const next = at + 2 * sizeof<T>();
      first = f64x2.add(first, f64x2.mul(pair<T>(x + at), pair<T>(y + at)));
      second = f64x2.add(second, f64x2.mul(pair<T>(x + next), pair<T>(y + next)));
    }
    let total = sum(f64x2.add(first, second));
    for (let c = whole; c < n; c++) {
      const at = usize(c) * sizeof<T>();
      total += f64(load<T>(x + at)) * f64(load<T>(y + at));
    }
    store<f64>(out + usize(i) * 8, total);
  }
}

export function rowDots32(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize, out: usize): void {
  dots<f32>(m, n, a, lda, b, ldb, out);
}

export function rowDots64(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize, out: usize): void {
  dots<f64>(m, n, a, lda, b, ldb, out);
}

/** Row i times factors[i], which are f64. */
// @ts-ignore: decorator
@inline
function scaled<T>(m: i32, n: i32, rows: usize, stride: usize, factors: usize): void {
  const even = n & ~1;
  for (let i = 0; i < m; i++) {
    const row = rows + usize(i) * stride;
    const factor = load<f64>(factors + usize(i) * 8);
    const both = f64x2.splat(factor);
    for (let c = 0; c < even; c += 2) {
      const at = row + usize(c) * sizeof<T>();
      const value = f64x2.mul(pair<T>(at), both);
      if (sizeof<T>() === 8) v128.store(at, value);
      else v128.store64_lane(at, f32x4.demote_f64x2_zero(value), 0);
    }
    if (even < n) {
      const at = row + usize(even) * sizeof<T>();
      store<T>(at, <T>(f64(load<T>(at)) * factor));
    }
  }
}

export function scaleRows32(m: i32, n: i32, rows: usize, stride: usize, factors: usize): void {
  scaled<f32>(m, n, rows, stride, factors);
}

export function scaleRows64(m: i32, n: i32, rows: usize, stride: usize, factors: usize): void {
  scaled<f64>(m, n, rows, stride, factors);
}
