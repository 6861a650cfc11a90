import { describe, expect, it } from 'vitest';
import { Random } from '../../src/linalg/random.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { compressWeights } from '../../src/vision/onnx/compress.js';
import { readGraph } from '../../src/vision/onnx/graph.js';
import { InferenceSession, Tensor } from '../../src/vision/onnxruntime.js';

const random = new Random(3);
const values = (count: number, scale: number) => Float32Array.from({ length: count }, () => scale * random.normal());
// Channels of very different size, as real networks have them.
const kernel = values(24 * 6 * 3 * 3, 1).map((value, i) => value * 10 ** ((Math.floor(i / 54) % 5) - 2));
const matrix = values(24 * 60, 0.2);
const picture = values(6 * 8 * 8, 1);

function network(): Uint8Array {
  const builder = new OnnxBuilder();
  builder.input('picture', [1, 6, 8, 8]);
  builder.floats('kernel', [24, 6, 3, 3], kernel);
  builder.floats('matrix', [24, 60], matrix);
  builder.floats('bias', [24], values(24, 1));
  builder.node('Conv', ['picture', 'kernel', 'bias'], 'convolved', { pads: [1, 1, 1, 1] });
  builder.output('convolved', [1, 24, 8, 8]);
  const pooled = builder.node('GlobalAveragePool', ['convolved'], 'pooled');
  const flat = builder.node('Flatten', [pooled], 'flat', { axis: 1 });
  builder.output(builder.node('MatMul', [flat, 'matrix'], 'result'), [1, 60]);
  return builder.finish('network');
}

async function outputs(model: Uint8Array): Promise<Record<string, Float32Array>> {
  const session = await InferenceSession.create(model, { executionProviders: ['cpu'], logSeverityLevel: 3 });
  const found = await session.run({ picture: new Tensor('float32', picture, [1, 6, 8, 8]) });
  await session.release();
  return { convolved: found.convolved.data as Float32Array, result: found.result.data as Float32Array };
}

/** The convolution in plain loops with weights rounded by `round`, given the largest weight of their output channel. */
function convolved(bias: Float32Array, round: (weight: number, largest: number) => number): Float64Array {
  const result = new Float64Array(24 * 64);
  for (let o = 0; o < 24; o++) {
    const channel = kernel.subarray(o * 54, (o + 1) * 54);
    const largest = channel.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
    for (let y = 0; y < 8; y++)
      for (let x = 0; x < 8; x++) {
        let sum = bias[o];
        for (let i = 0; i < 54; i++) {
          const [c, row, column] = [Math.floor(i / 9), y + (Math.floor(i / 3) % 3) - 1, x + (i % 3) - 1];
          if (row >= 0 && row < 8 && column >= 0 && column < 8)
            sum += round(channel[i], largest) * picture[c * 64 + row * 8 + column];
        }
        result[o * 64 + y * 8 + x] = sum;
      }
  }
  return result;
}

describe('weights in fewer bytes', () => {
  const whole = network();
  const graph = readGraph({ bytes: whole, file: 'network' });

  it.each([
    ['float16', 2.2],
    ['int8', 4.6],
  ] as const)('as %s take that much less', (precision, factor) => {
    const small = compressWeights(graph, precision);
    expect(small.length).toBeLessThan(whole.length / factor + 2600);
    expect(small.length).toBeLessThan(whole.length);
  });

  it('as int8 are those rounded to 127 steps of their channel, computed with as float32', async () => {
    const { convolved: found } = await outputs(compressWeights(graph, 'int8'));
    const bias = await biasOf();
    const wanted = convolved(bias, (weight, largest) => (Math.round((127 * weight) / largest) * largest) / 127);
    for (let i = 0; i < wanted.length; i++) expect(found[i]).toBeCloseTo(wanted[i], 3);
  });

  it('as float16 change the result by no more than half a unit in the eleventh bit', async () => {
    const [before, after] = [await outputs(whole), await outputs(compressWeights(graph, 'float16'))];
    const largest = Math.max(...before.result.map(Math.abs));
    for (let i = 0; i < 60; i++) expect(Math.abs(after.result[i] - before.result[i])).toBeLessThan(largest * 2 ** -10);
    expect(after.result).not.toEqual(before.result);
  });

  it('leaves small tensors, and those that something else reads, as they are', () => {
    const names = readGraph({ bytes: compressWeights(graph, 'int8'), file: 'small' }).constants.map(({ name }) => name);
    expect(names).toContain('bias');
    expect(names).toContain('kernel/bytes');
    const builder = new OnnxBuilder();
    builder.input('x', [2000]);
    builder.floats('table', [2000], values(2000, 1));
    builder.output(builder.node('Add', ['x', 'table'], 'y'), [2000]);
    const other = builder.finish('other');
    expect(compressWeights(readGraph({ bytes: other, file: 'other' }), 'int8').length).toBe(other.length);
  });

  /** What the network has as its bias: the convolution of a picture of zeros. */
  async function biasOf(): Promise<Float32Array> {
    const session = await InferenceSession.create(whole, { executionProviders: ['cpu'], logSeverityLevel: 3 });
    const zeros = new Tensor('float32', new Float32Array(picture.length), [1, 6, 8, 8]);
    const { convolved: plain } = await session.run({ picture: zeros });
    await session.release();
    return Float32Array.from({ length: 24 }, (_, o) => (plain.data as Float32Array)[o * 64]);
  }
});
