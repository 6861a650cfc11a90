// Skip-gram and continuous bag of words with negative sampling (Mikolov et al. 2013). For a hidden vector h and output
// vectors u_0 (the true word) and u_1 … u_k (drawn words) one step follows the gradient of
//   L = −log σ(u_0·h) − Σ_{i≥1} log σ(−u_i·h)
// with  ∂L/∂u_i = (σ(u_i·h) − y_i) h  and  ∂L/∂h = Σ_i (σ(u_i·h) − y_i) u_i,  y_0 = 1, y_i = 0,
// all taken at the same point. Rows are padded with zeros to a multiple of eight floats.
import { below, next } from './random';
import { draw } from './sampler';

/** The table of σ and log(1 + e^−t) covers −RANGE … RANGE in steps of 1/STEPS. */
const RANGE: f32 = 10;
const STEPS: f32 = 64;
const LAST_CELL: i32 = 2 * 10 * 64 - 1;

let length: i32 = 0;
let rowBytes: usize = 0;
let window: u32 = 0;
let negatives: i32 = 0;
let input: usize = 0;
let output: usize = 0;
/** 32-bit thresholds: a word is kept when a random number lies below its threshold. */
let keep: usize = 0;
let sigmoid: usize = 0;
/** Per thread: a sentence of word numbers, then rows and gains of one step, then two vectors. */
let sentence: usize = 0;
let rows: usize = 0;
let gains: usize = 0;
let hidden: usize = 0;
let change: usize = 0;
/** Two doubles: summed loss, number of steps. */
let totals: usize = 0;

export function configureWord2vec(
  paddedLength: i32,
  windowWords: u32,
  negativeWords: i32,
  inputRows: usize,
  outputRows: usize,
  keepThresholds: usize,
  sigmoidTable: usize,
  sentenceScratch: usize,
  stepScratch: usize,
  totalsAt: usize,
): void {
  length = paddedLength;
  rowBytes = <usize>paddedLength << 2;
  window = windowWords;
  negatives = negativeWords;
  input = inputRows;
  output = outputRows;
  keep = keepThresholds;
  sigmoid = sigmoidTable;
  sentence = sentenceScratch;
  rows = stepScratch;
  gains = rows + ((<usize>negativeWords + 1) << 2);
  hidden = (gains + ((<usize>negativeWords + 1) << 2) + 15) & ~15;
  change = hidden + rowBytes;
  totals = totalsAt;
}

/** Trains on `count` tokens (word numbers, −1 between paragraphs) at a fixed learning rate. */
export function skipGram(tokens: usize, count: i32, rate: f32): void {
  for (let from = 0; from < count; ) {
    const packed = nextSentence(tokens, from, count);
    from = <i32>(packed >> 32);
    const words = <i32>packed;
    for (let i = 0; i < words; i++) {
      const target = load<u32>(sentence + (<usize>i << 2));
      const reach = 1 + <i32>below(<u32>next(), window);
      const last = min(i + reach, words - 1);
      for (let j = max(i - reach, 0); j <= last; j++) {
        if (j === i) continue;
        const h = input + <usize>load<u32>(sentence + (<usize>j << 2)) * rowBytes;
        step(drawRows(target), h, h, true, rate);
      }
    }
  }
}

/** The same with the mean of the words around as hidden vector; each of them gets its share 1/n of ∂L/∂h. */
export function continuousBag(tokens: usize, count: i32, rate: f32): void {
  for (let from = 0; from < count; ) {
    const packed = nextSentence(tokens, from, count);
    from = <i32>(packed >> 32);
    const words = <i32>packed;
    for (let i = 0; i < words; i++) {
      const reach = 1 + <i32>below(<u32>next(), window);
      const first = max(i - reach, 0);
      const last = min(i + reach, words - 1);
      if (last === first) continue;
      const share: f32 = 1 / <f32>(last - first);
      memory.fill(hidden, 0, rowBytes);
      for (let j = first; j <= last; j++) if (j !== i) addScaled(hidden, inputRow(j), share);
      step(drawRows(load<u32>(sentence + (<usize>i << 2))), hidden, change, false, rate);
      for (let j = first; j <= last; j++) if (j !== i) addScaled(inputRow(j), change, share);
    }
  }
}

