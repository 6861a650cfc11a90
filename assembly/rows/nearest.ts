// Which pictures have the largest cosines with each of others: lists of k that take up what is larger than their last one.

/** What a cosine in f32 may lie below the same in f64. */
const slack: f64 = 1e-6;

/** Puts `other` among the nearest of a picture, whose list begins at `place`; returns the smallest cosine of the list then. */
// @ts-ignore: decorator
@inline
function enter(place: usize, k: i32, nearest: usize, cosines: usize, other: i32, cosine: f64): f64 {
  let at = place + usize(k) - 1;
  for (; at > place && load<f64>(cosines + (at - 1) * 8) < cosine; at--) {
    store<f64>(cosines + at * 8, load<f64>(cosines + (at - 1) * 8));
    store<i32>(nearest + at * 4, load<i32>(nearest + (at - 1) * 4));
  }
  store<f64>(cosines + at * 8, cosine);
  store<i32>(nearest + at * 4, other);
  return load<f64>(cosines + (place + usize(k) - 1) * 8);
}

/**
 * Products of the pictures from `top` on, m of them, with those from `left` on, n of them: the lists of the former.
 * A picture is not its own neighbour. `inverses` are one over the lengths, in f64.
 */
// @ts-ignore: decorator
@inline
function ofRows<T>(
  m: i32, n: i32, products: usize, stride: usize, top: i32, left: i32, inverses: usize, singles: usize,
  k: i32, nearest: usize, cosines: usize, bars: usize,
): void {
  const whole = sizeof<T>() === 4 ? n & ~3 : 0;
  for (let i = top; i < top + m; i++) {
    const row = products + usize(i - top) * stride;
    const own = load<f64>(inverses + usize(i) * 8);
    const place = usize(i) * usize(k);
    const single = f32x4.splat(f32(own));
    let floor = load<f64>(cosines + (place + usize(k) - 1) * 8);
    let bar = f32x4.splat(f32(floor - slack));
    for (let c = 0; c < whole; c += 4) {
      const near = f32x4.mul(f32x4.mul(v128.load(row + usize(c) * 4), single), v128.load(singles + usize(left + c) * 4));
      if (!v128.any_true(f32x4.gt(near, bar))) continue;
      for (let j = left + c; j < left + c + 4; j++) {
        const cosine = f64(load<f32>(row + usize(j - left) * 4)) * (own * load<f64>(inverses + usize(j) * 8));
        if (cosine > floor && j !== i) {
          floor = enter(place, k, nearest, cosines, j, cosine);
          bar = f32x4.splat(f32(floor - slack));
        }
      }
    }
    for (let j = left + whole; j < left + n; j++) {
      const cosine = f64(load<T>(row + usize(j - left) * sizeof<T>())) * (own * load<f64>(inverses + usize(j) * 8));
      if (cosine > floor && j !== i) floor = enter(place, k, nearest, cosines, j, cosine);
    }
    store<f32>(bars + usize(i) * 4, f32(floor - slack));
  }
}

/** The same for the lists of the latter, to which none of the former belongs. */
// @ts-ignore: decorator
@inline
function ofColumns<T>(
  m: i32, n: i32, products: usize, stride: usize, top: i32, left: i32, inverses: usize, singles: usize,
  k: i32, nearest: usize, cosines: usize, bars: usize,
): void {
  const whole = sizeof<T>() === 4 ? n & ~3 : 0;
  for (let i = top; i < top + m; i++) {
    const row = products + usize(i - top) * stride;
    const own = load<f64>(inverses + usize(i) * 8);
    const single = f32x4.splat(f32(own));
    for (let c = 0; c < n; c += 4) {
      if (c < whole) {
        const at = usize(left + c) * 4;
        const near = f32x4.mul(f32x4.mul(v128.load(row + usize(c) * 4), single), v128.load(singles + at));
        if (!v128.any_true(f32x4.gt(near, v128.load(bars + at)))) continue;
      }
      for (let j = left + c; j < min(left + c + 4, left + n); j++) {
        const cosine = f64(load<T>(row + usize(j - left) * sizeof<T>())) * (own * load<f64>(inverses + usize(j) * 8));
        const place = usize(j) * usize(k);
        if (cosine > load<f64>(cosines + (place + usize(k) - 1) * 8))
          store<f32>(bars + usize(j) * 4, f32(enter(place, k, nearest, cosines, i, cosine) - slack));
      }
    }
  }
}

export function nearestOfRows32(
  m: i32, n: i32, products: usize, stride: usize, top: i32, left: i32, inverses: usize, singles: usize,
  k: i32, nearest: usize, cosines: usize, bars: usize,
): void {
  ofRows<f32>(m, n, products, stride, top, left, inverses, singles, k, nearest, cosines, bars);
}

export function nearestOfRows64(
  m: i32, n: i32, products: usize, stride: usize, top: i32, left: i32, inverses: usize, singles: usize,
  k: i32, nearest: usize, cosines: usize, bars: usize,
): void {
  ofRows<f64>(m, n, products, stride, top, left, inverses, singles, k, nearest, cosines, bars);
}

export function nearestOfColumns32(
  m: i32, n: i32, products: usize, stride: usize, top: i32, left: i32, inverses: usize, singles: usize,
  k: i32, nearest: usize, cosines: usize, bars: usize,
): void {
  ofColumns<f32>(m, n, products, stride, top, left, inverses, singles, k, nearest, cosines, bars);
}

export function nearestOfColumns64(
  m: i32, n: i32, products: usize, stride: usize, top: i32, left: i32, inverses: usize, singles: usize,
  k: i32, nearest: usize, cosines: usize, bars: usize,
): void {
  ofColumns<f64>(m, n, products, stride, top, left, inverses, singles, k, nearest, cosines, bars);
}
