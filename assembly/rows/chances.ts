// Scores into chances that add up to one, what they sum up to by column, and their energy.

import { least4, pair, sum, sum4 } from './lanes';
import { exponential, exponential4, logarithm } from './math';

export function softmaxRows64(
  m: i32, n: i32, scores: usize, scoreStride: usize, offsets: usize, target: usize, targetStride: usize,
  weights: usize, counts: usize, scratch: usize,
): void {
  memory.fill(counts, 0, usize(n) * 8);
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
  memory.fill(counts, 0, usize(n) * 8);
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