/** For the tests: one step for given output words; returns the loss before it. */
export function updateOutputs(inputWord: u32, words: usize, count: i32, rate: f32): f64 {
  for (let k = 0; k < count; k++)
    store<u32>(rows + (<usize>k << 2), <u32>(output + <usize>load<u32>(words + (<usize>k << 2)) * rowBytes));
  const before = load<f64>(totals);
  const h = input + <usize>inputWord * rowBytes;
  step(count, h, h, true, rate);
  return load<f64>(totals) - before;
}

// @ts-ignore: decorator
@inline
function inputRow(position: i32): usize {
  return input + <usize>load<u32>(sentence + (<usize>position << 2)) * rowBytes;
}

/** Collects the kept words of the next paragraph into `sentence`; (where it ends) << 32 | (how many were kept). */
function nextSentence(tokens: usize, from: i32, count: i32): i64 {
  let words = 0;
  let at = from;
  for (; at < count; at++) {
    const word = load<i32>(tokens + (<usize>at << 2));
    if (word < 0) {
      at++;
      break;
    }
    const threshold = load<u32>(keep + (<usize>word << 2));
    if (threshold !== u32.MAX_VALUE && <u32>next() >= threshold) continue;
    store<i32>(sentence + (<usize>words << 2), word);
    words++;
  }
  return (<i64>at << 32) | <i64>words;
}

/** Puts the addresses of the target's row and the drawn words' rows into `rows`; a draw of the target is left out. */
// @ts-ignore: decorator
@inline
function drawRows(target: u32): i32 {
  store<u32>(rows, <u32>(output + <usize>target * rowBytes));
  let count = 1;
  for (let k = 0; k < negatives; k++) {
    const word = draw();
    if (word === target) continue;
    store<u32>(rows + (<usize>count << 2), <u32>(output + <usize>word * rowBytes));
    count++;
  }
  return count;
}

/** One step from hidden vector `h`: updates the rows; adds the change of h to h itself, or writes it to `result`. */
// @ts-ignore: decorator
@inline
function step(count: i32, h: usize, result: usize, accumulate: bool, rate: f32): void {
  scores(count, h, rate);
  const blocks = length >> 4;
  let offset: usize = 0;
  for (let block = 0; block < blocks; block++, offset += 64) {
    const x0 = v128.load(h + offset, 0);
    const x1 = v128.load(h + offset, 16);
    const x2 = v128.load(h + offset, 32);
    const x3 = v128.load(h + offset, 48);
    let e0 = accumulate ? x0 : f32x4.splat(0);
    let e1 = accumulate ? x1 : f32x4.splat(0);
    let e2 = accumulate ? x2 : f32x4.splat(0);
    let e3 = accumulate ? x3 : f32x4.splat(0);
    for (let k = 0; k < count; k++) {
      const row = <usize>load<u32>(rows + (<usize>k << 2)) + offset;
      const gain = v128.load_splat<f32>(gains + (<usize>k << 2));
      const u0 = v128.load(row, 0);
      const u1 = v128.load(row, 16);
      const u2 = v128.load(row, 32);
      const u3 = v128.load(row, 48);
      e0 = f32x4.add(e0, f32x4.mul(gain, u0));
      e1 = f32x4.add(e1, f32x4.mul(gain, u1));
      e2 = f32x4.add(e2, f32x4.mul(gain, u2));
      e3 = f32x4.add(e3, f32x4.mul(gain, u3));
      v128.store(row, f32x4.add(u0, f32x4.mul(gain, x0)), 0);
      v128.store(row, f32x4.add(u1, f32x4.mul(gain, x1)), 16);
      v128.store(row, f32x4.add(u2, f32x4.mul(gain, x2)), 32);
      v128.store(row, f32x4.add(u3, f32x4.mul(gain, x3)), 48);
    }
    v128.store(result + offset, e0, 0);
    v128.store(result + offset, e1, 16);
    v128.store(result + offset, e2, 32);
    v128.store(result + offset, e3, 48);
  }
  if (length & 8) {
    const x0 = v128.load(h + offset, 0);
    const x1 = v128.load(h + offset, 16);
    let e0 = accumulate ? x0 : f32x4.splat(0);
    let e1 = accumulate ? x1 : f32x4.splat(0);
    for (let k = 0; k < count; k++) {
      const row = <usize>load<u32>(rows + (<usize>k << 2)) + offset;
      const gain = v128.load_splat<f32>(gains + (<usize>k << 2));
      const u0 = v128.load(row, 0);
      const u1 = v128.load(row, 16);
      e0 = f32x4.add(e0, f32x4.mul(gain, u0));
      e1 = f32x4.add(e1, f32x4.mul(gain, u1));
      v128.store(row, f32x4.add(u0, f32x4.mul(gain, x0)), 0);
      v128.store(row, f32x4.add(u1, f32x4.mul(gain, x1)), 16);
    }
    v128.store(result + offset, e0, 0);
    v128.store(result + offset, e1, 16);
  }
}

