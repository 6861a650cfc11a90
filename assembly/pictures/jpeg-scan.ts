// Data of a baseline JPEG scan (ITU-T T.81, annex F) of three components, decoded into their planes. What is not as it should be
// ends it: such files are decoded by others.
import { bitsAt, bringTogether, markerPlace } from './jpeg-bits';
import {
  ACROSS,
  ADDED,
  COMPONENTS,
  DOWN,
  FIELDS,
  FIRST,
  FIRST_CODES,
  LARGEST,
  LAST,
  OTHER_CODES,
  PLANE,
  RESTART,
  SHORT,
  SIZE,
  SKIP_BITS,
  SKIPS,
  STEPS,
  STRIDE,
  SYMBOLS,
  UNITS_ACROSS,
  UNITS_DOWN,
  WIDTH,
} from './jpeg-plan';
import { evenReduced, transformTo2, transformTo4 } from './jpeg-reduced-transform';
import { ENDS, PASSED, USED } from './jpeg-skips';
import { block, even, isWithinReach, MOST, transform } from './jpeg-transform';

/** Bits of the data that are used up. */
let place: u32 = 0;
let data: usize = 0;

/**
 * Fills the planes. Returns the end of the data, where a marker is, or 0 where they are not as they should be. Changes the data, and
 * reads up to 2048 bytes behind them.
 */
export function decodeScan(plan: usize, from: usize, to: usize): usize {
  const across = load<i32>(plan, UNITS_ACROSS);
  const down = load<i32>(plan, UNITS_DOWN);
  const restart = load<i32>(plan, RESTART);
  data = from;
  place = 0;
  let bits = <u32>(bringTogether(from, from, to) - from) << 3;
  let untilRestart = restart;
  let restarts = 0;
  for (let unitY = 0; unitY < down; unitY++)
    for (let unitX = 0; unitX < across; unitX++) {
      if (restart > 0 && untilRestart-- === 0) {
        const marker = markerPlace();
        if (!isUsedUp(bits) || marker + 2 > to || load<u8>(marker, 1) !== 0xd0 + (restarts++ & 7)) return 0;
        for (let c: usize = 0; c < COMPONENTS; c++) store<i32>(plan + FIRST + c * FIELDS, 0, LAST);
        data = marker + 2;
        place = 0;
        bits = <u32>(bringTogether(data, data, to) - data) << 3;
        untilRestart = restart - 1;
      }
      for (let c: usize = 0; c < COMPONENTS; c++) {
        const component = plan + FIRST + c * FIELDS;
        const columns = load<i32>(component, ACROSS);
        const rows = load<i32>(component, DOWN);
        const stride = load<i32>(component, STRIDE);
        const size = load<i32>(component, SIZE);
        const width = load<i32>(component, WIDTH);
        for (let row = 0; row < rows; row++) {
          let target = load<u32>(component, PLANE) + (unitY * rows + row) * size * stride + unitX * columns * width;
          for (let column = 0; column < columns; column++, target += width)
            if (!(size === 1 ? decodeMean(component, target, width) : decodeSamples(component, target, stride, size)))
              return 0;
        }
      }
      if (place > bits) return 0;
    }
  return isUsedUp(bits) ? markerPlace() : 0;
}

/** Whether what is left of so many bits only fills up the last byte. */
function isUsedUp(bits: u32): bool {
  return bits - place < 8;
}

// @ts-ignore: decorator
@inline
function decodeSamples(component: usize, target: usize, stride: usize, size: i32): bool {
  const most = decodeBlock(component);
  if (most < 0) return false;
  if (size === 8) return most === 0 ? even(target, stride) : transform(target, stride);
  if (most === 0) return evenReduced(target, stride, size);
  return size === 4 ? transformTo4(target, stride) : transformTo2(target, stride);
}

