// Operations on rows: dot products, linear combinations, plane rotations, gathering.

/** Σ_k x_k y_k with two vector accumulators. */
// @ts-ignore: decorator
@inline
export function dot<T>(n: i32, x: usize, y: usize): T {
  const lanes = i32(16 / sizeof<T>());
  let s0 = v128.splat<T>(0);
  let s1 = v128.splat<T>(0);
  let k = 0;
  for (; k <= n - 2 * lanes; k += 2 * lanes) {
    s0 = v128.add<T>(s0, v128.mul<T>(v128.load(x, 0), v128.load(y, 0)));
    s1 = v128.add<T>(s1, v128.mul<T>(v128.load(x, 16), v128.load(y, 16)));
    x += 32;
    y += 32;
  }
  s0 = v128.add<T>(s0, s1);
  let sum: T = v128.extract_lane<T>(s0, 0) + v128.extract_lane<T>(s0, 1);
  if (sizeof<T>() === 4) sum = sum + (v128.extract_lane<T>(s0, 2) + v128.extract_lane<T>(s0, 3));
  for (; k < n; k++) {
    sum = sum + load<T>(x) * load<T>(y);
    x += sizeof<T>();
    y += sizeof<T>();
  }
  return sum;
}

// @ts-ignore: decorator
@inline
export function sumLanes(s: v128): f64 {
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}

/** out_q = (row q) · x for `count` rows of length n, four rows in one pass over x. */
export function dotRows(n: i32, count: i32, rows: usize, ldBytes: usize, x: usize, out: usize): void {
  const vectorEnd = x + (usize(n) & ~1) * 8;
  let q = 0;
  for (; q + 4 <= count; q += 4) {
    let r0 = rows + usize(q) * ldBytes;
    let r1 = r0 + ldBytes;
    let r2 = r1 + ldBytes;
    let r3 = r2 + ldBytes;
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    let s2 = f64x2.splat(0);
    let s3 = f64x2.splat(0);
    let xp = x;
    for (; xp < vectorEnd; xp += 16) {
      const xv = v128.load(xp);
      s0 = f64x2.add(s0, f64x2.mul(v128.load(r0), xv));
      s1 = f64x2.add(s1, f64x2.mul(v128.load(r1), xv));
      s2 = f64x2.add(s2, f64x2.mul(v128.load(r2), xv));
      s3 = f64x2.add(s3, f64x2.mul(v128.load(r3), xv));
      r0 += 16;
      r1 += 16;
      r2 += 16;
      r3 += 16;
    }
    const last: f64 = n & 1 ? load<f64>(xp) : 0;
    const o = out + usize(q) * 8;
    store<f64>(o, sumLanes(s0) + (n & 1 ? load<f64>(r0) * last : 0), 0);
    store<f64>(o, sumLanes(s1) + (n & 1 ? load<f64>(r1) * last : 0), 8);
    store<f64>(o, sumLanes(s2) + (n & 1 ? load<f64>(r2) * last : 0), 16);
    store<f64>(o, sumLanes(s3) + (n & 1 ? load<f64>(r3) * last : 0), 24);
  }
  for (; q < count; q++) store<f64>(out + usize(q) * 8, dot<f64>(n, rows + usize(q) * ldBytes, x));
}

/** y ← y - Σ_q c_q (row q) over `count` rows of length n, four rows in one pass over y. */
export function subtractRows(n: i32, count: i32, rows: usize, ldBytes: usize, coefficients: usize, y: usize): void {
  const vectorEnd = y + (usize(n) & ~1) * 8;
  let q = 0;
  for (; q + 4 <= count; q += 4) {
    let r0 = rows + usize(q) * ldBytes;
    let r1 = r0 + ldBytes;
    let r2 = r1 + ldBytes;
    let r3 = r2 + ldBytes;
    const at = coefficients + usize(q) * 8;
    const c0 = load<f64>(at, 0);
    const c1 = load<f64>(at, 8);
    const c2 = load<f64>(at, 16);
    const c3 = load<f64>(at, 24);
    const v0 = f64x2.splat(c0);
    const v1 = f64x2.splat(c1);
    const v2 = f64x2.splat(c2);
    const v3 = f64x2.splat(c3);
    let yp = y;
    for (; yp < vectorEnd; yp += 16) {
      const s01 = f64x2.add(f64x2.mul(v0, v128.load(r0)), f64x2.mul(v1, v128.load(r1)));
      const s23 = f64x2.add(f64x2.mul(v2, v128.load(r2)), f64x2.mul(v3, v128.load(r3)));
      v128.store(yp, f64x2.sub(v128.load(yp), f64x2.add(s01, s23)));
      r0 += 16;
      r1 += 16;
      r2 += 16;
      r3 += 16;
    }
    if (n & 1) {
      const s = c0 * load<f64>(r0) + c1 * load<f64>(r1) + (c2 * load<f64>(r2) + c3 * load<f64>(r3));
      store<f64>(yp, load<f64>(yp) - s);
    }
  }
  for (; q < count; q++) addScaled(n, -load<f64>(coefficients + usize(q) * 8), rows + usize(q) * ldBytes, y);
}

/** y ← y + c x */
export function addScaled(n: i32, c: f64, x: usize, y: usize): void {
  const cv = f64x2.splat(c);
  const vectorEnd = y + (usize(n) & ~1) * 8;
  for (; y < vectorEnd; y += 16) {
    v128.store(y, f64x2.add(v128.load(y), f64x2.mul(cv, v128.load(x))));
    x += 16;
  }
  if (n & 1) store<f64>(y, load<f64>(y) + c * load<f64>(x));
}

/** y ← c x; the two may be the same. */
export function scaleInto(n: i32, c: f64, x: usize, y: usize): void {
  const cv = f64x2.splat(c);
  const vectorEnd = y + (usize(n) & ~1) * 8;
  for (; y < vectorEnd; y += 16) {
    v128.store(y, f64x2.mul(cv, v128.load(x)));
    x += 16;
  }
  if (n & 1) store<f64>(y, c * load<f64>(x));
}

/** (x, y) ← (c x + s y, c y - s x) */
export function rotateRows(n: i32, x: usize, y: usize, c: f64, s: f64): void {
  const cv = f64x2.splat(c);
  const sv = f64x2.splat(s);
  const vectorEnd = x + (usize(n) & ~1) * 8;
  for (; x < vectorEnd; x += 16) {
    const xv = v128.load(x);
    const yv = v128.load(y);
    v128.store(x, f64x2.add(f64x2.mul(cv, xv), f64x2.mul(sv, yv)));
    v128.store(y, f64x2.sub(f64x2.mul(cv, yv), f64x2.mul(sv, xv)));
    y += 16;
  }
  if (n & 1) {
    const xs = load<f64>(x);
    const ys = load<f64>(y);
    store<f64>(x, c * xs + s * ys);
    store<f64>(y, c * ys - s * xs);
  }
}

/** Row r of the target ← row indices[r] of the source, `count` rows of n float64. */
export function gatherRows(
  n: i32, count: i32, target: usize, targetBytes: usize, source: usize, sourceBytes: usize, indices: usize,
): void {
  for (let r = 0; r < count; r++) {
    memory.copy(target, source + usize(load<i32>(indices + usize(r) * 4)) * sourceBytes, usize(n) * 8);
    target += targetBytes;
  }
}
