/**
 * Makes any intermediate tensor the output of a model: keeps the nodes the tensor depends on, drops the rest of the
 * network (so nothing after the layer is computed), and declares the tensor as the only output.
 */

import { type Field, WireWriter } from '../../formats/index.js';
import { ModelError } from '../errors.js';
import { keepConstant, type OutsideFiles, refuseInnerReferences } from './external.js';
import { type GraphNode, graph as graphFields, model as modelFields, type OnnxGraph } from './graph.js';

/** The tensor a layer name means: a tensor's own name, or a node's name for what that node writes first. */
export function resolveLayer(graph: OnnxGraph, layer: string): string {
  if (graph.nodes.some((node) => node.outputs.includes(layer))) return layer;
  const node = graph.nodes.find((candidate) => candidate.name === layer && candidate.outputs.length > 0);
  if (node) return node.outputs[0];
  const wanted = layer.toLowerCase();
  const names = graph.nodes.flatMap((candidate) => candidate.outputs);
  const near = names.filter((name) => name.toLowerCase().includes(wanted)).slice(0, 5);
  throw new ModelError(
    `${graph.source.file} has no layer "${layer}"`,
    near.length > 0
      ? `Layers with such a name: ${near.join(', ')}.`
      : `"bowerbird models layers ${graph.source.file}" lists all ${names.length} of them.`,
  );
}

/** The bytes of a model whose only output is `tensor` (a name from `resolveLayer`). */
export function exposeTensor(graph: OnnxGraph, tensor: string): Promise<Uint8Array> {
  const { nodes, needed } = ancestors(graph, tensor);
  return rebuild(graph, [tensor], nodes, (name) => needed.has(name));
}

/** The bytes of the whole model with every intermediate tensor as an output; for looking at shapes. */
export function exposeAll(graph: OnnxGraph): Promise<Uint8Array> {
  const tensors = graph.nodes.flatMap((node) => node.outputs);
  return rebuild(graph, tensors, new Set(graph.nodes), () => true);
}

async function rebuild(
  graph: OnnxGraph,
  outputs: readonly string[],
  nodes: ReadonlySet<GraphNode>,
  needed: (tensor: string) => boolean,
): Promise<Uint8Array> {
  const { source } = graph;
  refuseInnerReferences(source);
  const body = new WireWriter();
  const keep = (field: Field) => body.encoded(source.bytes.subarray(field.from, field.end));
  for (const node of graph.nodes) if (nodes.has(node)) keep(node.field);
  const files: OutsideFiles = new Map();
  for (const constant of graph.constants)
    if (needed(constant.name)) await keepConstant(body, source, constant.field, files);
  for (const input of graph.inputs) if (needed(input.name)) keep(input.field);
  const declared = new Map([...graph.declared, ...graph.outputs].map((value) => [value.name, value.field]));
  const isOutput = new Set(outputs);
  for (const value of graph.declared) if (needed(value.name) && !isOutput.has(value.name)) keep(value.field);
  for (const name of outputs) {
    const own = declared.get(name);
    const declaration = new WireWriter();
    // A tensor without a declared type gets it from the runtime's own inference.
    body.message(
      graphFields.output,
      own ? declaration.encoded(source.bytes.subarray(own.start, own.end)) : declaration.text(1, name),
    );
  }
  for (const field of graph.otherGraphFields) keep(field);
  const whole = new WireWriter();
  for (const field of graph.modelFields) whole.encoded(source.bytes.subarray(field.from, field.end));
  return whole.message(modelFields.graph, body).finish();
}

function ancestors(graph: OnnxGraph, tensor: string) {
  const producer = new Map<string, GraphNode>();
  for (const node of graph.nodes) for (const output of node.outputs) producer.set(output, node);
  const nodes = new Set<GraphNode>();
  const needed = new Set<string>([tensor]);
  const waiting = [tensor];
  while (waiting.length > 0) {
    const node = producer.get(waiting.pop()!);
    if (!node || nodes.has(node)) continue;
    nodes.add(node);
    for (const input of node.inputs) {
      if (needed.has(input)) continue;
      needed.add(input);
      waiting.push(input);
    }
  }
  return { nodes, needed };
}