/** A block at an eighth is its mean, written once or twice. Returns whether that is within reach. */
// @ts-ignore: decorator
@inline
function decodeMean(component: usize, target: usize, width: i32): bool {
  // Variables of the function are quicker than those of the module.
  let at = place;
  let bits = bitsAt(data, at);
  const first = difference(load<u32>(component, FIRST_CODES), bits);
  if (first === 0) return false;
  const value = load<i32>(component, LAST) + (first >> 16);
  if (abs(value) > MOST) return false;
  store<i32>(component, value, LAST);
  at += first & 255;
  // Two more beginnings are then known, also where the first one leads farther than it is long.
  if ((first & 255) > SHORT) bits = bitsAt(data, at);
  else bits <<= first & 255;
  const codes = <usize>load<u32>(component, OTHER_CODES);
  for (let k = 1; k < 64; bits = bitsAt(data, at)) {
    const skip = <i32>load<u16>(codes + (<usize>(bits >> (64 - SKIP_BITS)) << 1), SKIPS);
    const more = <i32>load<u16>(codes + (<usize>((bits << skip) >> (64 - SKIP_BITS)) << 1), SKIPS);
    // Not a branch, as it could not be foreseen.
    const skips = skip + (more & (((skip >> ENDS) & 1) - 1));
    const passed = k + (skips >> PASSED);
    if (passed < 64) {
      at += skips & USED;
      if (((skips >> ENDS) & 1) !== 0) break;
      k = passed;
      continue;
    }
    if (k + (skip >> PASSED) < 64) {
      at += skip & USED;
      k += skip >> PASSED;
      continue;
    }
    // Code by code: the next ones may belong to the next block.
    const symbol = symbolOf(codes, bits, 1);
    if (symbol === 0) return false;
    at += (symbol >> 8) + (symbol & 15);
    const zeros = (symbol >> 4) & 15;
    if ((symbol & 15) === 0) {
      if (zeros < 15) break;
    } else if (k + zeros > 63) return false;
    k += zeros + 1;
  }
  place = at;
  // The step of the mean comes first.
  const mean = ((value * (load<i32>(load<u32>(component, STEPS)) & 0xffff) + 4) >> 3) + 128;
  const sample = min(255, max(0, mean));
  if (width > 1) store<u16>(target, sample * 257);
  else store<u8>(target, sample);
  return isWithinReach(mean);
}

/** Fills the block. Returns the place of its last coefficient in the order of the file, or -1. */
// @ts-ignore: decorator
@inline
function decodeBlock(component: usize): i32 {
  const steps = <usize>load<u32>(component, STEPS);
  let at = place;
  const first = difference(load<u32>(component, FIRST_CODES), bitsAt(data, at));
  if (first === 0) return -1;
  const mean = load<i32>(component, LAST) + (first >> 16);
  if (abs(mean) > MOST) return -1;
  store<i32>(component, mean, LAST);
  at += first & 255;
  for (let k: usize = 0; k < 128; k += 16) v128.store(block + k, i32x4.splat(0));
  // The place of a coefficient in the block is above its step.
  let value = mean * (load<i32>(steps) & 0xffff);
  store<i16>(block, <i16>value);
  let sum = abs(value);
  let most = 0;
  const codes = <usize>load<u32>(component, OTHER_CODES);
  for (let k = 1; k < 64; k++) {
    const bits = bitsAt(data, at);
    const known = load<i32>(codes + (<usize>(bits >> (64 - SHORT)) << 2));
    value = known >> 16;
    if (value !== 0) {
      at += known & 255;
      k += (known >> 12) & 15;
    } else {
      const symbol = known === 0 ? symbolOf(codes, bits, SHORT + 1) : ((known & 255) << 8) | (known >> 8);
      if (symbol === 0) return -1;
      const length = symbol >> 8;
      const size = symbol & 15;
      const skipped = (symbol >> 4) & 15;
      at += length + size;
      if (size === 0) {
        if (skipped < 15) break;
        k += 15;
        continue;
      }
      value = signed(bits << length, size);
      k += skipped;
    }
    if (k > 63) return -1;
    most = k;
    const step = load<i32>(steps + (k << 2));
    value *= step & 0xffff;
    sum += abs(value);
    store<i16>(block + (step >> 16), <i16>value);
  }
  place = at;
  return sum > MOST ? -1 : most;
}

/** By how much the mean differs from the last one, in the upper half, and the bits that say so. 0 where there is no such code. */
// @ts-ignore: decorator
@inline
function difference(codes: usize, bits: u64): i32 {
  const known = load<i32>(codes + (<usize>(bits >> (64 - SHORT)) << 2));
  return known !== 0 && (known & 0xf00) === 0 ? known : longDifference(codes, bits, known);
}

function longDifference(codes: usize, bits: u64, known: i32): i32 {
  const symbol = known === 0 ? symbolOf(codes, bits, SHORT + 1) : ((known & 255) << 8) | (known >> 8);
  if (symbol === 0) return 0;
  const length = symbol >> 8;
  const size = symbol & 255;
  return ((size === 0 ? 0 : signed(bits << length, size)) << 16) | (length + size);
}

/** The number that the first bits stand for; at least one. */
// @ts-ignore: decorator
@inline
function signed(bits: u64, size: i32): i32 {
  const number = <i32>(bits >> (64 - size));
  return number >> (size - 1) === 0 ? number - (1 << size) + 1 : number;
}

/** A code of at least so many bits: its length, and in the lowest byte its symbol. 0 where there is none. */
function symbolOf(codes: usize, bits: u64, least: i32): i32 {
  for (let length = least; length <= 16; length++) {
    const code = <i32>(bits >> (64 - length));
    if (code <= load<i32>(codes + (length << 2), LARGEST))
      return (length << 8) | load<u8>(codes + code + load<i32>(codes + (length << 2), ADDED), SYMBOLS);
  }
  return 0;
}
