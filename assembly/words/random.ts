// SplitMix64 (Steele, Lea and Flood 2014): the n-th number is a fixed mixing of seed + n·γ, so a stream is continued
// from its 64-bit counter alone.

let counter: u64 = 0;

export function setSeed(high: u32, low: u32): void {
  counter = ((<u64>high) << 32) | low;
}

export function seedHigh(): u32 {
  return <u32>(counter >> 32);
}

export function seedLow(): u32 {
  return <u32>counter;
}

// @ts-ignore: decorator
@inline
export function next(): u64 {
  counter += 0x9e3779b97f4a7c15;
  let z = counter;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/** An integer in [0, bound) from 32 random bits (Lemire's multiplication; the bias is below bound / 2³²). */
// @ts-ignore: decorator
@inline
export function below(bits: u32, bound: u32): u32 {
  return <u32>((<u64>bits * <u64>bound) >> 32);
}

/** Fills an array with numbers uniform in (−scale, scale). */
export function drawUniform(out: usize, count: i32, scale: f32): void {
  for (let i = 0; i < count; i++) {
    const unit = <f32>(next() >> 40) * <f32>(1.0 / 16777216.0);
    store<f32>(out + (<usize>i << 2), (unit * 2 - 1) * scale);
  }
}
