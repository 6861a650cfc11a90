// Passes over rows of numbers that need exponentials and logarithms: mixtures of densities, softmax, entropies, powers.
// Elements are f32 or f64, everything is computed in f64; every leading dimension counts bytes. A row is copied into
// `scratch` first, where an odd last element has a neutral one beside it.

import { exponential, logarithm } from './math';

// @ts-ignore: decorator
@inline
function pair<T>(at: usize): v128 {
  return sizeof<T>() === 8 ? v128.load(at) : f64x2.promote_low_f32x4(v128.load64_zero(at));
}

// @ts-ignore: decorator
@inline
function keep<T>(at: usize, value: v128): void {
  if (sizeof<T>() === 8) v128.store(at, value);
  else v128.store64_lane(at, f32x4.demote_f64x2_zero(value), 0);
}

// @ts-ignore: decorator
@inline
function sum(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

// @ts-ignore: decorator
@inline
function powerSum<T>(
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
        f64x2.add(f64x2.sub(long, f64x2.mul(two, pair<T>(row + usize(c) * sizeof<T>()))), v128.load(squares + at)),
      );
      const t = f64x2.mul(v128.load(scales + at), f64x2.add(v128.load(shifts + at), distance));
      v128.store(scratch + at, t);
      least = f64x2.pmin(least, t);
    }
    if (even < n) {
      const at = usize(even) * 8;
      const product = f64(load<T>(row + usize(even) * sizeof<T>()));
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
        max<f64>(0, length - 2 * f64(load<T>(row + usize(label) * sizeof<T>())) + load<f64>(squares + at)),
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
    let total = zero;
    for (let c = 0; c < n; c += 2) {
      const t = v128.load(scratch + usize(c) * 8);
      const part = exponential(f64x2.mul(factor, f64x2.sub(logarithm(t), first)));
      // Infinity stands for what is left out.
      total = f64x2.add(total, v128.and(part, f64x2.lt(t, f64x2.splat(Infinity))));
    }
    const whole = logarithm(f64x2.splat(sum(total)));
    store<f64>(out + usize(i) * 8, f64x2.extract_lane(whole, 0) - power * f64x2.extract_lane(first, 0));
  }
}

export function logPowerSums32(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, scales: usize, shifts: usize,
  power: f64, labels: usize, out: usize, own: usize, scratch: usize,
): void {
  powerSum<f32>(m, n, products, stride, lengths, squares, scales, shifts, power, labels, out, own, scratch);
}

export function logPowerSums64(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, scales: usize, shifts: usize,
  power: f64, labels: usize, out: usize, own: usize, scratch: usize,
): void {
  powerSum<f64>(m, n, products, stride, lengths, squares, scales, shifts, power, labels, out, own, scratch);
}

// @ts-ignore: decorator
@inline
function softmax<T>(
  m: i32, n: i32, scores: usize, scoreStride: usize, offsets: usize, target: usize, targetStride: usize,
  weights: usize, counts: usize, scratch: usize,
): void {
  for (let i = 0; i < m; i++) {
    const from = scores + usize(i) * scoreStride;
    const to = target + usize(i) * targetStride;
    let largest: f64 = -Infinity;
    for (let c = 0; c < n; c++) {
      const value = f64(load<T>(from + usize(c) * sizeof<T>())) + load<f64>(offsets + usize(c) * 8);
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
      store<T>(to + usize(c) * sizeof<T>(), <T>q);
      const at = counts + usize(c) * 8;
      store<f64>(at, load<f64>(at) + weight * q);
    }
  }
}

export function softmaxRows32(
  m: i32, n: i32, scores: usize, scoreStride: usize, offsets: usize, target: usize, targetStride: usize,
  weights: usize, counts: usize, scratch: usize,
): void {
  softmax<f32>(m, n, scores, scoreStride, offsets, target, targetStride, weights, counts, scratch);
}

export function softmaxRows64(
  m: i32, n: i32, scores: usize, scoreStride: usize, offsets: usize, target: usize, targetStride: usize,
  weights: usize, counts: usize, scratch: usize,
): void {
  softmax<f64>(m, n, scores, scoreStride, offsets, target, targetStride, weights, counts, scratch);
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

export function powerRows32(m: i32, n: i32, rows: usize, stride: usize, power: f64, scratch: usize): void {
  powers<f32>(m, n, rows, stride, power, scratch);
}

export function powerRows64(m: i32, n: i32, rows: usize, stride: usize, power: f64, scratch: usize): void {
  powers<f64>(m, n, rows, stride, power, scratch);
}
