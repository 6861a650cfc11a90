import { describe, expect, it } from 'vitest';
import '../allclose.js';
import { FormatError } from '../../src/errors.js';
import { UnsupportedLayerError } from '../../src/vision/errors.js';
import { resolveLayer } from '../../src/vision/onnx/expose.js';
import { readGraph } from '../../src/vision/onnx/graph.js';
import {
  convert,
  document,
  functionalModel,
  type LayerSpec,
  numbers,
  run,
  type TestModel,
  weight,
} from './keras-json.js';
import * as reference from './reference-layers.js';

const tolerance = { tolerance: 1e-4, scale: 1 };

function sample(height: number, width: number, channels: number): reference.Picture {
  const next = numbers(77);
  return reference.picture(height, width, channels, () => Math.fround(next()));
}

describe('a small network', () => {
  it('gives what pencil and paper give', async () => {
    // 2 × 2 pixels, one channel: 1 2 / 3 4. One filter of ones over 2 × 2 with `same` padding sees, from each pixel, that
    // pixel and its neighbours to the right and below: 10 6 / 7 4. The mean is 6.75; 2 · 6.75 − 1 = 12.5.
    const one = { shape: [2, 2, 1, 1], values: Float32Array.of(1, 1, 1, 1) };
    const model = functionalModel(
      [2, 2, 1],
      [
        { type: 'Conv2D', name: 'conv', config: { padding: 'same', use_bias: false }, weights: { kernel: one } },
        { type: 'GlobalAveragePooling2D', name: 'mean' },
        {
          type: 'Dense',
          name: 'out',
          weights: {
            kernel: { shape: [1, 1], values: Float32Array.of(2) },
            bias: { shape: [1], values: Float32Array.of(-1) },
          },
        },
      ],
    );
    const input = reference.picture(2, 2, 1, (i) => i + 1);
    expect(await run(model, input)).toBeAllClose([12.5], tolerance);
  });

  it('with a residual branch, normalization and pooling agrees with the layers one by one', async () => {
    const w = {
      stem: weight([3, 3, 3, 8], 1, 0.3),
      depth: weight([3, 3, 8, 1], 2, 0.3),
      project: weight([1, 1, 8, 8], 3, 0.3),
      mean: weight([8], 4, 0.1),
      gamma: weight([8], 5),
      beta: weight([8], 6),
      dense: weight([8, 5], 7),
      bias: weight([5], 8),
    };
    const variance = { shape: [8], values: weight([8], 9).values.map((x) => x * x + 0.5) };
    const layers: LayerSpec[] = [
      {
        type: 'ZeroPadding2D',
        name: 'pad',
        config: {
          padding: [
            [0, 1],
            [0, 1],
          ],
        },
      },
      { type: 'Conv2D', name: 'stem', config: { strides: [2, 2], use_bias: false }, weights: { kernel: w.stem } },
      {
        type: 'BatchNormalization',
        name: 'bn',
        config: { epsilon: 0.001 },
        weights: { gamma: w.gamma, beta: w.beta, moving_mean: w.mean, moving_variance: variance },
      },
      { type: 'ReLU', name: 'relu', config: { max_value: 6 } },
      {
        type: 'DepthwiseConv2D',
        name: 'depth',
        config: { padding: 'same', use_bias: false },
        weights: { depthwise_kernel: w.depth },
      },
      { type: 'Conv2D', name: 'project', config: { padding: 'same', use_bias: false }, weights: { kernel: w.project } },
      { type: 'Add', name: 'add', inputs: ['relu', 'project'] },
      { type: 'MaxPooling2D', name: 'pool', config: { pool_size: [2, 2] } },
      { type: 'GlobalAveragePooling2D', name: 'mean' },
      { type: 'Dense', name: 'dense', config: { activation: 'softmax' }, weights: { kernel: w.dense, bias: w.bias } },
    ];
    const input = sample(12, 10, 3);
    const plain = { padding: 'valid', strides: [1, 1] } as const;
    const stem = reference.conv2d(reference.pad(input, 0, 1, 0, 1), w.stem, undefined, {
      padding: 'valid',
      strides: [2, 2],
    });
    const normal = { gamma: w.gamma.values, beta: w.beta.values, mean: w.mean.values, variance: variance.values };
    const relu = reference.map(reference.batchNorm(stem, normal, 0.001), (x) => Math.min(6, Math.max(0, x)));
    const depth = reference.depthwise(relu, w.depth, undefined, { padding: 'same', strides: [1, 1] });
    const project = reference.conv2d(depth, w.project, undefined, plain);
    const sum = reference.picture(relu.height, relu.width, 8, (i) => relu.data[i] + project.data[i]);
    const pooled = reference.maxPool(sum, { size: [2, 2], strides: [2, 2], padding: 'valid' });
    const expected = reference.softmax(reference.dense(reference.globalPool(pooled, 'mean'), w.dense, w.bias.values));
    expect(await run(functionalModel([12, 10, 3], layers), input)).toBeAllClose(expected, tolerance);
  });

  it('can be built for another input size than its own', async () => {
    const kernel = weight([3, 3, 3, 4], 20);
    const model = functionalModel(
      [512, 512, 3],
      [
        { type: 'Conv2D', name: 'conv', config: { padding: 'same', strides: 2, use_bias: false }, weights: { kernel } },
        { type: 'GlobalAveragePooling2D', name: 'mean' },
      ],
    );
    const graph = readGraph({ bytes: await convert(model, [31, 33]), file: 'test' });
    expect(graph.inputs[0].shape).toEqual(['batch', 3, 31, 33]);
  });
});

