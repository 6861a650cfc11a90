// The rank-one update at the heart of divide and conquer: eigenvalues and eigenvectors of diag(d) + ρ z z' with
// d ascending, ρ > 0 and all z_j ≠ 0. The eigenvalues are the roots of the secular equation
//   f(λ) = 1 + Σ_j w_j / (d_j - λ) = 0,  w_j = ρ z_j²,
// one in each interval (d_i, d_{i+1}), the last in (d_{k-1}, d_{k-1} + Σ w]. Each is found as a distance τ from its nearer
// pole, so that all differences d_j - λ_i are known to full relative accuracy. The vectors come from the z for which
// the computed roots are exact, which makes them orthogonal to working precision (Gu and Eisenstat 1994).
import { sumLanes } from './rows';

const ROUNDING: f64 = 1.1102230246251565e-16;
const ITERATIONS: i32 = 120;
/** Rational interpolation converges in a handful of steps; from here on the bracket is simply halved. */
const HALVING_FROM: i32 = 30;

/** Results of `sumTerms`: Σ w_j / (o_j - τ) and its derivative Σ w_j / (o_j - τ)². */
let sumValue: f64 = 0;
let sumSlope: f64 = 0;

function sumTerms(from: i32, to: i32, offsets: usize, weights: usize, tau: f64): void {
  const tv = f64x2.splat(tau);
  const one = f64x2.splat(1);
  let value = f64x2.splat(0);
  let slope = f64x2.splat(0);
  let j = from;
  let o = offsets + usize(from) * 8;
  let w = weights + usize(from) * 8;
  for (; j + 2 <= to; j += 2) {
    const inverse = f64x2.div(one, f64x2.sub(v128.load(o), tv));
    const term = f64x2.mul(v128.load(w), inverse);
    value = f64x2.add(value, term);
    slope = f64x2.add(slope, f64x2.mul(term, inverse));
    o += 16;
    w += 16;
  }
  sumValue = sumLanes(value);
  sumSlope = sumLanes(slope);
  if (j < to) {
    const inverse = 1 / (load<f64>(o) - tau);
    const term = load<f64>(w) * inverse;
    sumValue += term;
    sumSlope += term * inverse;
  }
}

/** out_j = d_j - shift */
function subtractScalar(n: i32, d: usize, shift: f64, out: usize): void {
  const sv = f64x2.splat(shift);
  const vectorEnd = out + (usize(n) & ~1) * 8;
  for (; out < vectorEnd; out += 16) {
    v128.store(out, f64x2.sub(v128.load(d), sv));
    d += 16;
  }
  if (n & 1) store<f64>(out, load<f64>(d) - shift);
}

/** The root between the poles of c η² - a η + b = 0, in the form without cancellation. */
// @ts-ignore: decorator
@inline
function quadraticRoot(a: f64, b: f64, c: f64): f64 {
  const root = sqrt(max(a * a - 4 * b * c, 0));
  return a <= 0 ? (a - root) / (2 * c) : (2 * b) / (a + root);
}

/** A point well inside the bracket, which does not contain 0 in its interior; geometric when its ends differ much. */
function halve(low: f64, high: f64): f64 {
  if (low === 0) return high / 64;
  if (high === 0) return low / 64;
  const ratio = low / high;
  if (ratio < 0.25 || ratio > 4) return copysign<f64>(sqrt(low * high), high);
  return low + (high - low) / 2;
}

/**
 * The k roots into `values`, ascending; s_ij = d_j - λ_i into row i of `s`. `scratch` holds 2 k numbers.
 */
export function secularRoots(
  k: i32, rho: f64, d: usize, z: usize, values: usize, s: usize, sBytes: usize, scratch: usize,
): void {
  const weights = scratch;
  const offsets = scratch + usize(k) * 8;
  let total: f64 = 0;
  for (let j = 0; j < k; j++) {
    const zj = load<f64>(z + usize(j) * 8);
    const weight = rho * zj * zj;
    total += weight;
    store<f64>(weights + usize(j) * 8, weight);
  }
  for (let i = 0; i < k; i++) {
    const origin = i < k - 1 ? chooseOrigin(k, i, d, weights, offsets) : lastOrigin(k, total, d, offsets);
    const tau = findRoot(k, i, startTau, startLow, startHigh, weights, offsets);
    store<f64>(values + usize(i) * 8, origin + tau);
    subtractScalar(k, offsets, tau, s + usize(i) * sBytes);
  }
}

/** Where `findRoot` starts and the bracket it keeps to, relative to the origin. */
let startTau: f64 = 0;
let startLow: f64 = 0;
let startHigh: f64 = 0;

/**
 * The pole nearer to root i, told by the sign of f half-way between the two; the first guess treats the other poles as
 * constant. Fills `offsets` with d_j - origin.
 */
function chooseOrigin(k: i32, i: i32, d: usize, weights: usize, offsets: usize): f64 {
  const left = load<f64>(d + usize(i) * 8);
  const right = load<f64>(d + usize(i + 1) * 8);
  const gap = right - left;
  const wLeft = load<f64>(weights + usize(i) * 8);
  const wRight = load<f64>(weights + usize(i + 1) * 8);
  subtractScalar(k, d, left, offsets);
  sumTerms(0, k, offsets, weights, gap / 2);
  const middle = 1 + sumValue;
  const c = middle + (wLeft - wRight) * (2 / gap);
  if (middle >= 0) {
    startLow = 0;
    startHigh = gap / 2;
    startTau = quadraticRoot(c * gap + wLeft + wRight, wLeft * gap, c);
    return left;
  }
  subtractScalar(k, d, right, offsets);
  startLow = -gap / 2;
  startHigh = 0;
  startTau = quadraticRoot(wLeft + wRight - c * gap, -wRight * gap, c);
  return right;
}

