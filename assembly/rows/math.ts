// Exponential and logarithm of two doubles at a time, to within a few units of the last place.

// @ts-ignore: decorator
@inline
function fma(a: v128, b: v128, c: v128): v128 {
  return f64x2.add(f64x2.mul(a, b), c);
}

/** e^x, 0 below −708: x = n ln 2 + r, |r| ≤ ½ ln 2, and the series of e^r. */
// @ts-ignore: decorator
@inline
export function exponential(value: v128): v128 {
  const x = f64x2.min(value, f64x2.splat(709));
  const n = f64x2.nearest(f64x2.mul(x, f64x2.splat(1.4426950408889634)));
  let r = fma(n, f64x2.splat(-6.93147180369123816490e-1), x);
  r = fma(n, f64x2.splat(-1.90821492927058770002e-10), r);
  let p = f64x2.splat(2.08767569878681e-9);
  p = fma(p, r, f64x2.splat(2.505210838544172e-8));
  p = fma(p, r, f64x2.splat(2.755731922398589e-7));
  p = fma(p, r, f64x2.splat(2.7557319223985893e-6));
  p = fma(p, r, f64x2.splat(2.48015873015873e-5));
  p = fma(p, r, f64x2.splat(1.984126984126984e-4));
  p = fma(p, r, f64x2.splat(1.388888888888889e-3));
  p = fma(p, r, f64x2.splat(8.333333333333333e-3));
  p = fma(p, r, f64x2.splat(4.1666666666666664e-2));
  p = fma(p, r, f64x2.splat(1.6666666666666666e-1));
  p = fma(p, r, f64x2.splat(0.5));
  p = fma(p, r, f64x2.splat(1));
  p = fma(p, r, f64x2.splat(1));
  // 2^n by its exponent: n + 1023 as the last bits of n + 1.5 · 2^52, moved to where an exponent stands.
  const biased = f64x2.add(n, f64x2.splat(6755399441055744 + 1023));
  const result = f64x2.mul(p, i64x2.shl(biased, 52));
  return v128.and(result, f64x2.ge(x, f64x2.splat(-708)));
}

/** log x of numbers above 1e-307: x = 2^e m, m from √½ to √2, and 2 artanh((m − 1)/(m + 1)). */
// @ts-ignore: decorator
@inline
export function logarithm(x: v128): v128 {
  // e is counted from √½, so that m lies on both sides of 1.
  const shifted = i64x2.sub(x, i64x2.splat(0x3fe6a09e667f3bcd));
  const e = i64x2.shr_s(shifted, 52);
  const m = i64x2.sub(x, i64x2.shl(e, 52));
  const one = f64x2.splat(1);
  const f = f64x2.div(f64x2.sub(m, one), f64x2.add(m, one));
  const s = f64x2.mul(f, f);
  let p = f64x2.splat(1.0 / 19);
  p = fma(p, s, f64x2.splat(1.0 / 17));
  p = fma(p, s, f64x2.splat(1.0 / 15));
  p = fma(p, s, f64x2.splat(1.0 / 13));
  p = fma(p, s, f64x2.splat(1.0 / 11));
  p = fma(p, s, f64x2.splat(1.0 / 9));
  p = fma(p, s, f64x2.splat(1.0 / 7));
  p = fma(p, s, f64x2.splat(1.0 / 5));
  p = fma(p, s, f64x2.splat(1.0 / 3));
  p = fma(p, s, one);
  // e as a double: the last bits of e + 1.5 · 2^52.
  const magic = f64x2.splat(6755399441055744);
  const count = f64x2.sub(i64x2.add(e, magic), magic);
  return fma(count, f64x2.splat(0.6931471805599453), f64x2.mul(f64x2.mul(f64x2.splat(2), f), p));
}

// The same of four floats at a time, to within a few units of their last place.

// @ts-ignore: decorator
@inline
function fma4(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.mul(a, b), c);
}

/** e^x, 0 below −87. */
// @ts-ignore: decorator
@inline
export function exponential4(x: v128): v128 {
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504)));
  let r = fma4(n, f32x4.splat(-0.693359375), x);
  r = fma4(n, f32x4.splat(2.12194440e-4), r);
  let p = f32x4.splat(1.3888889e-3);
  p = fma4(p, r, f32x4.splat(8.3333333e-3));
  p = fma4(p, r, f32x4.splat(4.1666667e-2));
  p = fma4(p, r, f32x4.splat(1.6666667e-1));
  p = fma4(p, r, f32x4.splat(0.5));
  p = fma4(p, r, f32x4.splat(1));
  p = fma4(p, r, f32x4.splat(1));
  // 2^n by its exponent: n + 127 as the last bits of n + 1.5 · 2^23.
  const biased = f32x4.add(n, f32x4.splat(12582912 + 127));
  const result = f32x4.mul(p, i32x4.shl(biased, 23));
  return v128.and(result, f32x4.ge(x, f32x4.splat(-87)));
}

/** log x of numbers above 1e-37. */
// @ts-ignore: decorator
@inline
export function logarithm4(x: v128): v128 {
  const e = i32x4.shr_s(i32x4.sub(x, i32x4.splat(0x3f3504f3)), 23);
  const m = i32x4.sub(x, i32x4.shl(e, 23));
  const one = f32x4.splat(1);
  const f = f32x4.div(f32x4.sub(m, one), f32x4.add(m, one));
  const s = f32x4.mul(f, f);
  let p = f32x4.splat(1.0 / 9);
  p = fma4(p, s, f32x4.splat(1.0 / 7));
  p = fma4(p, s, f32x4.splat(1.0 / 5));
  p = fma4(p, s, f32x4.splat(1.0 / 3));
  p = fma4(p, s, one);
  return fma4(f32x4.convert_i32x4_s(e), f32x4.splat(0.69314718), f32x4.mul(f32x4.add(f, f), p));
}
