// Logarithms of sums of powers: mixtures of densities with heavy tails, of which each column is a component.

import { least4, sum, sum4 } from './lanes';
import { exponential, exponential4, logarithm, logarithm4 } from './math';

/** Terms t^−power are not looked at beyond so many times the smallest t: there they are below e^−limit of the largest term. */
// @ts-ignore: decorator
@inline
function reachOf(power: f64, limit: f64): f64 {
  return power > 0 ? f64x2.extract_lane(exponential(f64x2.splat(limit / power)), 0) : Infinity;
}

export function logPowerSums64(
  m: i32,
  n: i32,
  products: usize,
  stride: usize,
  lengths: usize,
  squares: usize,
  scales: usize,
  shifts: usize,
  power: f64,
  labels: usize,
  out: usize,
  own: usize,
  scratch: usize,
): void {
  const even = n & ~1;
  const two = f64x2.splat(2);
  const zero = f64x2.splat(0);
  const reach = reachOf(power, 40);
  for (let i = 0; i < m; i++) {
    const row = products + usize(i) * stride;
    const length = load<f64>(lengths + usize(i) * 8);
    const label = load<i32>(labels + usize(i) * 4);
    let least = f64x2.splat(Infinity);
    const long = f64x2.splat(length);
    for (let c = 0; c < even; c += 2) {
      const at = usize(c) * 8;
      const distance = f64x2.max(
        zero,
        f64x2.add(f64x2.sub(long, f64x2.mul(two, v128.load(row + at))), v128.load(squares + at)),
      );
      const t = f64x2.mul(v128.load(scales + at), f64x2.add(v128.load(shifts + at), distance));
      v128.store(scratch + at, t);
      least = f64x2.pmin(least, t);
    }
    if (even < n) {
      const at = usize(even) * 8;
      const product = load<f64>(row + at);
      const distance = max<f64>(0, length - 2 * product + load<f64>(squares + at));
      const t = load<f64>(scales + at) * (load<f64>(shifts + at) + distance);
      store<f64>(scratch + at, t);
      store<f64>(scratch + at + 8, Infinity);
    }
    let smallest = min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
    if (even < n) smallest = min(smallest, load<f64>(scratch + usize(even) * 8));
    if (label >= 0) {
      const at = usize(label) * 8;
      store<f64>(
        own + usize(i) * 8,
        max<f64>(0, length - 2 * load<f64>(row + at) + load<f64>(squares + at)),
      );
      const mine = load<f64>(scratch + at);
      store<f64>(scratch + at, Infinity);
      if (mine === smallest) {
        smallest = Infinity;
        for (let c = 0; c < n; c++) smallest = min(smallest, load<f64>(scratch + usize(c) * 8));
      }
    }
    if (!(smallest < Infinity)) {
      store<f64>(out + usize(i) * 8, -Infinity);
      continue;
    }
    const first = logarithm(f64x2.splat(smallest));
    const factor = f64x2.splat(-power);
    const furthest = f64x2.splat(smallest * reach);
    let total = zero;
    for (let c = 0; c < n; c += 2) {
      const t = v128.load(scratch + usize(c) * 8);
      if (!v128.any_true(f64x2.lt(t, furthest))) continue;
      const part = exponential(f64x2.mul(factor, f64x2.sub(logarithm(t), first)));
      // Infinity stands for what is left out.
      total = f64x2.add(total, v128.and(part, f64x2.lt(t, f64x2.splat(Infinity))));
    }
    const whole = logarithm(f64x2.splat(sum(total)));
    store<f64>(out + usize(i) * 8, f64x2.extract_lane(whole, 0) - power * f64x2.extract_lane(first, 0));
  }
}

