/**
 * Network and classifier in one ONNX file: pixels (n×height×width×3, red, green, blue, 0…255, already brought to the
 * network's size) in, scores out. The network's own nodes are kept byte for byte; what comes before and after them is
 * put beside them.
 */
import { readFile } from 'node:fs/promises';
import { type Field, WireWriter } from '../../formats/index.js';
import {
  exposeTensor,
  type FeatureModel,
  graph as graphFields,
  ModelError,
  metadataFields,
  model as modelFields,
  OnnxBuilder,
  type OnnxGraph,
  type Preprocessing,
  readGraph,
  resolveLayer,
} from '../../vision/index.js';
import type { GraphMetadata } from './metadata.js';
import { addScorer, type ExportedModel } from './scorer-graph.js';

const float32 = 1;
const float16 = 10;

/** @param options what it says of itself; whether the features are given out too, beside scores and confidences */
export async function pixelModel(
  model: FeatureModel,
  classifier: ExportedModel,
  options: { metadata?: GraphMetadata; features?: boolean } = {},
): Promise<Uint8Array> {
  const { model: path, reduction, preprocessing } = model.network;
  const whole = readGraph({ bytes: await readFile(path), file: path });
  const layer = resolveLayer(whole, model.layer);
  const network = readGraph({ bytes: await exposeTensor(whole, layer), file: path });
  const [input] = network.inputs;
  const layout = input.shape?.[1] !== 3 && input.shape?.[3] === 3 ? 'NHWC' : 'NCHW';
  const half = input.elementType === float16;
  const batch = input.shape?.[0];
  const before = new OnnxBuilder();
  before.input('pixels', [typeof batch === 'number' && batch > 0 ? batch : 'pictures', ...preprocessing.size, 3]);
  addPreprocessing(before, preprocessing, layout, half, input.name);
  const after = new OnnxBuilder();
  const features = addReduction(after, layer, reduction, layout, half);
  if (options.features) {
    const { map, weights } = classifier.scorer;
    after.output(after.node('Identity', [features], 'features'), ['pictures', (map ?? weights).rows]);
  }
  addScorer(after, features, classifier);
  return join(network, before, after, options.metadata ?? {});
}

/** value = (pixel · scale − mean)/deviation, in the network's order of channels and axes. */
function addPreprocessing(
  builder: OnnxBuilder,
  { scale, mean, deviation, channelOrder }: Preprocessing,
  layout: 'NCHW' | 'NHWC',
  half: boolean,
  output: string,
): void {
  let current = 'pixels';
  if (channelOrder === 'BGR') {
    builder.integers('picture/order', [2, 1, 0]);
    current = builder.node('Gather', [current, 'picture/order'], 'picture/channels', { axis: 3 });
  }
  builder.floats(
    'picture/factor',
    [1, 1, 1, 3],
    Float32Array.from(deviation, (value) => scale / value),
  );
  builder.floats(
    'picture/offset',
    [1, 1, 1, 3],
    Float32Array.from(mean, (value, c) => value / deviation[c]),
  );
  const scaled = builder.node('Mul', [current, 'picture/factor'], 'picture/scaled');
  const last = [...(layout === 'NCHW' ? ['Transpose'] : []), ...(half ? ['Cast'] : [])];
  current = builder.node('Sub', [scaled, 'picture/offset'], last.length === 0 ? output : 'picture/values');
  if (layout === 'NCHW')
    current = builder.node('Transpose', [current], half ? 'picture/planes' : output, { perm: [0, 3, 1, 2] });
  if (half) builder.node('Cast', [current], output, { to: float16 });
}

/** As the extraction does it: everything, the mean over positions, or the first token. */
function addReduction(
  builder: OnnxBuilder,
  layer: string,
  reduction: FeatureModel['network']['reduction'],
  layout: 'NCHW' | 'NHWC',
  half: boolean,
): string {
  const values = half ? builder.node('Cast', [layer], 'scorer/values', { to: float32 }) : layer;
  if (reduction === 'flatten') return builder.node('Flatten', [values], 'scorer/flat', { axis: 1 });
  if (reduction === 'mean' && layout === 'NCHW') {
    const pooled = builder.node('GlobalAveragePool', [values], 'scorer/pooled');
    return builder.node('Flatten', [pooled], 'scorer/flat', { axis: 1 });
  }
  if (reduction === 'first') {
    builder.integers('scorer/first', [0]);
    const token = builder.node('Gather', [values, 'scorer/first'], 'scorer/token', { axis: 1 });
    return builder.node('Flatten', [token], 'scorer/flat', { axis: 1 });
  }
  throw new ModelError(
    `the mean over positions of layer "${layer}" cannot be put into one file with the network`,
    'Export the classifier of features instead: --as onnx.',
  );
}

/** The nodes of the three graphs one after the other, with the inputs of the first and the outputs of the last. */
function join(network: OnnxGraph, before: OnnxBuilder, after: OnnxBuilder, metadata: GraphMetadata): Uint8Array {
  const [first, last] = [before, after].map((builder) =>
    readGraph({ bytes: builder.finish('part'), file: 'the exported model' }),
  );
  const body = new WireWriter();
  const keep = (from: OnnxGraph, fields: readonly { field: Field }[]) => {
    for (const { field } of fields) body.encoded(from.source.bytes.subarray(field.from, field.end));
  };
  for (const part of [first, network, last]) keep(part, part.nodes);
  body.text(graphFields.name, 'bowerbird classifier with its network');
  for (const part of [first, network, last]) keep(part, part.constants);
  keep(first, first.inputs);
  keep(last, last.outputs);
  keep(network, network.declared);
  const model = new WireWriter();
  for (const field of network.modelFields) model.encoded(network.source.bytes.subarray(field.from, field.end));
  return model.message(modelFields.graph, body).encoded(metadataFields(metadata)).finish();
}
