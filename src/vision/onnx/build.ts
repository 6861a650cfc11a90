/** Writes new ONNX models: nodes, constants and declared tensors in the order given, opset 13. */

import { WireWriter } from '../../formats/index.js';
import { attribute, graph, model, node, tensor } from './graph.js';

const opset = 13;
const irVersion = 7;
const elementTypes = { float32: 1, int8: 3, int64: 7, float16: 10 } as const;
type ElementType = keyof typeof elementTypes;
const attributeTypes = { float: 1, integer: 2, text: 3, integers: 7 } as const;

type AttributeValue = { float: number } | { integer: number } | { text: string } | { integers: readonly number[] };
/** A whole number is an integer attribute; write `{ float: 1 }` for a float that happens to be whole. */
export type Attributes = Readonly<Record<string, number | string | readonly number[] | AttributeValue>>;

export class OnnxBuilder {
  private readonly nodes = new WireWriter();
  private readonly constants = new WireWriter();
  private readonly inputs = new WireWriter();
  private readonly outputs = new WireWriter();
  private readonly names = new Set<string>();

  /** Adds a node and returns the name of its (single) output, which is `output`. */
  node(type: string, inputs: readonly string[], output: string, attributes: Attributes = {}): string {
    const writer = new WireWriter();
    for (const input of inputs) writer.text(node.input, input);
    writer.text(node.output, output).text(node.name, output).text(node.type, type);
    for (const [name, value] of Object.entries(attributes))
      writer.message(node.attribute, encodeAttribute(name, value));
    this.nodes.message(graph.node, writer);
    return output;
  }

  floats(name: string, shape: readonly number[], values: Float32Array): string {
    return this.constant(name, shape, 'float32', new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  scalar(name: string, value: number): string {
    return this.floats(name, [], Float32Array.of(value));
  }

  integers(name: string, values: readonly number[]): string {
    const data = BigInt64Array.from(values, BigInt);
    return this.constant(name, [values.length], 'int64', new Uint8Array(data.buffer));
  }

  input(name: string, shape: readonly (number | string)[], type: ElementType = 'float32'): string {
    this.inputs.message(graph.input, declaration(name, shape, type));
    return name;
  }

  output(name: string, shape: readonly (number | string)[], type: ElementType = 'float32'): string {
    this.outputs.message(graph.output, declaration(name, shape, type));
    return name;
  }

  /** @param metadata what the model says about itself, by key */
  finish(graphName: string, metadata: Readonly<Record<string, string>> = {}): Uint8Array {
    const body = new WireWriter();
    for (const part of [this.nodes, new WireWriter().text(graph.name, graphName), this.constants])
      for (const piece of part.pieces) body.encoded(piece);
    for (const part of [this.inputs, this.outputs]) for (const piece of part.pieces) body.encoded(piece);
    return new WireWriter()
      .integer(model.irVersion, irVersion)
      .text(model.producerName, 'bowerbird')
      .message(model.graph, body)
      .message(model.opsetImport, new WireWriter().text(1, '').integer(2, opset))
      .encoded(metadataFields(metadata))
      .finish();
  }

  /** @param data as it lies in memory */
  constant(name: string, shape: readonly number[], type: ElementType, data: Uint8Array): string {
    if (this.names.has(name)) return name;
    this.names.add(name);
    this.constants.message(
      graph.initializer,
      new WireWriter()
        .integers(tensor.dims, shape)
        .integer(tensor.type, elementTypes[type])
        .text(tensor.name, name)
        .bytes(tensor.raw, data),
    );
    return name;
  }
}

/** The `metadata_props` of a model, to stand beside its other fields. */
export function metadataFields(metadata: Readonly<Record<string, string>>): Uint8Array {
  const fields = new WireWriter();
  for (const [key, value] of Object.entries(metadata))
    fields.message(model.metadata, new WireWriter().text(1, key).text(2, value));
  return fields.finish();
}

function encodeAttribute(name: string, given: Attributes[string]): WireWriter {
  const value: AttributeValue =
    typeof given === 'number'
      ? Number.isInteger(given)
        ? { integer: given }
        : { float: given }
      : typeof given === 'string'
        ? { text: given }
        : Array.isArray(given)
          ? { integers: given as readonly number[] }
          : (given as AttributeValue);
  const writer = new WireWriter().text(attribute.name, name);
  if ('float' in value) return writer.float(attribute.float, value.float).integer(attribute.type, attributeTypes.float);
  if ('integer' in value)
    return writer.integer(attribute.integer, value.integer).integer(attribute.type, attributeTypes.integer);
  if ('text' in value) return writer.text(attribute.text, value.text).integer(attribute.type, attributeTypes.text);
  return writer.integers(attribute.integers, value.integers).integer(attribute.type, attributeTypes.integers);
}

function declaration(name: string, shape: readonly (number | string)[], type: ElementType): WireWriter {
  const dimensions = new WireWriter();
  for (const size of shape) {
    const dimension = new WireWriter();
    dimensions.message(1, typeof size === 'number' ? dimension.integer(1, size) : dimension.text(2, size));
  }
  const tensorType = new WireWriter().integer(1, elementTypes[type]).message(2, dimensions);
  return new WireWriter().text(1, name).message(2, new WireWriter().message(1, tensorType));
}