/** log(1 + u) for small u ≥ 0: below 0.06 the next term is lost in rounding. */
// @ts-ignore: decorator
@inline
function logarithmNear1(u: v128): v128 {
  let p = f32x4.splat(0.2);
  p = f32x4.sub(f32x4.splat(0.25), f32x4.mul(p, u));
  p = f32x4.sub(f32x4.splat(1.0 / 3), f32x4.mul(p, u));
  p = f32x4.sub(f32x4.splat(0.5), f32x4.mul(p, u));
  p = f32x4.sub(f32x4.splat(1), f32x4.mul(p, u));
  return f32x4.mul(p, u);
}

/** The constants of the columns are f32 here. */
export function logPowerSums32(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, scales: usize, shifts: usize,
  power: f64, labels: usize, out: usize, own: usize, scratch: usize,
): void {
  const minusTwo = f32x4.splat(-2);
  const zero = f32x4.splat(0);
  const infinite = f32x4.splat(f32(Infinity));
  const factor = f32x4.splat(f32(-power));
  const reach = reachOf(power, 25);
  const whole = n & ~3;
  for (let i = 0; i < m; i++) {
    const row = products + usize(i) * stride;
    const length = load<f64>(lengths + usize(i) * 8);
    const label = load<i32>(labels + usize(i) * 4);
    const long = f32x4.splat(f32(length));
    let least = infinite;
    for (let c = 0; c < n; c += 4) {
      const at = usize(c) * 4;
      const distance = f32x4.pmax(
        zero,
        f32x4.add(f32x4.add(long, f32x4.mul(minusTwo, v128.load(row + at))), v128.load(squares + at)),
      );
      const t = f32x4.mul(v128.load(scales + at), f32x4.add(v128.load(shifts + at), distance));
      v128.store(scratch + at, t);
      if (c < whole) least = f32x4.pmin(least, t);
    }
    // The last vector may reach into the next row.
    if (whole < n) {
      for (let c = n; c & 3; c++) store<f32>(scratch + usize(c) * 4, f32(Infinity));
      least = f32x4.pmin(least, v128.load(scratch + usize(whole) * 4));
    }
    let smallest = least4(least);
    if (label >= 0) {
      const product = f64(load<f32>(row + usize(label) * 4));
      store<f64>(own + usize(i) * 8, max<f64>(0, length - 2 * product + f64(load<f32>(squares + usize(label) * 4))));
      const mine = load<f32>(scratch + usize(label) * 4);
      store<f32>(scratch + usize(label) * 4, f32(Infinity));
      if (mine === smallest) {
        least = infinite;
        for (let c = 0; c < n; c += 4) least = f32x4.pmin(least, v128.load(scratch + usize(c) * 4));
        smallest = least4(least);
      }
    }
    if (!(smallest < f32(Infinity))) {
      store<f64>(out + usize(i) * 8, -Infinity);
      continue;
    }
    const inverse = f32x4.splat(1 / smallest);
    const furthest = f32x4.splat(f32(f64(smallest) * reach));
    let total = zero;
    if (reach < 1.06) {
      const one = f32x4.splat(1);
      for (let c = 0; c < n; c += 4) {
        const t = v128.load(scratch + usize(c) * 4);
        const near = f32x4.lt(t, furthest);
        if (!v128.any_true(near)) continue;
        const away = logarithmNear1(f32x4.sub(f32x4.mul(t, inverse), one));
        total = f32x4.add(total, v128.and(exponential4(f32x4.mul(factor, away)), near));
      }
    } else {
      for (let c = 0; c < n; c += 4) {
        const t = v128.load(scratch + usize(c) * 4);
        if (!v128.any_true(f32x4.lt(t, furthest))) continue;
        const part = exponential4(f32x4.mul(factor, logarithm4(f32x4.mul(t, inverse))));
        total = f32x4.add(total, v128.and(part, f32x4.lt(t, infinite)));
      }
    }
    const logarithms = logarithm(f64x2.replace_lane(f64x2.splat(sum4(total)), 1, f64(smallest)));
    store<f64>(out + usize(i) * 8, f64x2.extract_lane(logarithms, 0) - power * f64x2.extract_lane(logarithms, 1));
  }
}
