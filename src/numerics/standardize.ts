/** Decision values of different methods on one scale. */
import type { Matrix } from '../linalg/index.js';

/** Mean and deviation of all entries. */
export interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

export function scaleOf(values: Matrix): Scale {
  const count = Math.max(1, values.rows * values.cols);
  let mean = 0;
  for (let i = 0; i < values.rows; i++) for (const value of values.row(i)) mean += value / count;
  let variance = 0;
  for (let i = 0; i < values.rows; i++) for (const value of values.row(i)) variance += (value - mean) ** 2 / count;
  return { mean, deviation: variance > 0 ? Math.sqrt(variance) : 1 };
}

/** (v − mean)/deviation: decision values of two methods can be averaged then. */
export function standardized(values: Matrix, scale: Scale = scaleOf(values)): Matrix<Float64Array> {
  const result = values.copy('float64');
  for (let k = 0; k < result.data.length; k++) result.data[k] = (result.data[k] - scale.mean) / scale.deviation;
  return result;
}