function lastOrigin(k: i32, total: f64, d: usize, offsets: usize): f64 {
  const last = load<f64>(d + usize(k - 1) * 8);
  subtractScalar(k, d, last, offsets);
  startLow = 0;
  startHigh = total * (1 + 16 * ROUNDING);
  startTau = total / 2;
  return last;
}

/**
 * Bunch, Nielsen and Sorensen's iteration: the terms left of the root are replaced by p + q / (d_i - λ), those right of it
 * by r + t / (d_{i+1} - λ), with value and slope matched at the current point; a step that leaves the bracket is replaced
 * by halving. Stops when f is within its own rounding error, or the bracket cannot shrink.
 */
function findRoot(k: i32, i: i32, start: f64, bracketLow: f64, bracketHigh: f64, weights: usize, offsets: usize): f64 {
  let low = bracketLow;
  let high = bracketHigh;
  let tau = start >= low && start <= high && start !== 0 ? start : halve(low, high);
  const tolerance = ROUNDING * (8 + 0.0625 * f64(k));
  const left = load<f64>(offsets + usize(i) * 8);
  const right = i < k - 1 ? load<f64>(offsets + usize(i + 1) * 8) : 0;
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    sumTerms(0, i + 1, offsets, weights, tau);
    const psi = sumValue;
    const psiSlope = sumSlope;
    sumTerms(i + 1, k, offsets, weights, tau);
    const f = 1 + (psi + sumValue);
    const slope = psiSlope + sumSlope;
    if (abs(f) <= tolerance * (1 + sumValue - psi) + ROUNDING * abs(tau) * slope) return tau;
    if (f < 0) low = tau;
    else high = tau;
    const deltaLeft = left - tau;
    let step: f64;
    if (i < k - 1) {
      const deltaRight = right - tau;
      const c = f - deltaLeft * psiSlope - deltaRight * sumSlope;
      const product = deltaLeft * deltaRight;
      step = quadraticRoot((deltaLeft + deltaRight) * f - product * slope, product * f, c);
    } else {
      step = deltaLeft + (psiSlope * deltaLeft * deltaLeft) / (f - deltaLeft * psiSlope);
    }
    let next = tau + step;
    if (iteration >= HALVING_FROM || !(next >= low && next <= high && next !== 0)) next = halve(low, high);
    if (next === tau) return tau;
    tau = next;
  }
  return tau;
}

/**
 * Replaces row i of `s` (d_j - λ_i) by the unit eigenvector i, its elements in the order columns[0], columns[1], …
 * `scratch` holds 2 k numbers.
 */
export function secularVectors(k: i32, d: usize, z: usize, s: usize, sBytes: usize, columns: usize, scratch: usize): void {
  const weights = scratch;
  const vector = scratch + usize(k) * 8;
  exactWeights(k, d, z, s, sBytes, weights);
  for (let i = 0; i < k; i++) {
    const row = s + usize(i) * sBytes;
    let sum: f64 = 0;
    for (let j = 0; j < k; j++) {
      const element = load<f64>(weights + usize(j) * 8) / load<f64>(row + usize(j) * 8);
      store<f64>(vector + usize(j) * 8, element);
      sum += element * element;
    }
    const scale = 1 / sqrt(sum);
    for (let j = 0; j < k; j++) {
      const column = usize(load<i32>(columns + usize(j) * 4));
      store<f64>(row + usize(j) * 8, scale * load<f64>(vector + column * 8));
    }
  }
}

/** ẑ_j = sign(z_j) √(-Π_i (d_j - λ_i) / Π_{i≠j} (d_j - d_i)), up to a common factor (Löwner's formula). */
function exactWeights(k: i32, d: usize, z: usize, s: usize, sBytes: usize, weights: usize): void {
  for (let j = 0; j < k; j++) store<f64>(weights + usize(j) * 8, 1);
  for (let i = 0; i < k; i++) {
    const row = s + usize(i) * sBytes;
    const pole = load<f64>(d + usize(i) * 8);
    const at = weights + usize(i) * 8;
    multiplyQuotients(0, i, pole, d, row, weights);
    multiplyQuotients(i + 1, k, pole, d, row, weights);
    store<f64>(at, load<f64>(at) * load<f64>(row + usize(i) * 8));
  }
  for (let j = 0; j < k; j++) {
    const at = weights + usize(j) * 8;
    store<f64>(at, copysign<f64>(sqrt(-load<f64>(at)), load<f64>(z + usize(j) * 8)));
  }
}

/** weights_j ← weights_j row_j / (d_j - pole) for j in [from, to) */
function multiplyQuotients(from: i32, to: i32, pole: f64, d: usize, row: usize, weights: usize): void {
  const pv = f64x2.splat(pole);
  let j = from;
  for (; j + 2 <= to; j += 2) {
    const at = usize(j) * 8;
    const quotient = f64x2.div(v128.load(row + at), f64x2.sub(v128.load(d + at), pv));
    v128.store(weights + at, f64x2.mul(v128.load(weights + at), quotient));
  }
  if (j < to) {
    const at = usize(j) * 8;
    const quotient = load<f64>(row + at) / (load<f64>(d + at) - pole);
    store<f64>(weights + at, load<f64>(weights + at) * quotient);
  }
}
