/** Layers that rearrange, pad, join or combine tensors, and dense layers. */
import { activate } from './activations.js';
import { pair } from './convolutions.js';
import { Chain, kerasInput, option, spatialInput, type Translation, unsupported, type Value } from './tensors.js';

type Sides = [[number, number], [number, number]];

/** A number, [vertical, horizontal] or [[top, bottom], [left, right]]. */
function sides(translation: Translation, name: string, fallback: number): Sides {
  const value = option<number | (number | number[])[]>(translation, name, fallback);
  const side = (part: number | number[]): [number, number] => (Array.isArray(part) ? [part[0], part[1]] : [part, part]);
  return Array.isArray(value) ? [side(value[0]), side(value[1])] : [side(value), side(value)];
}

export function zeroPadding(translation: Translation): Value {
  const input = spatialInput(translation);
  const [[top, bottom], [left, right]] = sides(translation, 'padding', 1);
  const chain = new Chain(translation, input.tensor);
  const pads = translation.builder.integers(chain.name('pads'), [0, 0, top, left, 0, 0, bottom, right]);
  const [height, width, channels] = input.shape;
  return chain.apply('Pad', [pads]).end([height + top + bottom, width + left + right, channels]);
}

export function cropping(translation: Translation): Value {
  const input = spatialInput(translation);
  const [[top, bottom], [left, right]] = sides(translation, 'cropping', 0);
  const [height, width, channels] = input.shape;
  const chain = new Chain(translation, input.tensor);
  const { builder } = translation;
  const bounds = [
    builder.integers(chain.name('starts'), [top, left]),
    builder.integers(chain.name('ends'), [height - bottom, width - right]),
    builder.integers(chain.name('axes'), [2, 3]),
  ];
  return chain.apply('Slice', bounds).end([height - top - bottom, width - left - right, channels]);
}

/** Repeats every pixel. */
export function upsampling(translation: Translation): Value {
  const input = spatialInput(translation);
  if (option(translation, 'interpolation', 'nearest') !== 'nearest')
    throw unsupported(translation, 'only nearest-neighbour upsampling is translated');
  const [vertical, horizontal] = pair(translation, 'size', 2);
  const chain = new Chain(translation, input.tensor);
  const scales = translation.builder.floats(chain.name('scales'), [4], Float32Array.of(1, 1, vertical, horizontal));
  const [height, width, channels] = input.shape;
  // The empty name stands for the region of interest, which nearest-neighbour resizing does not have.
  chain.apply('Resize', ['', scales], {
    mode: 'nearest',
    coordinate_transformation_mode: 'asymmetric',
    nearest_mode: 'floor',
  });
  return chain.end([height * vertical, width * horizontal, channels]);
}

export function flatten(translation: Translation): Value {
  const input = kerasInput(translation);
  const count = input.shape.reduce((product, size) => product * size, 1);
  return new Chain(translation, input.tensor).apply('Flatten').end([count]);
}

export function reshape(translation: Translation): Value {
  const input = kerasInput(translation);
  const target = [...option<number[]>(translation, 'target_shape', option(translation, 'targetShape', []))];
  const count = input.shape.reduce((product, size) => product * size, 1);
  const free = target.findIndex((size) => size === -1 || size === null);
  if (free >= 0) {
    target[free] = 1;
    target[free] = count / target.reduce((product, size) => product * size, 1);
  }
  if (target.reduce((product, size) => product * size, 1) !== count)
    throw unsupported(translation, `[${input.shape.join(', ')}] cannot become [${target.join(', ')}]`);
  const chain = new Chain(translation, input.tensor);
  const shape = translation.builder.integers(chain.name('shape'), [-1, ...target]);
  return chain.apply('Reshape', [shape]).end(target, 'keras');
}

export function permute(translation: Translation): Value {
  const input = kerasInput(translation);
  const order = option<number[]>(translation, 'dims', []);
  const chain = new Chain(translation, input.tensor).apply('Transpose', [], { perm: [0, ...order] });
  return chain.end(
    order.map((axis) => input.shape[axis - 1]),
    'keras',
  );
}

/** y = f(W'x + b), over the last axis. */
export function dense(translation: Translation): Value {
  const kernel = translation.weight('kernel');
  const input = kerasInput(translation);
  if (input.shape.at(-1) !== kernel.shape[0])
    throw unsupported(
      translation,
      `its weights are ${kernel.shape.join('×')}, its input has shape [${input.shape.join(', ')}]`,
    );
  const { builder } = translation;
  const chain = new Chain(translation, input.tensor);
  const weights = builder.floats(chain.name('kernel'), kernel.shape, kernel.values);
  const bias = option(translation, 'use_bias', true) ? translation.weight('bias') : undefined;
  const added = bias ? builder.floats(chain.name('bias'), bias.shape, bias.values) : undefined;
  if (input.shape.length === 1) chain.apply('Gemm', added ? [weights, added] : [weights]);
  else {
    chain.apply('MatMul', [weights]);
    if (added) chain.apply('Add', [added]);
  }
  const shape = [...input.shape.slice(0, -1), kernel.shape[1]];
  const name = option(translation, 'activation', 'linear');
  return activate(translation, chain, name, -1).end(shape, 'keras');
}

/** Element by element over all inputs: sum, product, difference, mean, extremes. */
export function merge(translation: Translation, type: 'Add' | 'Mul' | 'Sub' | 'Max' | 'Min' | 'Mean'): Value {
  const [first, ...others] = translation.inputs;
  const shape = first.shape.map((size, axis) => Math.max(size, ...others.map((value) => value.shape[axis])));
  for (const value of translation.inputs)
    if (value.shape.length !== shape.length || value.shape.some((size, axis) => size !== shape[axis] && size !== 1)) {
      const shapes = translation.inputs.map((input) => `[${input.shape.join(', ')}]`);
      throw unsupported(translation, `its inputs have shapes ${shapes.join(' and ')}`);
    }
  const chain = new Chain(translation, first.tensor);
  const rest = others.map((value) => value.tensor);
  if (type === 'Max' || type === 'Min' || type === 'Mean') chain.apply(type, rest);
  else for (const tensor of rest) chain.apply(type, [tensor]);
  return chain.end(shape);
}

export function concatenate(translation: Translation): Value {
  const values = translation.inputs;
  const rank = values[0].shape.length;
  const given = option(translation, 'axis', -1);
  // Counting the batch as axis 0, as Keras does; −1 is the channels.
  const axis = (given < 0 ? given + rank + 1 : given) - 1;
  if (axis < 0 || axis >= rank) throw unsupported(translation, `axis ${given} is not translated`);
  const shape = [...values[0].shape];
  shape[axis] = values.reduce((sum, value) => sum + value.shape[axis], 0);
  const rest = values.slice(1).map((value) => value.tensor);
  const stored = rank === 3 ? [2, 3, 1][axis] : axis + 1;
  return new Chain(translation, values[0].tensor).apply('Concat', rest, { axis: stored }).end(shape);
}