describe('nesting', () => {
  const kernel = weight([1, 1, 3, 2], 30);
  const dense = weight([2, 2], 31);
  const conv = {
    class_name: 'Conv2D',
    name: 'conv',
    config: { name: 'conv', use_bias: false },
    inbound_nodes: [[['in', 0, 0, {}]]],
  };
  const inner = {
    class_name: 'Model',
    config: {
      name: 'inner',
      layers: [
        {
          class_name: 'InputLayer',
          name: 'in',
          config: { name: 'in', batch_input_shape: [null, 4, 4, 3] },
          inbound_nodes: [],
        },
        conv,
      ],
      input_layers: [['in', 0, 0]],
      output_layers: [['conv', 0, 0]],
    },
  };
  const sequential = {
    class_name: 'Sequential',
    config: {
      name: 'outer',
      layers: [
        {
          class_name: 'Sequential',
          config: {
            name: 'features',
            layers: [inner, { class_name: 'GlobalAveragePooling2D', config: { name: 'mean' } }],
          },
        },
        {
          class_name: 'Sequential',
          config: { name: 'head', layers: [{ class_name: 'Dense', config: { name: 'dense', use_bias: false } }] },
        },
      ],
    },
  };
  const expected = (input: reference.Picture) =>
    reference.dense(
      reference.globalPool(reference.conv2d(input, kernel, undefined, { padding: 'valid', strides: [1, 1] }), 'mean'),
      dense,
    );

  it('opens models within models, whether weights carry their names or not', async () => {
    for (const prefix of ['', 'features/inner/', 'somewhere/else/']) {
      const model = document(sequential, { [`${prefix}conv/kernel`]: kernel, 'dense/kernel': dense });
      expect(await run(model, sample(4, 4, 3))).toBeAllClose(expected(sample(4, 4, 3)), tolerance);
    }
  });

  it('runs a layer that is used twice', async () => {
    const shared = { ...conv, inbound_nodes: [[['in', 0, 0, {}]], [['turned', 0, 0, {}]]] };
    const square = { shape: [1, 1, 3, 3], values: weight([1, 1, 3, 3], 32).values };
    const model = document(
      {
        class_name: 'Functional',
        config: {
          name: 'twice',
          layers: [
            inner.config.layers[0],
            shared,
            {
              class_name: 'Activation',
              name: 'turned',
              config: { name: 'turned', activation: 'tanh' },
              inbound_nodes: [[['conv', 0, 0, {}]]],
            },
          ],
          input_layers: [['in', 0, 0]],
          output_layers: [['conv', 1, 0]],
        },
      },
      { 'conv/kernel': square },
    );
    const once = (p: reference.Picture) =>
      reference.conv2d(p, square, undefined, { padding: 'valid', strides: [1, 1] });
    const input = sample(4, 4, 3);
    expect(await run(model, input)).toBeAllClose([...once(reference.map(once(input), Math.tanh)).data], tolerance);
  });

  it('reads the calls that Keras 3 writes', async () => {
    const history = {
      class_name: '__keras_tensor__',
      config: { shape: [], dtype: 'float32', keras_history: ['in', 0, 0] },
    };
    const layers = [inner.config.layers[0], { ...conv, inbound_nodes: [{ args: [history], kwargs: {} }] }];
    const model = document(
      {
        class_name: 'Functional',
        config: { name: 'three', layers, input_layers: ['in', 0, 0], output_layers: ['conv', 0, 0] },
      },
      { 'conv/kernel': kernel },
    );
    const input = sample(4, 4, 3);
    const convolved = reference.conv2d(input, kernel, undefined, { padding: 'valid', strides: [1, 1] });
    expect(await run(model, input)).toBeAllClose([...convolved.data], tolerance);
  });

  it('names every layer, so that any of them can be asked for', async () => {
    const model = document(sequential, { 'conv/kernel': kernel, 'dense/kernel': dense });
    const graph = readGraph({ bytes: await convert(model), file: 'test' });
    for (const name of ['conv', 'mean', 'dense']) expect(resolveLayer(graph, name)).toBe(name);
  });
});

