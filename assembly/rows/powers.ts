// Signed powers of rows, which are then brought to unit length and measured from a centre.

import { sum } from './lanes';
import { exponential, logarithm } from './math';

/** x ← sign(x) |x|^power, then each row to unit length, where a row of zeros stays, less the centre. */
// @ts-ignore: decorator
@inline
function powers<T>(m: i32, n: i32, rows: usize, stride: usize, power: f64, centre: usize, scratch: usize): void {
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
    for (let c = 0; c < n; c++) {
      const from = load<T>(centre + usize(c) * sizeof<T>());
      store<T>(row + usize(c) * sizeof<T>(), <T>(load<f64>(scratch + usize(c) * 8) * factor) - from);
    }
  }
}

/** The same for the power ¾ of rows of f32, which needs square roots only. */
function powers34(m: i32, n: i32, rows: usize, stride: usize, centre: usize): void {
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
      v128.store(at, f32x4.sub(f32x4.mul(v128.load(at), factors), v128.load(centre + usize(c) * 4)));
    }
    for (let c = whole; c < n; c++) {
      const at = row + usize(c) * 4;
      store<f32>(at, load<f32>(at) * factor - load<f32>(centre + usize(c) * 4));
    }
  }
}

export function powerRows32(m: i32, n: i32, rows: usize, stride: usize, power: f64, centre: usize, scratch: usize): void {
  if (power === 0.75) powers34(m, n, rows, stride, centre);
  else powers<f32>(m, n, rows, stride, power, centre, scratch);
}

export function powerRows64(m: i32, n: i32, rows: usize, stride: usize, power: f64, centre: usize, scratch: usize): void {
  powers<f64>(m, n, rows, stride, power, centre, scratch);
}
