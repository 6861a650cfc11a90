// Passes of a perceptron over matrices of f32 whose rows follow each other: what a layer adds and bends, the way back, and a
// step of Adam. Every element is computed in f64 and rounded to f32 where it is stored, in the order of the loops in
// src/numerics/perceptron-passes.ts, so that both give the same bits.

/** The lower and the upper two of four f32 as f64. */
// @ts-ignore: decorator
@inline
function lower(v: v128): v128 {
  return f64x2.promote_low_f32x4(v);
}

// @ts-ignore: decorator
@inline
function upper(v: v128): v128 {
  return f64x2.promote_low_f32x4(i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15));
}

/** Four f32 of two pairs of f64. */
// @ts-ignore: decorator
@inline
function joined(low: v128, high: v128): v128 {
  return i8x16.shuffle(
    f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23,
  );
}

/** z + b where that is above zero, slope (z + b) elsewhere. */
// @ts-ignore: decorator
@inline
function bent(z: v128, b: v128, slope: v128): v128 {
  const value = f64x2.add(z, b);
  return v128.bitselect(value, f64x2.mul(value, slope), f64x2.gt(value, f64x2.splat(0)));
}

/** Row i of z ← φ(row i of z + intercepts), φ(z) = z above zero and slope z elsewhere. */
export function addAndBend(rows: i32, cols: i32, z: usize, intercepts: usize, slope: f64): void {
  const whole = cols & ~3;
  const slopes = f64x2.splat(slope);
  for (let i = 0; i < rows; i++) {
    const row = z + usize(i) * usize(cols) * 4;
    for (let j = 0; j < whole; j += 4) {
      const at = usize(j) * 4;
      const x = v128.load(row + at);
      const b = v128.load(intercepts + at);
      v128.store(row + at, joined(bent(lower(x), lower(b), slopes), bent(upper(x), upper(b), slopes)));
    }
    for (let j = whole; j < cols; j++) {
      const at = usize(j) * 4;
      const value = f64(load<f32>(row + at)) + f64(load<f32>(intercepts + at));
      store<f32>(row + at, f32(value > 0 ? value : slope * value));
    }
  }
}

/** over ← slope over, where under is not above zero */
export function bendBack(count: i32, over: usize, under: usize, slope: f64): void {
  const whole = count & ~3;
  const slopes = f64x2.splat(slope);
  for (let e = 0; e < whole; e += 4) {
    const at = usize(e) * 4;
    const x = v128.load(over + at);
    const less = joined(f64x2.mul(lower(x), slopes), f64x2.mul(upper(x), slopes));
    v128.store(over + at, v128.bitselect(less, x, f32x4.le(v128.load(under + at), f32x4.splat(0))));
  }
  for (let e = whole; e < count; e++) {
    const at = usize(e) * 4;
    if (load<f32>(under + at) <= 0) store<f32>(over + at, f32(slope * f64(load<f32>(over + at))));
  }
}

/** sums ← sums + the rows of a, one after the other; a sum of two f32 is rounded alike in f32 and by way of f64. */
export function addRows(rows: i32, cols: i32, sums: usize, a: usize): void {
  const whole = cols & ~3;
  for (let j = 0; j < whole; j += 4) {
    const at = usize(j) * 4;
    let total = v128.load(sums + at);
    for (let i = 0; i < rows; i++) total = f32x4.add(total, v128.load(a + usize(i) * usize(cols) * 4 + at));
    v128.store(sums + at, total);
  }
  for (let j = whole; j < cols; j++) {
    const at = usize(j) * 4;
    let total = load<f32>(sums + at);
    for (let i = 0; i < rows; i++) total += load<f32>(a + usize(i) * usize(cols) * 4 + at);
    store<f32>(sums + at, total);
  }
}

/** keep · a + (1 − keep) · b */
// @ts-ignore: decorator
@inline
function running(keep: f64, a: v128, b: v128): v128 {
  return f64x2.add(f64x2.mul(f64x2.splat(keep), a), f64x2.mul(f64x2.splat(1 - keep), b));
}

/** keep · a + (1 − keep) · b², in this order of products */
// @ts-ignore: decorator
@inline
function runningSquare(keep: f64, a: v128, b: v128): v128 {
  return f64x2.add(f64x2.mul(f64x2.splat(keep), a), f64x2.mul(f64x2.mul(f64x2.splat(1 - keep), b), b));
}

/** keep · value − rate · mean/(√(squareScale · square) + least) */
// @ts-ignore: decorator
@inline
function moved(value: v128, mean: v128, square: v128, keep: f64, rate: f64, squareScale: f64, least: f64): v128 {
  const size = f64x2.add(f64x2.sqrt(f64x2.mul(f64x2.splat(squareScale), square)), f64x2.splat(least));
  return f64x2.sub(f64x2.mul(f64x2.splat(keep), value), f64x2.div(f64x2.mul(f64x2.splat(rate), mean), size));
}

/** A step of Adam; gradients are zero afterwards. Arrays have room for a whole vector at their end. */
export function step(
  count: i32, values: usize, gradients: usize, means: usize, squares: usize,
  keepMean: f64, keepSquare: f64, keep: f64, rate: f64, squareScale: f64, least: f64,
): void {
  for (let e = 0; e < count; e += 4) {
    const at = usize(e) * 4;
    const slope = v128.load(gradients + at);
    const mean = v128.load(means + at);
    const square = v128.load(squares + at);
    const value = v128.load(values + at);
    const newMean = joined(
      running(keepMean, lower(mean), lower(slope)),
      running(keepMean, upper(mean), upper(slope)),
    );
    const newSquare = joined(
      runningSquare(keepSquare, lower(square), lower(slope)),
      runningSquare(keepSquare, upper(square), upper(slope)),
    );
    v128.store(means + at, newMean);
    v128.store(squares + at, newSquare);
    v128.store(
      values + at,
      joined(
        moved(lower(value), lower(newMean), lower(newSquare), keep, rate, squareScale, least),
        moved(upper(value), upper(newMean), upper(newSquare), keep, rate, squareScale, least),
      ),
    );
    v128.store(gradients + at, f32x4.splat(0));
  }
}
