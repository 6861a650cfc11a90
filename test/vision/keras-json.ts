/** Writes networks in TensorFlow.js layers format for tests, and runs what the importer makes of them. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { convertLayersModel } from '../../src/vision/tfjs/convert.js';
import type { WeightEntry } from '../../src/vision/tfjs/weights.js';
import type { Picture } from './reference-layers.js';

export interface TestWeight {
  shape: number[];
  values: Float32Array;
}

/** Numbers that look random and are the same every time, between −1 and 1. */
export function numbers(seed: number): () => number {
  let state = seed * 2654435761 + 12345;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 31 - 1;
  };
}

export function weight(shape: number[], seed: number, scale = 1): TestWeight {
  const next = numbers(seed);
  return { shape, values: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => next() * scale) };
}

export interface LayerSpec {
  type: string;
  name: string;
  config?: Record<string, unknown>;
  /** Names of the layers it reads; Sequential order where absent. */
  inputs?: string[];
  weights?: Record<string, TestWeight>;
}

/** A functional model of these layers behind an input of the given shape. */
export function functionalModel(shape: number[], layers: LayerSpec[], outputs?: string[]) {
  const input = {
    class_name: 'InputLayer',
    name: 'input',
    config: { name: 'input', batch_input_shape: [null, ...shape] },
  };
  let previous = 'input';
  const json = layers.map((layer) => {
    const inputs = layer.inputs ?? [previous];
    previous = layer.name;
    return {
      class_name: layer.type,
      name: layer.name,
      config: { name: layer.name, ...layer.config },
      inbound_nodes: [inputs.map((name) => [name, 0, 0, {}])],
    };
  });
  return document(
    {
      class_name: 'Functional',
      config: {
        name: 'test',
        layers: [{ ...input, inbound_nodes: [] }, ...json],
        input_layers: [['input', 0, 0]],
        output_layers: (outputs ?? [previous]).map((name) => [name, 0, 0]),
      },
    },
    Object.fromEntries(
      layers.flatMap((layer) =>
        Object.entries(layer.weights ?? {}).map(([name, value]) => [`${layer.name}/${name}`, value]),
      ),
    ),
  );
}

export interface TestModel {
  json: Record<string, unknown>;
  files: Map<string, Uint8Array>;
}

/** A whole model.json with its weights in one file. */
export function document(model: unknown, weights: Record<string, TestWeight>): TestModel {
  const entries: WeightEntry[] = Object.entries(weights).map(([name, { shape }]) => ({
    name,
    shape,
    dtype: 'float32',
  }));
  const bytes = Buffer.concat(
    Object.values(weights).map(({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  );
  return {
    json: {
      modelTopology: { keras_version: '2.4.0', backend: 'tensorflow', model_config: model },
      weightsManifest: [{ paths: ['weights.bin'], weights: entries }],
    },
    files: new Map([['weights.bin', bytes]]),
  };
}

export function convert(model: TestModel, inputSize?: [number, number]): Promise<Uint8Array> {
  return convertLayersModel(
    model.json,
    async (path) => {
      const bytes = model.files.get(path);
      if (!bytes) throw new Error(`no file ${path}`);
      return bytes;
    },
    { inputSize },
  );
}

/** The network's first output for one picture, in Keras' order of axes. */
export async function run(model: TestModel, input: Picture): Promise<number[]> {
  const session = await InferenceSession.create(await convert(model));
  const { height, width, channels, data } = input;
  const values = new Float32Array(data.length);
  for (let i = 0; i < height * width; i++)
    for (let c = 0; c < channels; c++) values[c * height * width + i] = data[i * channels + c];
  const outputs = await session.run({
    [session.inputNames[0]]: new Tensor('float32', values, [1, channels, height, width]),
  });
  const output = outputs[session.outputNames[0]];
  await session.release();
  return kerasOrder(output as Tensor);
}

/** Declared outputs name their layout: spatial ones are channels first unless the importer left them channels last. */
function kerasOrder(tensor: Tensor): number[] {
  const data = [...(tensor.data as Float32Array)];
  if (tensor.dims.length !== 4) return data;
  const [, channels, height, width] = tensor.dims;
  return Array.from(
    { length: data.length },
    (_, i) => data[(i % channels) * height * width + Math.floor(i / channels)],
  );
}
