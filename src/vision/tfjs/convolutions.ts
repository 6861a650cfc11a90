/**
 * Layers that slide a window over the picture. TensorFlow's `same` padding gives ⌈size / stride⌉ outputs and puts the
 * odd pixel of padding after the picture: before = ⌊total / 2⌋ with
 * total = max((outputs − 1) · stride + (window − 1) · dilation + 1 − size, 0).
 */
import { activate } from './activations.js';
import { Chain, option, spatialInput, type Translation, unsupported, type Value } from './tensors.js';
import type { Weight } from './weights.js';

interface Window {
  /** Height, width. */
  outputs: [number, number];
  /** Top, left, bottom, right, as ONNX orders them. */
  pads: [number, number, number, number];
}

function slide(
  translation: Translation,
  input: Value,
  size: readonly number[],
  strides: readonly number[],
  dilation: readonly number[] = [1, 1],
): Window {
  const padding = option(translation, 'padding', 'valid');
  if (padding !== 'valid' && padding !== 'same')
    throw unsupported(translation, `padding "${padding}" is not translated`);
  const outputs: [number, number] = [0, 0];
  const pads: Window['pads'] = [0, 0, 0, 0];
  for (const axis of [0, 1]) {
    const reach = (size[axis] - 1) * dilation[axis] + 1;
    const length = input.shape[axis];
    if (padding === 'valid') outputs[axis] = Math.floor((length - reach) / strides[axis]) + 1;
    else {
      outputs[axis] = Math.ceil(length / strides[axis]);
      const total = Math.max((outputs[axis] - 1) * strides[axis] + reach - length, 0);
      pads[axis] = Math.floor(total / 2);
      pads[axis + 2] = total - pads[axis];
    }
  }
  return { outputs, pads };
}

/** A number or a pair, as Keras writes sizes and strides. */
export function pair(translation: Translation, name: string, fallback: number | number[]): [number, number] {
  const value = option<number | number[]>(translation, name, fallback);
  return Array.isArray(value) ? [value[0], value[1] ?? value[0]] : [value, value];
}

export function convolution(translation: Translation): Value {
  const kernel = translation.weight('kernel');
  const input = spatialInput(translation);
  const groups = option(translation, 'groups', 1);
  const chain = new Chain(translation, input.tensor);
  // Keras: height × width × channels in a group × filters; ONNX: filters × channels in a group × height × width.
  const weights = permuted(kernel, [3, 2, 0, 1]);
  const outputs = convolve(
    translation,
    chain,
    input,
    'kernel',
    weights,
    groups,
    dilations(translation),
    biasOf(translation),
  );
  return finish(translation, chain, [...outputs, kernel.shape[3]]);
}

export function depthwiseConvolution(translation: Translation): Value {
  const input = spatialInput(translation);
  const chain = new Chain(translation, input.tensor);
  const weights = depthwiseWeights(translation.weight('depthwise_kernel'));
  const outputs = convolve(
    translation,
    chain,
    input,
    'depthwise_kernel',
    weights,
    input.shape[2],
    dilations(translation),
    biasOf(translation),
  );
  return finish(translation, chain, [...outputs, weights.shape[0]]);
}

/** A depthwise convolution followed by a pointwise one, with one bias at the end. */
export function separableConvolution(translation: Translation): Value {
  const input = spatialInput(translation);
  const chain = new Chain(translation, input.tensor);
  const depthwise = depthwiseWeights(translation.weight('depthwise_kernel'));
  const outputs = convolve(
    translation,
    chain,
    input,
    'depthwise_kernel',
    depthwise,
    input.shape[2],
    dilations(translation),
  );
  const pointwise = permuted(translation.weight('pointwise_kernel'), [3, 2, 0, 1]);
  const extra = [translation.builder.floats(chain.name('pointwise_kernel'), pointwise.shape, pointwise.values)];
  const bias = biasOf(translation);
  if (bias) extra.push(translation.builder.floats(chain.name('bias'), bias.shape, bias.values));
  chain.apply('Conv', extra);
  return finish(translation, chain, [...outputs, pointwise.shape[0]]);
}

export function pooling(translation: Translation, kind: 'MaxPool' | 'AveragePool'): Value {
  const input = spatialInput(translation);
  const size = pair(translation, 'pool_size', 2);
  const strides = pair(translation, 'strides', size);
  const { outputs, pads } = slide(translation, input, size, strides);
  const chain = new Chain(translation, input.tensor).apply(kind, [], { kernel_shape: size, strides, pads });
  return chain.end([...outputs, input.shape[2]]);
}

export function globalPooling(translation: Translation, kind: 'GlobalAveragePool' | 'GlobalMaxPool'): Value {
  const input = spatialInput(translation);
  const chain = new Chain(translation, input.tensor).apply(kind);
  if (option(translation, 'keepdims', false)) return chain.end([1, 1, input.shape[2]]);
  return chain.apply('Flatten').end([input.shape[2]]);
}

function convolve(
  translation: Translation,
  chain: Chain,
  input: Value,
  name: string,
  weights: Weight,
  groups: number,
  dilation: [number, number],
  bias?: Weight,
): [number, number] {
  const size = weights.shape.slice(2);
  const strides = pair(translation, 'strides', 1);
  const { outputs, pads } = slide(translation, input, size, strides, dilation);
  const extra = [translation.builder.floats(chain.name(name), weights.shape, weights.values)];
  if (bias) extra.push(translation.builder.floats(chain.name('bias'), bias.shape, bias.values));
  chain.apply('Conv', extra, { kernel_shape: size, strides, pads, dilations: dilation, group: groups });
  return outputs;
}

function finish(translation: Translation, chain: Chain, shape: readonly number[]): Value {
  const name = option(translation, 'activation', 'linear');
  return activate(translation, chain, name, 1).end(shape);
}

function dilations(translation: Translation): [number, number] {
  return pair(translation, 'dilation_rate', 1);
}

function biasOf(translation: Translation): Weight | undefined {
  return option(translation, 'use_bias', true) ? translation.weight('bias') : undefined;
}

/** Height × width × channels × multiplier becomes (channels · multiplier) × 1 × height × width. */
function depthwiseWeights(kernel: Weight): Weight {
  const [height, width, channels, multiplier] = kernel.shape;
  return { shape: [channels * multiplier, 1, height, width], values: permuted(kernel, [2, 3, 0, 1]).values };
}

function permuted(weight: Weight, order: readonly [number, number, number, number]): Weight {
  const from = weight.shape;
  const strides = [from[1] * from[2] * from[3], from[2] * from[3], from[3], 1];
  const shape = order.map((axis) => from[axis]);
  const [s0, s1, s2, s3] = order.map((axis) => strides[axis]);
  const values = new Float32Array(weight.values.length);
  let at = 0;
  for (let i = 0; i < shape[0]; i++)
    for (let j = 0; j < shape[1]; j++)
      for (let k = 0; k < shape[2]; k++)
        for (let l = 0; l < shape[3]; l++) values[at++] = weight.values[i * s0 + j * s1 + k * s2 + l * s3];
  return { shape, values };
}
