/**
 * Principal components of feature rows: mean μ and the leading eigenvectors V of the covariance, so that z = V (x − μ).
 * A projection never lengthens a difference: |z − z'| ≤ |x − x'|. Rows are scaled to unit length first.
 */
import { FormatError } from '../../errors.js';
import type { ArrayRows } from '../../formats/index.js';
import type { Backend, Matrix } from '../../linalg/index.js';
import { leadingEigenvectors } from '../../numerics/index.js';

export interface Components {
  mean: Float32Array;
  /** One eigenvector a row, most important first. */
  vectors: Matrix<Float32Array>;
}

/** Rows used to estimate the components; more would not change them noticeably. */
const mostSamples = 20_000;
const tileRows = 1024;

export async function principalComponents(
  rows: ArrayRows,
  count: number,
  backend: Backend,
  signal?: AbortSignal,
): Promise<Components> {
  const dimensions = rows.rowLength;
  const total = rows.shape[0];
  const stride = Math.max(1, Math.ceil(total / mostSamples));
  const samples = Math.ceil(total / stride);
  const mean = new Float64Array(dimensions);
  for (let start = 0; start < samples; start += tileRows) {
    signal?.throwIfAborted();
    const count = Math.min(tileRows, samples - start);
    const tile = await sampledRows(rows, start, count, stride);
    for (let i = 0; i < count; i++) for (let j = 0; j < dimensions; j++) mean[j] += tile[i * dimensions + j] / samples;
  }
  const covariance = backend.matrix(dimensions, dimensions);
  const centred = backend.matrix(tileRows, dimensions);
  for (let start = 0; start < samples; start += tileRows) {
    signal?.throwIfAborted();
    const count = Math.min(tileRows, samples - start);
    const tile = await sampledRows(rows, start, count, stride);
    for (let i = 0; i < count; i++)
      for (let j = 0; j < dimensions; j++) centred.set(i, j, tile[i * dimensions + j] - mean[j]);
    backend.syrk(covariance, centred.view(0, count), {
      transpose: true,
      alpha: 1 / samples,
      beta: start === 0 ? 0 : 1,
    });
  }
  const leading = leadingEigenvectors(backend, covariance, count);
  const vectors = backend.matrix(count, dimensions, 'float32').copyFrom(leading.vectors);
  backend.release(covariance);
  backend.release(centred);
  return { mean: Float32Array.from(mean), vectors };
}

async function sampledRows(rows: ArrayRows, start: number, count: number, stride: number): Promise<Float64Array> {
  const dimensions = rows.rowLength;
  const result = new Float64Array(count * dimensions);
  if (stride === 1) await rows.readRows(start, start + count, result);
  else
    for (let i = 0; i < count; i++) {
      const row = (start + i) * stride;
      await rows.readRows(row, row + 1, result.subarray(i * dimensions, (i + 1) * dimensions));
    }
  for (let i = 0; i < count; i++)
    unitLength(result.subarray(i * dimensions, (i + 1) * dimensions), (start + i) * stride);
  return result;
}

/** Scales a row to length 1, in place; a row of zeros stays one. */
export function unitLength(row: Float32Array | Float64Array, index: number): void {
  let sum = 0;
  for (let j = 0; j < row.length; j++) sum += row[j] * row[j];
  if (!Number.isFinite(sum))
    throw new FormatError('features', undefined, `row ${index} holds a value that is not finite`);
  const factor = sum > 0 ? 1 / Math.sqrt(sum) : 0;
  for (let j = 0; j < row.length; j++) row[j] *= factor;
}