describe('weights', () => {
  const input = sample(2, 2, 3);
  const kernel = weight([1, 1, 3, 4], 40);
  const layers: LayerSpec[] = [{ type: 'Conv2D', name: 'conv', config: { use_bias: false }, weights: { kernel } }];

  /** The same network with its only weight stored in another way. */
  function stored(quantization: object | undefined, bytes: Uint8Array, cuts: number[] = []): TestModel {
    const model = functionalModel([2, 2, 3], layers);
    const edges = [0, ...cuts, bytes.length];
    const paths = edges.slice(1).map((_, i) => `shard${i}.bin`);
    const entry = {
      name: 'conv/kernel',
      shape: kernel.shape,
      dtype: 'float32',
      ...(quantization ? { quantization } : {}),
    };
    return {
      json: { ...model.json, weightsManifest: [{ paths, weights: [entry] }] },
      files: new Map(paths.map((path, i) => [path, bytes.subarray(edges[i], edges[i + 1])])),
    };
  }
  const expected = (values: ArrayLike<number>) => [
    ...reference.conv2d(input, { shape: kernel.shape, values }, undefined, { padding: 'valid', strides: [1, 1] }).data,
  ];

  it('are read across shards cut anywhere', async () => {
    const bytes = new Uint8Array(kernel.values.buffer);
    expect(await run(stored(undefined, bytes, [1, 7, 22]), input)).toBeAllClose(expected(kernel.values), tolerance);
  });

  it.each([
    ['uint8', 255, Uint8Array],
    ['uint16', 65535, Uint16Array],
  ] as const)('quantized to %s are q · scale + min', async (dtype, levels, Kind) => {
    const min = -1;
    const scale = 2 / levels;
    const q = new Kind(Array.from(kernel.values, (x) => Math.round((x - min) / scale)));
    const model = stored({ dtype, min, scale, original_dtype: 'float32' }, new Uint8Array(q.buffer));
    expect(await run(model, input)).toBeAllClose(expected(Float64Array.from(q, (x) => x * scale + min)), tolerance);
  });

  it('in half precision are read', async () => {
    // 1, −2, 0.5, 2⁻²⁴, 0.333…, 65504
    const halves = Uint16Array.of(0x3c00, 0xc000, 0x3800, 0x0001, 0x3555, 0x7bff, 0, 0, 0, 0, 0, 0);
    const values = [1, -2, 0.5, 2 ** -24, 0.333251953125, 65504, 0, 0, 0, 0, 0, 0];
    const result = await run(
      stored({ dtype: 'float16', original_dtype: 'float32' }, new Uint8Array(halves.buffer)),
      input,
    );
    expect(result).toBeAllClose(expected(values), { tolerance: 1e-6 });
  });

  it('that end early, are left over or have no known type are refused', async () => {
    const bytes = new Uint8Array(kernel.values.buffer);
    await expect(run(stored(undefined, bytes.subarray(0, 40)), input)).rejects.toThrow(/its shards hold 40/);
    await expect(run(stored(undefined, new Uint8Array(60)), input)).rejects.toThrow(/hold 60 bytes, 48 are used/);
    await expect(run(stored({ dtype: 'int4' }, bytes), input)).rejects.toThrow(FormatError);
  });
});

describe('what cannot be translated', () => {
  it('is named: an unknown layer', async () => {
    const model = functionalModel([4, 4, 3], [{ type: 'LSTM', name: 'memory' }]);
    const error = await convert(model).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnsupportedLayerError);
    expect(error).toMatchObject({ layerType: 'LSTM', layerName: 'memory', code: 'BOWERBIRD_UNSUPPORTED_LAYER' });
  });

  it.each<[string, LayerSpec]>([
    ['an unknown activation', { type: 'Activation', name: 'x', config: { activation: 'bent' } }],
    ['channels first', { type: 'MaxPooling2D', name: 'x', config: { data_format: 'channels_first' } }],
    ['causal padding', { type: 'MaxPooling2D', name: 'x', config: { padding: 'causal' } }],
    ['a window on a vector', { type: 'MaxPooling2D', name: 'x', inputs: ['flat'] }],
    ['an impossible shape', { type: 'Reshape', name: 'x', config: { target_shape: [5, 5] } }],
  ])('is named: %s', async (_, layer) => {
    const model = functionalModel(
      [4, 4, 3],
      [
        { type: 'Flatten', name: 'flat' },
        { inputs: ['input'], ...layer },
      ],
    );
    await expect(convert(model)).rejects.toThrow(UnsupportedLayerError);
  });

  it('gives a readable error for files of another kind', async () => {
    const bad = (json: unknown) => convert({ json: json as Record<string, unknown>, files: new Map() });
    await expect(bad({})).rejects.toThrow(/modelTopology/);
    await expect(bad({ modelTopology: { node: [] } })).rejects.toThrow(/not a Keras model/);
    const missing = functionalModel([4, 4, 3], [{ type: 'Conv2D', name: 'conv', config: {} }]);
    await expect(convert(missing)).rejects.toThrow(/"conv" has no weight "kernel"/);
    const dangling = functionalModel([4, 4, 3], [{ type: 'Add', name: 'sum', inputs: ['nobody'] }]);
    await expect(convert(dangling)).rejects.toThrow(/"nobody" is read but not defined/);
  });
});
