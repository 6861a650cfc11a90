// GloVe (Pennington, Socher and Manning 2014) with AdaGrad. For each pair of words with co-occurrence x it follows the
// gradient of
//   J = ½ f(x) (w_i·c_j + b_i + d_j − log x)²,   f(x) = min(1, (x / x_max)^α)
// with  ∂J/∂w_i = f(x) e c_j,  ∂J/∂c_j = f(x) e w_i,  ∂J/∂b_i = ∂J/∂d_j = f(x) e,  e the error in brackets.
// As in the authors' program, AdaGrad's sums begin at 1 and collect the squares of (learning rate · gradient).

let length: i32 = 0;
let rowBytes: usize = 0;
let mains: usize = 0;
let contexts: usize = 0;
let mainSquares: usize = 0;
let contextSquares: usize = 0;
let mainBias: usize = 0;
let contextBias: usize = 0;
let mainBiasSquares: usize = 0;
let contextBiasSquares: usize = 0;
/** Two doubles: summed J, number of pairs. */
let totals: usize = 0;

/** Rows lie one after another: main, context, then their squares; so do the four arrays of biases. */
export function configureGlove(paddedLength: i32, words: u32, matrices: usize, biases: usize, totalsAt: usize): void {
  length = paddedLength;
  rowBytes = <usize>paddedLength << 2;
  const matrixBytes = rowBytes * <usize>words;
  mains = matrices;
  contexts = mains + matrixBytes;
  mainSquares = contexts + matrixBytes;
  contextSquares = mainSquares + matrixBytes;
  mainBias = biases;
  contextBias = mainBias + (<usize>words << 2);
  mainBiasSquares = contextBias + (<usize>words << 2);
  contextBiasSquares = mainBiasSquares + (<usize>words << 2);
  totals = totalsAt;
}

/** Trains on records of 16 bytes: main word, context word, log x, f(x). */
export function trainRecords(records: usize, count: i32, rate: f32): void {
  let total: f64 = 0;
  const end = records + (<usize>count << 4);
  for (let record = records; record < end; record += 16) {
    const i = <usize>load<u32>(record, 0);
    const j = <usize>load<u32>(record, 4);
    const weight = load<f32>(record, 12);
    const w = mains + i * rowBytes;
    const c = contexts + j * rowBytes;
    const b = i << 2;
    const d = j << 2;
    const error = dot(w, c) + load<f32>(mainBias + b) + load<f32>(contextBias + d) - load<f32>(record, 8);
    total += 0.5 * <f64>(weight * error * error);
    const gain = weight * error * rate;
    updateRows(w, c, mainSquares + i * rowBytes, contextSquares + j * rowBytes, gain);
    updateBias(mainBias + b, mainBiasSquares + b, gain);
    updateBias(contextBias + d, contextBiasSquares + d, gain);
  }
  store<f64>(totals, load<f64>(totals) + total, 0);
  store<f64>(totals, load<f64>(totals, 8) + <f64>count, 8);
}

// @ts-ignore: decorator
@inline
function dot(x: usize, y: usize): f32 {
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  for (let k: usize = 0; k < rowBytes; k += 32) {
    a = f32x4.add(a, f32x4.mul(v128.load(x + k, 0), v128.load(y + k, 0)));
    b = f32x4.add(b, f32x4.mul(v128.load(x + k, 16), v128.load(y + k, 16)));
  }
  const v = f32x4.add(a, b);
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3));
}

/** Both rows move against their gradients, each divided by the root of its sum of squares before this record. */
// @ts-ignore: decorator
@inline
function updateRows(w: usize, c: usize, wSquares: usize, cSquares: usize, gain: f32): void {
  const g = f32x4.splat(gain);
  for (let k: usize = 0; k < rowBytes; k += 16) {
    const wv = v128.load(w + k);
    const cv = v128.load(c + k);
    const ws = v128.load(wSquares + k);
    const cs = v128.load(cSquares + k);
    const wGradient = f32x4.mul(g, cv);
    const cGradient = f32x4.mul(g, wv);
    v128.store(w + k, f32x4.sub(wv, f32x4.div(wGradient, f32x4.sqrt(ws))));
    v128.store(c + k, f32x4.sub(cv, f32x4.div(cGradient, f32x4.sqrt(cs))));
    v128.store(wSquares + k, f32x4.add(ws, f32x4.mul(wGradient, wGradient)));
    v128.store(cSquares + k, f32x4.add(cs, f32x4.mul(cGradient, cGradient)));
  }
}

// @ts-ignore: decorator
@inline
function updateBias(bias: usize, squares: usize, gain: f32): void {
  const s = load<f32>(squares);
  store<f32>(bias, load<f32>(bias) - gain / sqrt<f32>(s));
  store<f32>(squares, s + gain * gain);
}
