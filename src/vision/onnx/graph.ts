/**
 * An ONNX model as byte ranges with names: which nodes there are, what each reads and writes, which tensors are
 * constants, inputs and outputs. Field numbers are those of the ONNX schema (onnx.proto).
 */
import { FormatError } from '../../errors.js';
import { type Field, readFields, textOf, type WireSource } from '../../formats/index.js';

export const model = {
  irVersion: 1,
  producerName: 2,
  graph: 7,
  opsetImport: 8,
  metadata: 14,
  training: 20,
  functions: 25,
} as const;
export const graph = { node: 1, name: 2, initializer: 5, input: 11, output: 12, valueInfo: 13, sparse: 15 } as const;
export const node = { input: 1, output: 2, name: 3, type: 4, attribute: 5 } as const;
export const attribute = {
  name: 1,
  float: 2,
  integer: 3,
  text: 4,
  tensor: 5,
  graph: 6,
  integers: 8,
  tensors: 10,
  graphs: 11,
  type: 20,
  sparse: 22,
  sparses: 23,
} as const;
export const tensor = { dims: 1, type: 2, name: 8, raw: 9, external: 13, location: 14 } as const;
const valueInfo = { name: 1, type: 2 } as const;

export interface GraphNode {
  readonly name: string;
  readonly type: string;
  /** Tensor names, those that subgraphs (If, Loop) read from outside included. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly field: Field;
}

interface NamedField {
  readonly name: string;
  readonly field: Field;
}

/** A declared tensor: dimensions are numbers, names of free dimensions, or `?`. */
interface DeclaredTensor extends NamedField {
  readonly elementType: number | undefined;
  readonly shape: readonly (number | string)[] | undefined;
}

export interface OnnxGraph {
  readonly source: WireSource;
  readonly nodes: readonly GraphNode[];
  readonly constants: readonly NamedField[];
  /** Inputs the caller must give; constants that old models also list as inputs are left out. */
  readonly inputs: readonly DeclaredTensor[];
  readonly outputs: readonly DeclaredTensor[];
  readonly declared: readonly DeclaredTensor[];
  /** The graph's other fields (name, documentation, quantization notes), kept as they are. */
  readonly otherGraphFields: readonly Field[];
  /** The model's fields outside the graph. */
  readonly modelFields: readonly Field[];
}

export function readGraph(source: WireSource): OnnxGraph {
  const modelFields: Field[] = [];
  let body: Field | undefined;
  for (const field of readFields(source)) {
    if (field.number !== model.graph) modelFields.push(field);
    else if (body) throw new FormatError(source.file, field.from, 'a second graph follows the first');
    else body = field;
  }
  if (body?.wireType !== 2)
    throw new FormatError(source.file, undefined, 'holds no graph', 'Give a file in ONNX format.');
  const nodes: GraphNode[] = [];
  const constants: NamedField[] = [];
  const inputs: DeclaredTensor[] = [];
  const outputs: DeclaredTensor[] = [];
  const declared: DeclaredTensor[] = [];
  const otherGraphFields: Field[] = [];
  for (const field of readFields(source, body.start, body.end)) {
    if (field.number === graph.node) nodes.push(readNode(source, field));
    else if (field.number === graph.initializer) constants.push(named(source, field, tensor.name));
    else if (field.number === graph.sparse) constants.push(readSparse(source, field));
    else if (field.number === graph.input) inputs.push(readDeclaration(source, field));
    else if (field.number === graph.output) outputs.push(readDeclaration(source, field));
    else if (field.number === graph.valueInfo) declared.push(readDeclaration(source, field));
    else otherGraphFields.push(field);
  }
  const isConstant = new Set(constants.map((constant) => constant.name));
  return {
    source,
    nodes,
    constants,
    inputs: inputs.filter((input) => !isConstant.has(input.name)),
    outputs,
    declared,
    otherGraphFields,
    modelFields,
  };
}

/** Subgraphs within subgraphs; models have one or two. */
export const deepestSubgraph = 50;

function readNode(source: WireSource, field: Field, depth = 0): GraphNode {
  if (depth > deepestSubgraph)
    throw new FormatError(source.file, field.from, `graphs lie more than ${deepestSubgraph} deep in one another`);
  let name = '';
  let type = '';
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const part of readFields(source, field.start, field.end)) {
    if (part.number === node.input) inputs.push(textOf(source, part));
    else if (part.number === node.output) outputs.push(textOf(source, part));
    else if (part.number === node.name) name = textOf(source, part);
    else if (part.number === node.type) type = textOf(source, part);
    else if (part.number === node.attribute) for (const read of subgraphReads(source, part, depth)) inputs.push(read);
  }
  return { name, type, inputs: inputs.filter(Boolean), outputs: outputs.filter(Boolean), field };
}

/** Every tensor name read inside the subgraphs of an attribute; names local to the subgraph do no harm. */
function subgraphReads(source: WireSource, attributeField: Field, depth: number): string[] {
  const names: string[] = [];
  for (const part of readFields(source, attributeField.start, attributeField.end)) {
    if ((part.number !== attribute.graph && part.number !== attribute.graphs) || part.wireType !== 2) continue;
    for (const inner of readFields(source, part.start, part.end)) {
      if (inner.number === graph.node) names.push(...readNode(source, inner, depth + 1).inputs);
      // A branch may hand an outer tensor straight through as its output.
      else if (inner.number === graph.output) names.push(named(source, inner, valueInfo.name).name);
    }
  }
  return names;
}

function named(source: WireSource, field: Field, nameNumber: number): NamedField {
  let name = '';
  for (const part of readFields(source, field.start, field.end))
    if (part.number === nameNumber) name = textOf(source, part);
  return { name, field };
}

/** A sparse constant is named by its tensor of values. */
function readSparse(source: WireSource, field: Field): NamedField {
  for (const part of readFields(source, field.start, field.end))
    if (part.number === 1) return { name: named(source, part, tensor.name).name, field };
  return { name: '', field };
}

function readDeclaration(source: WireSource, field: Field): DeclaredTensor {
  let name = '';
  let elementType: number | undefined;
  let shape: (number | string)[] | undefined;
  for (const part of readFields(source, field.start, field.end)) {
    if (part.number === valueInfo.name) name = textOf(source, part);
    if (part.number !== valueInfo.type) continue;
    for (const kind of readFields(source, part.start, part.end)) {
      if (kind.number !== 1) continue;
      for (const detail of readFields(source, kind.start, kind.end)) {
        if (detail.number === 1) elementType = detail.value;
        if (detail.number === 2) shape = readShape(source, detail);
      }
    }
  }
  return { name, field, elementType, shape };
}

function readShape(source: WireSource, field: Field): (number | string)[] {
  const shape: (number | string)[] = [];
  for (const dimension of readFields(source, field.start, field.end)) {
    let size: number | string = '?';
    for (const part of readFields(source, dimension.start, dimension.end)) {
      if (part.number === 1) size = part.value;
      if (part.number === 2) size = textOf(source, part) || '?';
    }
    shape.push(size);
  }
  return shape;
}
