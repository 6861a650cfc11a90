// Passes over rows of numbers that need exponentials and logarithms: mixtures of densities, softmax, entropies, powers.
// Elements are f32 or f64. What is computed for each element of a row of f32 is computed in f32, four at a time; sums over
// rows, entropies and powers are f64. Every leading dimension counts bytes. A row is copied into `scratch` first, which ends
// in neutral elements up to a whole vector. Constants of columns have room for three elements more.

import { exponential, exponential4, logarithm, logarithm4 } from './math';

// @ts-ignore: decorator
@inline
function pair<T>(at: usize): v128 {
  return sizeof<T>() === 8 ? v128.load(at) : f64x2.promote_low_f32x4(v128.load64_zero(at));
}

// @ts-ignore: decorator
@inline
function sum(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

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

// @ts-ignore: decorator
@inline
function sum4(v: v128): f64 {
  return (
    f64(f32x4.extract_lane(v, 0)) + f64(f32x4.extract_lane(v, 1)) + f64(f32x4.extract_lane(v, 2)) + f64(f32x4.extract_lane(v, 3))
  );
}

// @ts-ignore: decorator
@inline
function least4(v: v128): f32 {
  return min(
    min(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    min(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
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

export function softmaxRows64(
  m: i32, n: i32, scores: usize, scoreStride: usize, offsets: usize, target: usize, targetStride: usize,
  weights: usize, counts: usize, scratch: usize,
): void {
  for (let i = 0; i < m; i++) {
    const from = scores + usize(i) * scoreStride;
    const to = target + usize(i) * targetStride;
    let largest: f64 = -Infinity;
    for (let c = 0; c < n; c++) {
      const value = load<f64>(from + usize(c) * 8) + load<f64>(offsets + usize(c) * 8);
      store<f64>(scratch + usize(c) * 8, value);
      largest = max(largest, value);
    }
    store<f64>(scratch + usize(n) * 8, -Infinity);
    const most = f64x2.splat(largest);
    let total = f64x2.splat(0);
    for (let c = 0; c < n; c += 2) {
      const at = scratch + usize(c) * 8;
      const value = exponential(f64x2.sub(v128.load(at), most));
      v128.store(at, value);
      total = f64x2.add(total, value);
    }
    const factor = 1 / sum(total);
    const weight = load<f64>(weights + usize(i) * 8);
    for (let c = 0; c < n; c++) {
      const q = load<f64>(scratch + usize(c) * 8) * factor;
      store<f64>(to + usize(c) * 8, q);
      const at = counts + usize(c) * 8;
      store<f64>(at, load<f64>(at) + weight * q);
    }
  }
}

/** Offsets are f32 here. */
export function softmaxRows32(
  m: i32, n: i32, scores: usize, scoreStride: usize, offsets: usize, target: usize, targetStride: usize,
  weights: usize, counts: usize, scratch: usize,
): void {
  const none = f32x4.splat(f32(-Infinity));
  for (let i = 0; i < m; i++) {
    const from = scores + usize(i) * scoreStride;
    const to = target + usize(i) * targetStride;
    for (let c = 0; c < n; c += 4) {
      const at = usize(c) * 4;
      v128.store(scratch + at, f32x4.add(v128.load(from + at), v128.load(offsets + at)));
    }
    for (let c = n; c & 3; c++) store<f32>(scratch + usize(c) * 4, f32(-Infinity));
    let largest = none;
    for (let c = 0; c < n; c += 4) largest = f32x4.pmax(largest, v128.load(scratch + usize(c) * 4));
    const most = f32x4.splat(-least4(f32x4.neg(largest)));
    let total = f32x4.splat(0);
    for (let c = 0; c < n; c += 4) {
      const at = scratch + usize(c) * 4;
      const value = exponential4(f32x4.sub(v128.load(at), most));
      v128.store(at, value);
      total = f32x4.add(total, value);
    }
    const factor = f32x4.splat(f32(1 / sum4(total)));
    const weight = f64x2.splat(load<f64>(weights + usize(i) * 8));
    const whole = n & ~3;
    for (let c = 0; c < whole; c += 4) {
      const q = f32x4.mul(v128.load(scratch + usize(c) * 4), factor);
      v128.store(to + usize(c) * 4, q);
      const at = counts + usize(c) * 8;
      const upper = i8x16.shuffle(q, q, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
      v128.store(at, f64x2.add(v128.load(at), f64x2.mul(weight, f64x2.promote_low_f32x4(q))));
      v128.store(at, f64x2.add(v128.load(at, 16), f64x2.mul(weight, f64x2.promote_low_f32x4(upper))), 16);
    }
    for (let c = whole; c < n; c++) {
      const q = load<f32>(scratch + usize(c) * 4) * f32x4.extract_lane(factor, 0);
      store<f32>(to + usize(c) * 4, q);
      const at = counts + usize(c) * 8;
      store<f64>(at, load<f64>(at) + f64x2.extract_lane(weight, 0) * f64(q));
    }
  }
}

/** Σ_i w_i Σ_c q (s − log q) */
// @ts-ignore: decorator
@inline
function energy<T>(m: i32, n: i32, chances: usize, chanceStride: usize, scores: usize, scoreStride: usize, weights: usize): f64 {
  const even = n & ~1;
  const tiny = f64x2.splat(1e-300);
  let total: f64 = 0;
  for (let i = 0; i < m; i++) {
    const q = chances + usize(i) * chanceStride;
    const s = scores + usize(i) * scoreStride;
    let own = f64x2.splat(0);
    for (let c = 0; c < even; c += 2) {
      const chance = pair<T>(q + usize(c) * sizeof<T>());
      const score = pair<T>(s + usize(c) * sizeof<T>());
      own = f64x2.add(own, f64x2.mul(chance, f64x2.sub(score, logarithm(f64x2.max(chance, tiny)))));
    }
    let rest: f64 = 0;
    if (even < n) {
      const chance = f64(load<T>(q + usize(even) * sizeof<T>()));
      const score = f64(load<T>(s + usize(even) * sizeof<T>()));
      rest = chance * (score - f64x2.extract_lane(logarithm(f64x2.splat(max(chance, 1e-300))), 0));
    }
    total += load<f64>(weights + usize(i) * 8) * (sum(own) + rest);
  }
  return total;
}

export function energyOfRows32(m: i32, n: i32, q: usize, ldq: usize, s: usize, lds: usize, weights: usize): f64 {
  return energy<f32>(m, n, q, ldq, s, lds, weights);
}

export function energyOfRows64(m: i32, n: i32, q: usize, ldq: usize, s: usize, lds: usize, weights: usize): f64 {
  return energy<f64>(m, n, q, ldq, s, lds, weights);
}

/** x ← sign(x) |x|^power, then each row to unit length; a row of zeros stays. */
// @ts-ignore: decorator
@inline
function powers<T>(m: i32, n: i32, rows: usize, stride: usize, power: f64, scratch: usize): void {
  const sign = f64x2.splat(-0.0);
  const tiny = f64x2.splat(1e-300);
  const exponent = f64x2.splat(power);
  for (let i = 0; i < m; i++) {
    const row = rows + usize(i) * stride;
    for (let c = 0; c < n; c++) store<f64>(scratch + usize(c) * 8, f64(load<T>(row + usize(c) * sizeof<T>())));
    store<f64>(scratch + usize(n) * 8, 0);
    let squares = f64x2.splat(0);
    for (let c = 0; c < n; c += 2) {
      const at = scratch + usize(c) * 8;
      const x = v128.load(at);
      const size = f64x2.abs(x);
      let raised = size;
      if (power === 0.75) {
        const root = f64x2.sqrt(size);
        raised = f64x2.mul(root, f64x2.sqrt(root));
      } else if (power !== 1) {
        const whole = exponential(f64x2.mul(exponent, logarithm(f64x2.max(size, tiny))));
        raised = v128.and(whole, f64x2.gt(size, f64x2.splat(0)));
      }
      squares = f64x2.add(squares, f64x2.mul(raised, raised));
      v128.store(at, v128.or(raised, v128.and(x, sign)));
    }
    const length = Math.sqrt(sum(squares));
    const factor: f64 = length > 0 ? 1 / length : 1;
    for (let c = 0; c < n; c++)
      store<T>(row + usize(c) * sizeof<T>(), <T>(load<f64>(scratch + usize(c) * 8) * factor));
  }
}

/** The same for the power ¾ of rows of f32, which needs square roots only. */
function powers34(m: i32, n: i32, rows: usize, stride: usize): void {
  const sign = f32x4.splat(-0.0);
  const whole = n & ~3;
  for (let i = 0; i < m; i++) {
    const row = rows + usize(i) * stride;
    let squares = f64x2.splat(0);
    for (let c = 0; c < whole; c += 4) {
      const x = v128.load(row + usize(c) * 4);
      const root = f32x4.sqrt(v128.andnot(x, sign));
      const raised = f32x4.mul(root, f32x4.sqrt(root));
      const upper = i8x16.shuffle(raised, raised, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15);
      const low = f64x2.promote_low_f32x4(raised);
      const high = f64x2.promote_low_f32x4(upper);
      squares = f64x2.add(squares, f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high)));
      v128.store(row + usize(c) * 4, v128.or(raised, v128.and(x, sign)));
    }
    let total = sum(squares);
    for (let c = whole; c < n; c++) {
      const x = load<f32>(row + usize(c) * 4);
      const root = sqrt<f32>(abs<f32>(x));
      const raised = root * sqrt<f32>(root);
      total += f64(raised) * f64(raised);
      store<f32>(row + usize(c) * 4, copysign<f32>(raised, x));
    }
    const length = Math.sqrt(total);
    const factor: f32 = length > 0 ? f32(1 / length) : 1;
    const factors = f32x4.splat(factor);
    for (let c = 0; c < whole; c += 4) {
      const at = row + usize(c) * 4;
      v128.store(at, f32x4.mul(v128.load(at), factors));
    }
    for (let c = whole; c < n; c++) store<f32>(row + usize(c) * 4, load<f32>(row + usize(c) * 4) * factor);
  }
}

export function powerRows32(m: i32, n: i32, rows: usize, stride: usize, power: f64, scratch: usize): void {
  if (power === 0.75) powers34(m, n, rows, stride);
  else powers<f32>(m, n, rows, stride, power, scratch);
}

export function powerRows64(m: i32, n: i32, rows: usize, stride: usize, power: f64, scratch: usize): void {
  powers<f64>(m, n, rows, stride, power, scratch);
}

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
