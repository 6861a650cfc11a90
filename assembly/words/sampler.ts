// Words drawn with fixed probabilities in constant time by the alias method (Walker 1977): column k keeps word k with
// probability threshold[k] / 2³², else gives alias[k].
import { below, next } from './random';

let size: u32 = 0;
let thresholds: usize = 0;
let aliases: usize = 0;

/** @param table `count` pairs of 32-bit numbers: threshold, alias */
export function configureSampler(table: usize, count: u32): void {
  size = count;
  thresholds = table;
  aliases = table + 4;
}

// @ts-ignore: decorator
@inline
export function draw(): u32 {
  const bits = next();
  const column = below(<u32>(bits >> 32), size);
  const at = <usize>column << 3;
  return <u32>bits < load<u32>(thresholds + at) ? column : load<u32>(aliases + at);
}

/** For the tests: one draw. */
export function drawWord(): u32 {
  return draw();
}
