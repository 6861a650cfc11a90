// Triangular solves with one small block L of a Cholesky factor and many right-hand sides. Right-hand sides are taken in
// strips of 64 bytes (8 float64 or 16 float32), packed so that element k of all of them is one run of four vectors.

const STRIP: usize = 64;

/** L x = b for every lane of the strip: x_j = (b_j - Σ_{k<j} l_jk x_k) / l_jj. */
// @ts-ignore: decorator
@inline
function forwardStrip<T>(n: i32, l: usize, ldlBytes: usize, strip: usize): void {
  let row = l;
  let out = strip;
  for (let j = 0; j < n; j++) {
    let s0 = v128.load(out, 0);
    let s1 = v128.load(out, 16);
    let s2 = v128.load(out, 32);
    let s3 = v128.load(out, 48);
    let factor = row;
    for (let x = strip; x < out; x += STRIP) {
      const c = v128.splat<T>(load<T>(factor));
      s0 = v128.sub<T>(s0, v128.mul<T>(c, v128.load(x, 0)));
      s1 = v128.sub<T>(s1, v128.mul<T>(c, v128.load(x, 16)));
      s2 = v128.sub<T>(s2, v128.mul<T>(c, v128.load(x, 32)));
      s3 = v128.sub<T>(s3, v128.mul<T>(c, v128.load(x, 48)));
      factor += sizeof<T>();
    }
    const pivot = v128.splat<T>(load<T>(factor));
    v128.store(out, v128.div<T>(s0, pivot), 0);
    v128.store(out, v128.div<T>(s1, pivot), 16);
    v128.store(out, v128.div<T>(s2, pivot), 32);
    v128.store(out, v128.div<T>(s3, pivot), 48);
    row += ldlBytes;
    out += STRIP;
  }
}

/** L' x = b for every lane of the strip: x_j = (b_j - Σ_{k>j} l_kj x_k) / l_jj. */
// @ts-ignore: decorator
@inline
function backwardStrip<T>(n: i32, l: usize, ldlBytes: usize, strip: usize): void {
  const end = strip + usize(n) * STRIP;
  for (let j = n - 1; j >= 0; j--) {
    const out = strip + usize(j) * STRIP;
    const diagonal = l + usize(j) * (ldlBytes + sizeof<T>());
    let s0 = v128.load(out, 0);
    let s1 = v128.load(out, 16);
    let s2 = v128.load(out, 32);
    let s3 = v128.load(out, 48);
    let factor = diagonal + ldlBytes;
    for (let x = out + STRIP; x < end; x += STRIP) {
      const c = v128.splat<T>(load<T>(factor));
      s0 = v128.sub<T>(s0, v128.mul<T>(c, v128.load(x, 0)));
      s1 = v128.sub<T>(s1, v128.mul<T>(c, v128.load(x, 16)));
      s2 = v128.sub<T>(s2, v128.mul<T>(c, v128.load(x, 32)));
      s3 = v128.sub<T>(s3, v128.mul<T>(c, v128.load(x, 48)));
      factor += ldlBytes;
    }
    const pivot = v128.splat<T>(load<T>(diagonal));
    v128.store(out, v128.div<T>(s0, pivot), 0);
    v128.store(out, v128.div<T>(s1, pivot), 16);
    v128.store(out, v128.div<T>(s2, pivot), 32);
    v128.store(out, v128.div<T>(s3, pivot), 48);
  }
}

/**
 * Element k of right-hand side w lies at b + k depthBytes + w laneBytes, which serves both layouts. `strip` is scratch of
 * 64 n bytes.
 */
// @ts-ignore: decorator
@inline
function solveBlock<T>(
  n: i32,
  l: usize,
  ldlBytes: usize,
  b: usize,
  depthBytes: usize,
  laneBytes: usize,
  rhs: i32,
  backward: bool,
  strip: usize,
): void {
  const lanes = i32(STRIP / sizeof<T>());
  for (let start = 0; start < rhs; start += lanes) {
    const width = min(lanes, rhs - start);
    const from = b + usize(start) * laneBytes;
    // Lanes beyond the last right-hand side repeat it: they are solved too, and must not slow down as subnormals would.
    for (let w = 0; w < lanes; w++) {
      let source = from + usize(min(w, width - 1)) * laneBytes;
      let target = strip + usize(w) * sizeof<T>();
      for (let k = 0; k < n; k++) {
        store<T>(target, load<T>(source));
        source += depthBytes;
        target += STRIP;
      }
    }
    if (backward) backwardStrip<T>(n, l, ldlBytes, strip);
    else forwardStrip<T>(n, l, ldlBytes, strip);
    for (let w = 0; w < width; w++) {
      let target = from + usize(w) * laneBytes;
      let source = strip + usize(w) * sizeof<T>();
      for (let k = 0; k < n; k++) {
        store<T>(target, load<T>(source));
        source += STRIP;
        target += depthBytes;
      }
    }
  }
}

export function solveBlock64(
  n: i32, l: usize, ldlBytes: usize, b: usize, depthBytes: usize, laneBytes: usize, rhs: i32, backward: bool, strip: usize,
): void {
  solveBlock<f64>(n, l, ldlBytes, b, depthBytes, laneBytes, rhs, backward, strip);
}

export function solveBlock32(
  n: i32, l: usize, ldlBytes: usize, b: usize, depthBytes: usize, laneBytes: usize, rhs: i32, backward: bool, strip: usize,
): void {
  solveBlock<f32>(n, l, ldlBytes, b, depthBytes, laneBytes, rhs, backward, strip);
}
