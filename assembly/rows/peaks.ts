// What stands out in each row: the largest cosine, the two largest scores, and the logarithm of what all scores sum up to; or
// only where the largest score is, and by how much it leads.

import { sum } from './lanes';
import { exponential, logarithm } from './math';

/** Scores that are so far below the largest add nothing. */
const far: f64 = -40;
/** Numbers of a row in `out`: cosine, its column, largest and second score, logarithm of the sum. */
const width: usize = 5;

/** At the label of a row its own product, square and inverse, three numbers a row, stand in for those of the column. */
// @ts-ignore: decorator
@inline
function peaks<T>(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, factors: usize, constants: usize,
  inverses: usize, labels: usize, own: usize, out: usize, scratch: usize,
): void {
  for (let i = 0; i < m; i++) {
    const row = products + usize(i) * stride;
    const length = load<f64>(lengths + usize(i) * 8);
    const label = load<i32>(labels + usize(i) * 4);
    let closest: f64 = -Infinity;
    let nearest: i32 = 0;
    let largest: f64 = -Infinity;
    let second: f64 = -Infinity;
    for (let c = 0; c < n; c++) {
      const at = usize(c) * 8;
      let product = f64(load<T>(row + usize(c) * sizeof<T>()));
      let square = load<f64>(squares + at);
      let inverse = load<f64>(inverses + at);
      if (c === label) {
        product = load<f64>(own + usize(i) * 24);
        square = load<f64>(own + usize(i) * 24, 8);
        inverse = load<f64>(own + usize(i) * 24, 16);
      }
      const cosine = product * inverse;
      if (cosine > closest) {
        closest = cosine;
        nearest = c;
      }
      const score = load<f64>(factors + at) * max<f64>(0, length - 2 * product + square) + load<f64>(constants + at);
      store<f64>(scratch + at, score);
      if (score > second) {
        second = min(score, largest);
        largest = max(score, largest);
      }
    }
    store<f64>(scratch + usize(n) * 8, -Infinity);
    const most = f64x2.splat(largest);
    let total = f64x2.splat(0);
    for (let c = 0; c < n; c += 2) {
      const away = f64x2.sub(v128.load(scratch + usize(c) * 8), most);
      if (v128.any_true(f64x2.gt(away, f64x2.splat(far)))) total = f64x2.add(total, exponential(away));
    }
    const place = out + usize(i) * width * 8;
    store<f64>(place, closest);
    store<f64>(place, f64(nearest), 8);
    store<f64>(place, largest, 16);
    store<f64>(place, second, 24);
    store<f64>(place, largest + f64x2.extract_lane(logarithm(f64x2.splat(sum(total))), 0), 32);
  }
}

export function peaksOfRows32(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, factors: usize, constants: usize,
  inverses: usize, labels: usize, own: usize, out: usize, scratch: usize,
): void {
  peaks<f32>(m, n, products, stride, lengths, squares, factors, constants, inverses, labels, own, out, scratch);
}

export function peaksOfRows64(
  m: i32, n: i32, products: usize, stride: usize, lengths: usize, squares: usize, factors: usize, constants: usize,
  inverses: usize, labels: usize, own: usize, out: usize, scratch: usize,
): void {
  peaks<f64>(m, n, products, stride, lengths, squares, factors, constants, inverses, labels, own, out, scratch);
}

/** The column of the largest of score + offset, and by how much it exceeds the second; offsets and leads are f64. */
// @ts-ignore: decorator
@inline
function leaders<T>(m: i32, n: i32, scores: usize, stride: usize, offsets: usize, columns: usize, leads: usize): void {
  for (let i = 0; i < m; i++) {
    const row = scores + usize(i) * stride;
    let largest: f64 = -Infinity;
    let second: f64 = -Infinity;
    let column: i32 = 0;
    for (let c = 0; c < n; c++) {
      const value = f64(load<T>(row + usize(c) * sizeof<T>())) + load<f64>(offsets + usize(c) * 8);
      if (value > largest) {
        second = largest;
        largest = value;
        column = c;
      } else if (value > second) second = value;
    }
    store<i32>(columns + usize(i) * 4, column);
    store<f64>(leads + usize(i) * 8, largest - second);
  }
}

export function leadersOfRows32(m: i32, n: i32, scores: usize, stride: usize, offsets: usize, columns: usize, leads: usize): void {
  leaders<f32>(m, n, scores, stride, offsets, columns, leads);
}

export function leadersOfRows64(m: i32, n: i32, scores: usize, stride: usize, offsets: usize, columns: usize, leads: usize): void {
  leaders<f64>(m, n, scores, stride, offsets, columns, leads);
}
