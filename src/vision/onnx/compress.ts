/**
 * Stores the weights of a network in fewer bytes: float16, or int8 with a scale for each output channel, w ≈ s·q with
 * q = round(w/s), s = max|w|/127. Nodes that turn them back into float32 are put before those of the network; engines carry
 * them out once, when the model is loaded, so that nothing is computed in low precision and every engine can run the result.
 */
import { type Field, readFields, realsToHalves, WireWriter } from '../../formats/index.js';
import { OnnxBuilder } from './build.js';
import {
  type GraphNode,
  graph as graphFields,
  model as modelFields,
  type OnnxGraph,
  readGraph,
  tensor,
} from './graph.js';

/** Smaller tensors are left as they are: biases and scales count for much and take little. */
const fewest = 1024;
const float32 = 1;

export function compressWeights(graph: OnnxGraph, precision: 'float16' | 'int8'): Uint8Array {
  const expansion = new OnnxBuilder();
  const body = new WireWriter();
  const { bytes } = graph.source;
  const keep = (field: Field) => body.encoded(bytes.subarray(field.from, field.end));
  const kept: Field[] = [];
  for (const { name, field } of graph.constants) {
    const weights = readWeights(graph, field);
    const axis = weights && channelAxis(graph.nodes, name, weights.shape);
    if (!weights || axis === undefined) kept.push(field);
    else if (precision === 'float16') addHalves(expansion, name, weights);
    else addBytes(expansion, name, weights, axis);
  }
  const added = readGraph({ bytes: expansion.finish('weights'), file: 'compressed weights' });
  const take = (fields: readonly { field: Field }[]) => {
    for (const { field } of fields) body.encoded(added.source.bytes.subarray(field.from, field.end));
  };
  take(added.nodes);
  for (const { field } of graph.nodes) keep(field);
  take(added.constants);
  for (const field of kept) keep(field);
  for (const part of [graph.inputs, graph.outputs, graph.declared]) for (const { field } of part) keep(field);
  for (const field of graph.otherGraphFields) keep(field);
  const whole = new WireWriter();
  for (const field of graph.modelFields) whole.encoded(bytes.subarray(field.from, field.end));
  return whole.message(modelFields.graph, body).finish();
}

interface Weights {
  shape: number[];
  values: Float32Array;
}

/** Undefined for what is no large tensor of float32 inside the file. */
function readWeights({ source }: OnnxGraph, field: Field): Weights | undefined {
  if (field.number !== graphFields.initializer) return undefined;
  const shape: number[] = [];
  let type = 0;
  let raw: Uint8Array | undefined;
  for (const part of readFields(source, field.start, field.end)) {
    if (part.number === tensor.dims && part.wireType === 0) shape.push(part.value);
    else if (part.number === tensor.dims)
      // Packed: one varint after the other.
      for (let at = part.start; at < part.end; ) {
        let [value, factor] = [0, 1];
        for (; source.bytes[at] >= 0x80; at++, factor *= 128) value += (source.bytes[at] & 0x7f) * factor;
        shape.push(value + source.bytes[at++] * factor);
      }
    else if (part.number === tensor.type) type = part.value;
    // Raw bytes, or packed floats.
    else if ((part.number === tensor.raw || part.number === 4) && part.wireType === 2 && part.end > part.start)
      raw = source.bytes.slice(part.start, part.end);
  }
  const count = shape.reduce((product, size) => product * size, 1);
  if (type !== float32 || raw?.length !== 4 * count || count < fewest) return undefined;
  return { shape, values: new Float32Array(raw.buffer) };
}

/** The axis of output channels, from the nodes that read a tensor; undefined where one of them takes it for something else. */
function channelAxis(nodes: readonly GraphNode[], name: string, shape: readonly number[]): number | undefined {
  const axes = nodes
    .filter(({ inputs }) => inputs.includes(name))
    .map(({ type, inputs }) => {
      if (inputs[1] !== name) return undefined;
      if (type === 'Conv') return 0;
      if (type === 'ConvTranspose') return 1;
      // Of two transposed or not, either axis will do for a scale.
      if (type === 'MatMul' || type === 'Gemm') return shape.length - 1;
      return undefined;
    });
  return axes.length > 0 && axes.every((axis) => axis === axes[0]) ? axes[0] : undefined;
}

function addHalves(builder: OnnxBuilder, name: string, { shape, values }: Weights): void {
  const halves = realsToHalves(values);
  const stored = builder.constant(`${name}/half`, shape, 'float16', new Uint8Array(halves.buffer));
  builder.node('Cast', [stored], name, { to: float32 });
}

function addBytes(builder: OnnxBuilder, name: string, { shape, values }: Weights, axis: number): void {
  const inner = shape.slice(axis + 1).reduce((product, size) => product * size, 1);
  const channels = shape[axis];
  const channelOf = (i: number) => Math.floor(i / inner) % channels;
  const scales = new Float32Array(channels);
  for (let i = 0; i < values.length; i++) {
    const channel = channelOf(i);
    scales[channel] = Math.max(scales[channel], Math.abs(values[i]) / 127);
  }
  const stored = Int8Array.from(values, (value, i) => Math.round(value / (scales[channelOf(i)] || 1)));
  builder.constant(`${name}/bytes`, shape, 'int8', new Uint8Array(stored.buffer));
  builder.floats(
    `${name}/scale`,
    shape.map((_, i) => (i === axis ? channels : 1)),
    scales,
  );
  const whole = builder.node('Cast', [`${name}/bytes`], `${name}/whole`, { to: float32 });
  builder.node('Mul', [whole, `${name}/scale`], name);
}
