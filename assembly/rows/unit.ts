// Rows brought to unit length by two divisions, as problem/normalize.ts does it: by their largest size first, so that squares
// neither overflow nor vanish. The order of every sum is the same there.

/** Two elements from `at` on. */
// @ts-ignore: decorator
@inline
function pair<T>(at: usize): v128 {
  return sizeof<T>() == 8 ? v128.load(at) : f64x2.promote_low_f32x4(v128.load64_zero(at));
}

/** Largest size in a row; NaN where an element is none. */
// @ts-ignore: decorator
@inline
function largestSize<T>(row: usize, n: i32): f64 {
  let even = f64x2.splat(0);
  let odd = f64x2.splat(0);
  let c = 0;
  for (; c + 4 <= n; c += 4) {
    even = f64x2.max(even, f64x2.abs(pair<T>(row + usize(c) * sizeof<T>())));
    odd = f64x2.max(odd, f64x2.abs(pair<T>(row + usize(c + 2) * sizeof<T>())));
  }
  const all = f64x2.max(even, odd);
  let largest = max<f64>(f64x2.extract_lane(all, 0), f64x2.extract_lane(all, 1));
  for (; c < n; c++) largest = max<f64>(largest, abs<f64>(f64(load<T>(row + usize(c) * sizeof<T>()))));
  return largest;
}

/** Length of a row over its largest size. */
// @ts-ignore: decorator
@inline
function lengthOver<T>(row: usize, n: i32, largest: f64): f64 {
  const divisor = f64x2.splat(largest);
  let squares: f64 = 0;
  let c = 0;
  for (; c + 2 <= n; c += 2) {
    const parts = f64x2.div(pair<T>(row + usize(c) * sizeof<T>()), divisor);
    const both = f64x2.mul(parts, parts);
    squares += f64x2.extract_lane(both, 0);
    squares += f64x2.extract_lane(both, 1);
  }
  if (c < n) {
    const part = f64(load<T>(row + usize(c) * sizeof<T>())) / largest;
    squares += part * part;
  }
  return Math.sqrt(squares);
}

/** x ← x / a / b for the row's numbers a and b, which are found and kept where a is 0; rows that have no length stay. */
// @ts-ignore: decorator
@inline
function toUnit<T>(m: i32, n: i32, rows: usize, stride: usize, largests: usize, lengths: usize): void {
  for (let i = 0; i < m; i++) {
    const row = rows + usize(i) * stride;
    let largest = load<f64>(largests + usize(i) * 8);
    if (largest === 0) {
      largest = largestSize<T>(row, n);
      store<f64>(largests + usize(i) * 8, largest);
      if (!(largest > 0 && largest < Infinity)) continue;
      store<f64>(lengths + usize(i) * 8, lengthOver<T>(row, n, largest));
    }
    const length = load<f64>(lengths + usize(i) * 8);
    const first = f64x2.splat(largest);
    const second = f64x2.splat(length);
    let c = 0;
    for (; c + 2 <= n; c += 2) {
      const at = row + usize(c) * sizeof<T>();
      const scaled = f64x2.div(f64x2.div(pair<T>(at), first), second);
      if (sizeof<T>() == 8) v128.store(at, scaled);
      else v128.store64_lane(at, f32x4.demote_f64x2_zero(scaled), 0);
    }
    if (c < n) {
      const at = row + usize(c) * sizeof<T>();
      store<T>(at, <T>(f64(load<T>(at)) / largest / length));
    }
  }
}

export function unitRows32(m: i32, n: i32, rows: usize, stride: usize, largests: usize, lengths: usize): void {
  toUnit<f32>(m, n, rows, stride, largests, lengths);
}

export function unitRows64(m: i32, n: i32, rows: usize, stride: usize, largests: usize, lengths: usize): void {
  toUnit<f64>(m, n, rows, stride, largests, lengths);
}