/** gains[k] = (y_k − σ(u_k·h)) rate for all rows, three dot products in one pass over h; adds up the loss. */
// @ts-ignore: decorator
@inline
function scores(count: i32, h: usize, rate: f32): void {
  let loss: f32 = 0;
  let k = 0;
  for (; k + 3 <= count; k += 3) {
    const at = rows + (<usize>k << 2);
    let r0 = <usize>load<u32>(at, 0);
    let r1 = <usize>load<u32>(at, 4);
    let r2 = <usize>load<u32>(at, 8);
    let x = h;
    let a0 = f32x4.splat(0);
    let a1 = f32x4.splat(0);
    let a2 = f32x4.splat(0);
    let b0 = f32x4.splat(0);
    let b1 = f32x4.splat(0);
    let b2 = f32x4.splat(0);
    for (let d = 0; d < length; d += 8) {
      const x0 = v128.load(x, 0);
      const x1 = v128.load(x, 16);
      a0 = f32x4.add(a0, f32x4.mul(x0, v128.load(r0, 0)));
      a1 = f32x4.add(a1, f32x4.mul(x0, v128.load(r1, 0)));
      a2 = f32x4.add(a2, f32x4.mul(x0, v128.load(r2, 0)));
      b0 = f32x4.add(b0, f32x4.mul(x1, v128.load(r0, 16)));
      b1 = f32x4.add(b1, f32x4.mul(x1, v128.load(r1, 16)));
      b2 = f32x4.add(b2, f32x4.mul(x1, v128.load(r2, 16)));
      x += 32;
      r0 += 32;
      r1 += 32;
      r2 += 32;
    }
    loss += score(k, sum(f32x4.add(a0, b0)), rate);
    loss += score(k + 1, sum(f32x4.add(a1, b1)), rate);
    loss += score(k + 2, sum(f32x4.add(a2, b2)), rate);
  }
  for (; k < count; k++) {
    const row = <usize>load<u32>(rows + (<usize>k << 2));
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    for (let d: usize = 0; d < rowBytes; d += 32) {
      a = f32x4.add(a, f32x4.mul(v128.load(h + d, 0), v128.load(row + d, 0)));
      b = f32x4.add(b, f32x4.mul(v128.load(h + d, 16), v128.load(row + d, 16)));
    }
    loss += score(k, sum(f32x4.add(a, b)), rate);
  }
  store<f64>(totals, load<f64>(totals) + <f64>loss, 0);
  store<f64>(totals, load<f64>(totals, 8) + 1, 8);
}

/** Stores the gain of row k and returns its loss: −log σ(t) = log(1 + e^−t) for the true word, t more for the others. */
// @ts-ignore: decorator
@inline
function score(k: i32, t: f32, rate: f32): f32 {
  // Written so that NaN ends at −RANGE: converting it to an integer would stop the thread.
  const bounded = t > -RANGE ? (t < RANGE ? t : RANGE) : -RANGE;
  const place = (bounded + RANGE) * STEPS;
  const cell = min(<i32>place, LAST_CELL);
  const part = place - <f32>cell;
  const at = sigmoid + (<usize>cell << 3);
  const s0 = load<f32>(at, 0);
  const l0 = load<f32>(at, 4);
  const probability = s0 + part * (load<f32>(at, 8) - s0);
  const loss = l0 + part * (load<f32>(at, 12) - l0);
  store<f32>(gains + (<usize>k << 2), ((k === 0 ? <f32>1 : <f32>0) - probability) * rate);
  return k === 0 ? loss : loss + t;
}

// @ts-ignore: decorator
@inline
function sum(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** y ← y + a x */
// @ts-ignore: decorator
@inline
function addScaled(y: usize, x: usize, a: f32): void {
  const factor = f32x4.splat(a);
  for (let d: usize = 0; d < rowBytes; d += 32) {
    v128.store(y + d, f32x4.add(v128.load(y + d, 0), f32x4.mul(factor, v128.load(x + d, 0))), 0);
    v128.store(y + d, f32x4.add(v128.load(y + d, 16), f32x4.mul(factor, v128.load(x + d, 16))), 16);
  }
}
