// Eigenvalues and eigenvectors of a small symmetric tridiagonal matrix by the implicit QL method with Wilkinson's shift
// (Dubrulle, Martin and Wilkinson 1968).
import { rotateRows } from './rows';

const ROUNDING: f64 = 1.1102230246251565e-16;
/** The matrix is scaled to norm near 1, where an off-diagonal element below this may be dropped. */
const NEGLIGIBLE: f64 = 1e-200;
const SWEEPS_PER_VALUE: i32 = 80;

/** √(a² + b²) without overflow or underflow. */
function hypotenuse(a: f64, b: f64): f64 {
  const large = max(abs(a), abs(b));
  if (large === 0) return 0;
  const ratio = min(abs(a), abs(b)) / large;
  return large * sqrt(1 + ratio * ratio);
}

/** The first m ≥ start with a negligible element e_m between rows m and m + 1, or the last row. */
function blockEnd(n: i32, start: i32, d: usize, e: usize): i32 {
  let m = start;
  for (; m < n - 1; m++) {
    const size = abs(load<f64>(e + usize(m) * 8));
    const scale = abs(load<f64>(d + usize(m) * 8)) + abs(load<f64>(d + usize(m + 1) * 8));
    if (size <= ROUNDING * scale || size < NEGLIGIBLE) break;
  }
  return m;
}

/**
 * d (n values) becomes the eigenvalues, unsorted; row i of z, whatever it held before, the i-th
 * eigenvector; e (n - 1 values, room for n) is destroyed. Returns 0, or 1 + the index of a value that did not converge.
 */
export function implicitQl(n: i32, d: usize, e: usize, z: usize, ldzBytes: usize): i32 {
  for (let i = 0; i < n; i++) {
    memory.fill(z + usize(i) * ldzBytes, 0, usize(n) * 8);
    store<f64>(z + usize(i) * (ldzBytes + 8), 1);
  }
  if (n === 0) return 0;
  store<f64>(e + usize(n - 1) * 8, 0);
  for (let low = 0; low < n; low++) {
    let sweeps = 0;
    for (let high = blockEnd(n, low, d, e); high > low; high = blockEnd(n, low, d, e)) {
      if (sweeps++ === SWEEPS_PER_VALUE) return low + 1;
      sweep(n, low, high, d, e, z, ldzBytes);
    }
  }
  return 0;
}

/** One QL sweep over rows low … high: a shift near the eigenvalue at `low`, then a bulge chased from the bottom up. */
function sweep(n: i32, low: i32, high: i32, d: usize, e: usize, z: usize, ldzBytes: usize): void {
  const dLow = load<f64>(d + usize(low) * 8);
  const eLow = load<f64>(e + usize(low) * 8);
  const half = (load<f64>(d + usize(low + 1) * 8) - dLow) / (2 * eLow);
  const shift = dLow - eLow / (half + copysign<f64>(hypotenuse(half, 1), half));
  let g = load<f64>(d + usize(high) * 8) - shift;
  let s: f64 = 1;
  let c: f64 = 1;
  let p: f64 = 0;
  for (let i = high - 1; i >= low; i--) {
    const di = d + usize(i) * 8;
    const ei = load<f64>(e + usize(i) * 8);
    const f = s * ei;
    const b = c * ei;
    const r = hypotenuse(f, g);
    store<f64>(e + usize(i + 1) * 8, r);
    if (r === 0) {
      // The matrix has split in the middle of the sweep.
      store<f64>(di, load<f64>(di, 8) - p, 8);
      store<f64>(e + usize(high) * 8, 0);
      return;
    }
    s = f / r;
    c = g / r;
    const next = load<f64>(di, 8) - p;
    const t = (load<f64>(di) - next) * s + 2 * c * b;
    p = s * t;
    store<f64>(di, next + p, 8);
    g = c * t - b;
    const zi = z + usize(i) * ldzBytes;
    rotateRows(n, zi + ldzBytes, zi, c, s);
  }
  store<f64>(d + usize(low) * 8, dLow - p);
  store<f64>(e + usize(low) * 8, g);
  store<f64>(e + usize(high) * 8, 0);
}
