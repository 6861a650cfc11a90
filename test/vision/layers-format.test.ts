import { describe, expect, it } from 'vitest';
import '../allclose.js';
import { functionalModel, type LayerSpec, numbers, run, weight } from './keras-json.js';
import * as reference from './reference-layers.js';

const tolerance = { tolerance: 1e-4, scale: 1 };

/** A picture of 9 × 7 with 4 channels: odd sides show which way padding leans. */
function sample(height = 9, width = 7, channels = 4): reference.Picture {
  const next = numbers(height * 100 + width);
  return reference.picture(height, width, channels, () => Math.fround(next() * 2));
}

async function check(layer: Omit<LayerSpec, 'name'>, input: reference.Picture, expected: ArrayLike<number>) {
  const model = functionalModel([input.height, input.width, input.channels], [{ ...layer, name: 'layer' }]);
  const values = Array.from(expected);
  // Relative for large numbers: exp(8) has no four decimals in float32.
  const scale = Math.max(1, ...values.map(Math.abs));
  expect(await run(model, input)).toBeAllClose(values, { tolerance: 1e-4, scale });
}

describe('every translated layer agrees with its definition', () => {
  const paddings = ['valid', 'same'] as const;
  const steps: [number, number][] = [
    [1, 1],
    [2, 2],
    [2, 3],
  ];
  for (const padding of paddings)
    for (const strides of steps) {
      const label = `${padding} padding, strides ${strides.join('×')}`;
      it(`Conv2D with ${label}`, async () => {
        const [kernel, bias] = [weight([3, 2, 4, 5], 1), weight([5], 2)];
        const expected = reference.conv2d(sample(), kernel, bias.values, { padding, strides });
        const config = { padding, strides, kernel_size: [3, 2], filters: 5, use_bias: true, activation: 'linear' };
        await check({ type: 'Conv2D', config, weights: { kernel, bias } }, sample(), expected.data);
      });
      it(`DepthwiseConv2D with ${label}`, async () => {
        const [kernel, bias] = [weight([3, 3, 4, 2], 3), weight([8], 4)];
        const expected = reference.depthwise(sample(), kernel, bias.values, { padding, strides });
        const config = { padding, strides, kernel_size: [3, 3], depth_multiplier: 2, use_bias: true };
        await check(
          { type: 'DepthwiseConv2D', config, weights: { depthwise_kernel: kernel, bias } },
          sample(),
          expected.data,
        );
      });
      it(`MaxPooling2D with ${label}`, async () => {
        const expected = reference.maxPool(sample(), { size: [3, 2], padding, strides });
        await check({ type: 'MaxPooling2D', config: { padding, strides, pool_size: [3, 2] } }, sample(), expected.data);
      });
      it(`AveragePooling2D with ${label}`, async () => {
        const expected = reference.averagePool(sample(), { size: [3, 2], padding, strides });
        await check(
          { type: 'AveragePooling2D', config: { padding, strides, pool_size: [3, 2] } },
          sample(),
          expected.data,
        );
      });
    }

  it('Conv2D with dilation, and with groups', async () => {
    const kernel = weight([3, 3, 4, 2], 5);
    const dilated = reference.conv2d(sample(), kernel, undefined, {
      padding: 'same',
      strides: [1, 1],
      dilation: [2, 2],
    });
    const config = { padding: 'same', strides: [1, 1], dilation_rate: [2, 2], use_bias: false };
    await check({ type: 'Conv2D', config, weights: { kernel } }, sample(), dilated.data);
    const grouped = weight([3, 3, 2, 6], 6);
    const expected = reference.conv2d(sample(), grouped, undefined, { padding: 'valid', strides: [1, 1] }, 2);
    await check(
      { type: 'Conv2D', config: { strides: 1, groups: 2, use_bias: false }, weights: { kernel: grouped } },
      sample(),
      expected.data,
    );
  });

  it('SeparableConv2D', async () => {
    const [depthwise, pointwise, bias] = [weight([3, 3, 4, 2], 7), weight([1, 1, 8, 3], 8), weight([3], 9)];
    const middle = reference.depthwise(sample(), depthwise, undefined, { padding: 'same', strides: [2, 2] });
    const expected = reference.conv2d(middle, pointwise, bias.values, { padding: 'valid', strides: [1, 1] });
    await check(
      {
        type: 'SeparableConv2D',
        config: { padding: 'same', strides: [2, 2], depth_multiplier: 2, activation: 'relu' },
        weights: { depthwise_kernel: depthwise, pointwise_kernel: pointwise, bias },
      },
      sample(),
      reference.map(expected, (x) => Math.max(0, x)).data,
    );
  });

  it('BatchNormalization, with and without scale and centre', async () => {
    const [gamma, beta, mean] = [weight([4], 10), weight([4], 11), weight([4], 12)];
    const variance = { shape: [4], values: weight([4], 13).values.map((x) => x * x + 0.1) };
    const full = { gamma: gamma.values, beta: beta.values, mean: mean.values, variance: variance.values };
    const weights = { gamma, beta, moving_mean: mean, moving_variance: variance };
    await check(
      { type: 'BatchNormalization', config: { axis: [3], epsilon: 0.01 }, weights },
      sample(),
      reference.batchNorm(sample(), full, 0.01).data,
    );
    await check(
      {
        type: 'BatchNormalization',
        config: { axis: -1, epsilon: 0.001, scale: false, center: false },
        weights: { moving_mean: mean, moving_variance: variance },
      },
      sample(),
      reference.batchNorm(sample(), { mean: mean.values, variance: variance.values }, 0.001).data,
    );
  });

  const activations: Record<string, (x: number) => number> = {
    linear: (x) => x,
    relu: (x) => Math.max(0, x),
    relu6: (x) => Math.min(6, Math.max(0, x)),
    sigmoid: (x) => 1 / (1 + Math.exp(-x)),
    tanh: Math.tanh,
    elu: (x) => (x > 0 ? x : Math.expm1(x)),
    selu: (x) => 1.05070098 * (x > 0 ? x : 1.67326324 * Math.expm1(x)),
    softplus: (x) => Math.log1p(Math.exp(x)),
    softsign: (x) => x / (1 + Math.abs(x)),
    exponential: Math.exp,
    hard_sigmoid: (x) => Math.min(1, Math.max(0, 0.2 * x + 0.5)),
    swish: (x) => x / (1 + Math.exp(-x)),
  };
  it.each(Object.keys(activations))('Activation %s', async (name) => {
    const input = reference.map(sample(), (x) => x * 4);
    const expected = reference.map(input, (x) => activations[name](Math.fround(x)));
    await check({ type: 'Activation', config: { activation: name } }, input, expected.data);
  });

  it('Activation softmax over the channels of each pixel', async () => {
    const input = sample();
    const expected: number[] = [];
    for (let i = 0; i < input.data.length; i += 4) expected.push(...reference.softmax([...input.data.slice(i, i + 4)]));
    await check({ type: 'Activation', config: { activation: 'softmax' } }, input, expected);
  });

  it('ReLU with a ceiling and with a slope, LeakyReLU, ELU, PReLU, Rescaling', async () => {
    const input = reference.map(sample(), (x) => x * 5);
    const relu6 = reference.map(input, (x) => Math.min(6, Math.max(0, x)));
    await check({ type: 'ReLU', config: { max_value: 6 } }, input, relu6.data);
    const leaky = reference.map(input, (x) => (x > 0 ? x : 0.1 * x));
    await check({ type: 'ReLU', config: { negative_slope: 0.1 } }, input, leaky.data);
    await check({ type: 'LeakyReLU', config: { alpha: 0.1 } }, input, leaky.data);
    const elu = reference.map(input, (x) => (x > 0 ? x : 0.5 * Math.expm1(x)));
    await check({ type: 'ELU', config: { alpha: 0.5 } }, input, elu.data);
    const alpha = weight([1, 1, 4], 14);
    const prelu = reference.map(input, (x, c) => (x > 0 ? x : alpha.values[c] * x));
    await check({ type: 'PReLU', config: { shared_axes: [1, 2] }, weights: { alpha } }, input, prelu.data);
    const rescaled = reference.map(input, (x, c) => x / 127.5 - [1, 2, 3, 4][c]);
    await check({ type: 'Rescaling', config: { scale: 1 / 127.5, offset: [-1, -2, -3, -4] } }, input, rescaled.data);
  });

  it('ZeroPadding2D, Cropping2D and UpSampling2D', async () => {
    const input = sample();
    const padded = reference.pad(input, 1, 2, 3, 0);
    const padding = [
      [1, 2],
      [3, 0],
    ];
    await check({ type: 'ZeroPadding2D', config: { padding } }, input, padded.data);
    await check({ type: 'Cropping2D', config: { cropping: padding } }, padded, input.data);
    const doubled = reference.picture(18, 21, 4, () => 0);
    doubled.data.forEach((_, i) => {
      const [y, x, c] = [Math.floor(i / 84), Math.floor(i / 4) % 21, i % 4];
      doubled.data[i] = reference.at(input, Math.floor(y / 2), Math.floor(x / 3), c);
    });
    await check({ type: 'UpSampling2D', config: { size: [2, 3] } }, input, doubled.data);
  });

  it('GlobalAveragePooling2D and GlobalMaxPooling2D, with and without the axes', async () => {
    for (const keepdims of [false, true]) {
      await check(
        { type: 'GlobalAveragePooling2D', config: { keepdims } },
        sample(),
        reference.globalPool(sample(), 'mean'),
      );
      await check(
        { type: 'GlobalMaxPooling2D', config: { keepdims } },
        sample(),
        reference.globalPool(sample(), 'max'),
      );
    }
  });

  it('Flatten and Reshape keep the order of Keras, and Permute moves axes', async () => {
    const input = sample(2, 3, 4);
    await check({ type: 'Flatten' }, input, input.data);
    await check({ type: 'Reshape', config: { target_shape: [24] } }, input, input.data);
    await check({ type: 'Reshape', config: { target_shape: [4, -1, 2] } }, input, input.data);
    const permuted = reference.picture(4, 2, 3, () => 0);
    permuted.data.forEach((_, i) => {
      const [c, y, x] = [Math.floor(i / 6), Math.floor(i / 3) % 2, i % 3];
      permuted.data[i] = reference.at(input, y, x, c);
    });
    await check({ type: 'Permute', config: { dims: [3, 1, 2] } }, input, permuted.data);
  });

  it('Dense on a vector and on every pixel', async () => {
    const input = sample(2, 3, 4);
    const [kernel, bias] = [weight([24, 3], 15), weight([3], 16)];
    const layers: LayerSpec[] = [
      { type: 'Flatten', name: 'flat' },
      { type: 'Dense', name: 'layer', config: { activation: 'softmax' }, weights: { kernel, bias } },
    ];
    const expected = reference.softmax(reference.dense(input.data, kernel, bias.values));
    expect(await run(functionalModel([2, 3, 4], layers), input)).toBeAllClose(expected, tolerance);
    const pixel = weight([4, 2], 17);
    const each: number[] = [];
    for (let i = 0; i < 24; i += 4) each.push(...reference.dense(input.data.slice(i, i + 4), pixel));
    await check({ type: 'Dense', config: { use_bias: false }, weights: { kernel: pixel } }, input, each);
  });

  const merges: [string, (values: number[]) => number][] = [
    ['Add', (v) => v[0] + v[1] + v[2]],
    ['Multiply', (v) => v[0] * v[1] * v[2]],
    ['Average', (v) => (v[0] + v[1] + v[2]) / 3],
    ['Maximum', (v) => Math.max(...v)],
    ['Minimum', (v) => Math.min(...v)],
  ];
  it.each(merges)('%s of three tensors', async (type, merge) => {
    const input = sample();
    const layers: LayerSpec[] = [
      { type: 'Activation', name: 'a', config: { activation: 'tanh' }, inputs: ['input'] },
      { type: 'Activation', name: 'b', config: { activation: 'sigmoid' }, inputs: ['input'] },
      { type, name: 'layer', inputs: ['input', 'a', 'b'] },
    ];
    const expected = reference.map(input, (x) => merge([x, Math.tanh(x), 1 / (1 + Math.exp(-x))]));
    expect(await run(functionalModel([9, 7, 4], layers), input)).toBeAllClose([...expected.data], tolerance);
  });

  it('Subtract, and Multiply that spreads one number for each channel over the picture', async () => {
    const input = sample();
    const layers = (type: string): LayerSpec[] => [
      { type: 'GlobalAveragePooling2D', name: 'mean', config: { keepdims: true }, inputs: ['input'] },
      { type, name: 'layer', inputs: ['input', 'mean'] },
    ];
    const means = reference.globalPool(input, 'mean');
    for (const [type, f] of [
      ['Subtract', (x: number, c: number) => x - means[c]],
      ['Multiply', (x: number, c: number) => x * means[c]],
    ] as const)
      expect(await run(functionalModel([9, 7, 4], layers(type)), input)).toBeAllClose(
        [...reference.map(input, f).data],
        tolerance,
      );
  });

  it.each([
    [-1, (y: number, x: number, c: number) => [y, x, c % 4, c < 4 ? 0 : 1], [9, 7, 8]],
    [1, (y: number, x: number, c: number) => [y % 9, x, c, y < 9 ? 0 : 1], [18, 7, 4]],
    [2, (y: number, x: number, c: number) => [y, x % 7, c, x < 7 ? 0 : 1], [9, 14, 4]],
  ] as const)('Concatenate along axis %i', async (axis, from, shape) => {
    const input = sample();
    const layers: LayerSpec[] = [
      { type: 'Activation', name: 'a', config: { activation: 'tanh' }, inputs: ['input'] },
      { type: 'Concatenate', name: 'layer', config: { axis }, inputs: ['input', 'a'] },
    ];
    const expected: number[] = [];
    for (let y = 0; y < shape[0]; y++)
      for (let x = 0; x < shape[1]; x++)
        for (let c = 0; c < shape[2]; c++) {
          const [v, h, k, which] = from(y, x, c);
          const value = reference.at(input, v, h, k);
          expected.push(which === 0 ? value : Math.tanh(value));
        }
    expect(await run(functionalModel([9, 7, 4], layers), input)).toBeAllClose(expected, tolerance);
  });

  it.each([
    'Dropout',
    'SpatialDropout2D',
    'GaussianNoise',
    'GaussianDropout',
    'AlphaDropout',
    'ActivityRegularization',
  ])('%s, which does nothing outside training', async (type) =>
    check({ type, config: { rate: 0.5 } }, sample(), sample().data),
  );
});
