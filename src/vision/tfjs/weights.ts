/**
 * Weights of a network in TensorFlow.js layers format: groups of shard files, each group one run of bytes in which the
 * weights follow one another. Quantized weights are stored as q with w = q · scale + min (uint8, uint16) or as float16.
 */
import { FormatError } from '../../errors.js';
import { halfToFloats } from '../../formats/index.js';

export interface WeightEntry {
  name: string;
  shape: number[];
  dtype: string;
  quantization?: { dtype: string; scale?: number; min?: number };
}

export interface WeightGroup {
  paths: string[];
  weights: WeightEntry[];
}

export interface Weight {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const bytesPerElement: Record<string, number> = { float32: 4, int32: 4, float16: 2, uint16: 2, uint8: 1, bool: 1 };

/** All weights by name. `read` gives the bytes of a shard by its path in the manifest. */
export async function readWeights(
  manifest: readonly WeightGroup[],
  read: (path: string) => Promise<Uint8Array>,
  file: string,
): Promise<Map<string, Weight>> {
  const weights = new Map<string, Weight>();
  for (const group of manifest) {
    const bytes = join(await Promise.all(group.paths.map(read)));
    let offset = 0;
    for (const entry of group.weights) {
      const count = entry.shape.reduce((product, size) => product * size, 1);
      const stored = entry.quantization?.dtype ?? entry.dtype;
      const width = bytesPerElement[stored];
      if (!width) throw new FormatError(file, undefined, `weight "${entry.name}" has element type "${stored}"`);
      if (!Number.isSafeInteger(count) || count < 0 || offset + count * width > bytes.length)
        throw new FormatError(
          file,
          undefined,
          `weight "${entry.name}" (${entry.shape.join('×')} ${stored}) ends at byte ${offset + count * width}, its shards hold ${bytes.length}`,
          'A weight file is missing or cut short; fetch the model again.',
        );
      weights.set(entry.name, { shape: entry.shape, values: decode(bytes, offset, count, stored, entry) });
      offset += count * width;
    }
    if (offset !== bytes.length)
      throw new FormatError(
        file,
        undefined,
        `shards ${group.paths[0]}… hold ${bytes.length} bytes, ${offset} are used`,
      );
  }
  return weights;
}

function decode(bytes: Uint8Array, offset: number, count: number, stored: string, entry: WeightEntry): Float32Array {
  // Shards are joined at any byte; typed arrays need their own alignment.
  const own = bytes.slice(offset, offset + count * bytesPerElement[stored]).buffer;
  if (stored === 'float32') return new Float32Array(own);
  const values = new Float32Array(count);
  if (stored === 'float16') {
    halfToFloats(new Uint16Array(own), values);
    return values;
  }
  const numbers =
    stored === 'int32' ? new Int32Array(own) : stored === 'uint16' ? new Uint16Array(own) : new Uint8Array(own);
  const scale = entry.quantization?.scale ?? 1;
  const min = entry.quantization?.min ?? 0;
  for (let i = 0; i < count; i++) values[i] = numbers[i] * scale + min;
  return values;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
