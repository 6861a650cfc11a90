/**
 * Translates a network in TensorFlow.js layers format into an ONNX model. Every layer's result can be asked for by the
 * layer's name; spatial results are batch × channels × height × width.
 */
import { FormatError } from '../../errors.js';
import { UnsupportedLayerError } from '../errors.js';
import { OnnxBuilder } from '../onnx/build.js';
import { activate, rectify } from './activations.js';
import { convolution, depthwiseConvolution, globalPooling, pooling, separableConvolution } from './convolutions.js';
import { batchNormalization, parametricRectifier, rescaling } from './normalization.js';
import { concatenate, cropping, dense, flatten, merge, permute, reshape, upsampling, zeroPadding } from './shapes.js';
import { Chain, option, type Translation, unsupported, type Value } from './tensors.js';
import { type LayerCall, readTopology } from './topology.js';
import { readWeights, type Weight, type WeightGroup } from './weights.js';

export interface ConvertOptions {
  /** Height and width to build the network for, where it allows other sizes than its own. */
  inputSize?: readonly [number, number];
  /** For error messages. */
  file?: string;
}

type Translate = (translation: Translation) => Value;

const activation = (choose: (t: Translation) => string): Translate => {
  return (t) => {
    const [input] = t.inputs;
    const axis = input.shape.length === 3 ? 1 : -1;
    return activate(t, new Chain(t, input.tensor), choose(t), axis).end(input.shape);
  };
};
const unchanged: Translate = (t) => new Chain(t, t.inputs[0].tensor).end(t.inputs[0].shape);
const pointwise = (add: (t: Translation, chain: Chain) => Chain): Translate => {
  return (t) => add(t, new Chain(t, t.inputs[0].tensor)).end(t.inputs[0].shape);
};

const layers: Record<string, Translate> = {
  Conv2D: convolution,
  DepthwiseConv2D: depthwiseConvolution,
  SeparableConv2D: separableConvolution,
  BatchNormalization: batchNormalization,
  MaxPooling2D: (t) => pooling(t, 'MaxPool'),
  AveragePooling2D: (t) => pooling(t, 'AveragePool'),
  GlobalAveragePooling2D: (t) => globalPooling(t, 'GlobalAveragePool'),
  GlobalMaxPooling2D: (t) => globalPooling(t, 'GlobalMaxPool'),
  Dense: dense,
  Flatten: flatten,
  Reshape: reshape,
  Permute: permute,
  ZeroPadding2D: zeroPadding,
  Cropping2D: cropping,
  UpSampling2D: upsampling,
  Concatenate: concatenate,
  Add: (t) => merge(t, 'Add'),
  Subtract: (t) => merge(t, 'Sub'),
  Multiply: (t) => merge(t, 'Mul'),
  Average: (t) => merge(t, 'Mean'),
  Maximum: (t) => merge(t, 'Max'),
  Minimum: (t) => merge(t, 'Min'),
  Activation: activation((t) => option(t, 'activation', 'linear')),
  Softmax: activation(softmax),
  ReLU: pointwise(rectify),
  LeakyReLU: pointwise((t, chain) => chain.apply('LeakyRelu', [], { alpha: { float: leak(t) } })),
  ELU: pointwise((t, chain) => chain.apply('Elu', [], { alpha: { float: option(t, 'alpha', 1) } })),
  PReLU: parametricRectifier,
  Rescaling: rescaling,
  // These only do something while training.
  Dropout: unchanged,
  SpatialDropout2D: unchanged,
  GaussianDropout: unchanged,
  GaussianNoise: unchanged,
  AlphaDropout: unchanged,
  ActivityRegularization: unchanged,
};

/**
 * The bytes of an ONNX model. `read` gives the bytes of a weight file by its path in `model.json`.
 * @throws UnsupportedLayerError naming the first layer that cannot be translated
 */
export async function convertLayersModel(
  json: unknown,
  read: (path: string) => Promise<Uint8Array>,
  options: ConvertOptions = {},
): Promise<Uint8Array> {
  const file = options.file ?? 'model.json';
  const topology = readTopology(json, file);
  for (const call of topology.calls)
    if (call.type !== 'InputLayer' && !layers[call.type]) throw new UnsupportedLayerError(call.type, call.name);
  const manifest = (json as { weightsManifest?: WeightGroup[] }).weightsManifest;
  if (!Array.isArray(manifest)) throw new FormatError(file, undefined, 'holds no "weightsManifest"');
  const weights = await readWeights(manifest, read, file);
  const builder = new OnnxBuilder();
  const values = new Map<string, Value>();
  for (const call of topology.calls)
    values.set(
      call.name,
      call.type === 'InputLayer'
        ? inputValue(builder, call, options)
        : layers[call.type]({
            call,
            builder,
            inputs: call.inputs.map((name) => values.get(name)!),
            kerasVersion: topology.kerasVersion,
            weight: (name) => findWeight(weights, call, name, file),
          }),
    );
  for (const name of topology.outputs) builder.output(values.get(name)!.tensor, storedShape(values.get(name)!));
  return builder.finish(file);
}

function inputValue(builder: OnnxBuilder, call: LayerCall, options: ConvertOptions): Value {
  const declared = (call.config.batch_input_shape ?? call.config.batch_shape) as (number | null)[] | undefined;
  if (!declared) throw new UnsupportedLayerError(call.type, call.name, 'says no input shape');
  const shape = declared.slice(1).map((size, axis) => (declared.length === 4 && options.inputSize?.[axis]) || size);
  if (shape.some((size) => size === null))
    throw new UnsupportedLayerError(
      call.type,
      call.name,
      `leaves its size open ([${shape.join(', ')}]); give an input size`,
    );
  const value: Value = { tensor: call.name, shape: shape as number[] };
  builder.input(call.name, storedShape(value));
  return value;
}

function storedShape({ shape }: Value): (number | string)[] {
  const [height, width, channels] = shape;
  return shape.length === 3 ? ['batch', channels, height, width] : ['batch', ...shape];
}

/** Weights are named `layer/weight`, in some files with the enclosing models in front and `:0` at the end. */
function findWeight(weights: Map<string, Weight>, call: LayerCall, name: string, file: string): Weight {
  const layer = call.path.at(-1)!;
  for (let from = call.path.length - 1; from >= 0; from--)
    for (const suffix of ['', ':0']) {
      const found = weights.get(`${[...call.path.slice(from), name].join('/')}${suffix}`);
      if (found) return found;
    }
  const ending = `/${layer}/${name}`;
  const matches = [...weights.keys()].filter((key) => key.replace(/:0$/, '').endsWith(ending));
  if (matches.length === 1) return weights.get(matches[0])!;
  throw new FormatError(
    file,
    undefined,
    matches.length === 0
      ? `layer "${layer}" has no weight "${name}"`
      : `weight "${layer}/${name}" is there ${matches.length} times`,
  );
}

function softmax(translation: Translation): string {
  const axis = option(translation, 'axis', -1);
  if (axis !== -1) throw unsupported(translation, `softmax over axis ${axis} is not translated`);
  return 'softmax';
}

function leak(translation: Translation): number {
  return option(translation, 'alpha', option(translation, 'negative_slope', 0.3));
}
