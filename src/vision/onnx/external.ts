/**
 * Weights that an ONNX model keeps in another file. An edited model is handed to the runtime as bytes, for which the
 * runtime would look in the current folder, so the data is taken into the model. That is done for the constants of the
 * main graph; a reference anywhere else (attributes, subgraphs, functions) is refused, and so is one that leads out of
 * the model's folder, by its words or through a link.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { FormatError } from '../../errors.js';
import { type Field, readFields, textOf, type WireSource, WireWriter } from '../../formats/index.js';
import { ModelError } from '../errors.js';
import {
  attribute as attributeFields,
  deepestSubgraph,
  graph as graphFields,
  model as modelFields,
  node as nodeFields,
  tensor as tensorFields,
} from './graph.js';

/** Files already read during one edit. */
export type OutsideFiles = Map<string, Uint8Array>;

/** Writes a constant into `body`, its data included wherever that lies. */
export async function keepConstant(
  body: WireWriter,
  source: WireSource,
  field: Field,
  files: OutsideFiles,
): Promise<void> {
  const reference = field.number === graphFields.initializer ? outsideReference(source, field) : undefined;
  if (!reference) {
    body.encoded(source.bytes.subarray(field.from, field.end));
    return;
  }
  const content = new WireWriter();
  for (const part of readFields(source, field.start, field.end))
    if (part.number !== tensorFields.external && part.number !== tensorFields.location)
      content.encoded(source.bytes.subarray(part.from, part.end));
  content.bytes(tensorFields.raw, await readOutside(source.file, reference, files));
  body.message(graphFields.initializer, content);
}

/** Paths of the files beside a model that hold weights of it. */
export function outsidePaths(source: WireSource, constants: readonly { field: Field }[]): string[] {
  refuseInnerReferences(source);
  const paths = new Set<string>();
  for (const { field } of constants) {
    const location = field.number === graphFields.initializer && outsideReference(source, field)?.get('location');
    if (location) paths.add(outsidePath(source.file, location));
  }
  return [...paths].sort();
}

/** The entries of a constant's reference, or undefined where its data lies in the model. */
function outsideReference(source: WireSource, field: Field): Map<string, string> | undefined {
  if (!refersOutside(source, field)) return undefined;
  const reference = new Map<string, string>();
  for (const part of readFields(source, field.start, field.end)) {
    if (part.number !== tensorFields.external) continue;
    let [key, value] = ['', ''];
    for (const entry of readFields(source, part.start, part.end)) {
      if (entry.number === 1) key = textOf(source, entry);
      if (entry.number === 2) value = textOf(source, entry);
    }
    reference.set(key, value);
  }
  if (!reference.get('location'))
    throw new FormatError(source.file, field.from, 'a constant lies in another file that is not named');
  return reference;
}

function refersOutside(source: WireSource, tensor: Field): boolean {
  for (const part of readFields(source, tensor.start, tensor.end))
    if (part.number === tensorFields.external || (part.number === tensorFields.location && part.value !== 0))
      return true;
  return false;
}

/** Where tensors lie in a message: as fields of it, and inside fields that are messages of the kind named. */
interface Places {
  readonly tensors?: readonly number[];
  readonly within?: Readonly<Record<number, keyof typeof places>>;
}

const places = {
  model: {
    within: { [modelFields.graph]: 'main', [modelFields.training]: 'training', [modelFields.functions]: 'function' },
  },
  /** The main graph, whose own constants are taken into the model. */
  main: { within: { [graphFields.node]: 'node', [graphFields.sparse]: 'sparse' } },
  graph: { tensors: [graphFields.initializer], within: { [graphFields.node]: 'node', [graphFields.sparse]: 'sparse' } },
  node: { within: { [nodeFields.attribute]: 'attribute' } },
  attribute: {
    tensors: [attributeFields.tensor, attributeFields.tensors],
    within: {
      [attributeFields.graph]: 'graph',
      [attributeFields.graphs]: 'graph',
      [attributeFields.sparse]: 'sparse',
      [attributeFields.sparses]: 'sparse',
    },
  },
  /** Values and indices. */
  sparse: { tensors: [1, 2] },
  training: { within: { 1: 'graph', 2: 'graph' } },
  /** Nodes and defaults of attributes. */
  function: { within: { 7: 'node', 11: 'attribute' } },
} as const satisfies Record<string, { tensors?: readonly number[]; within?: Readonly<Record<number, string>> }>;

/** @throws FormatError where a tensor other than a constant of the main graph lies in another file */
export function refuseInnerReferences(
  source: WireSource,
  kind: keyof typeof places = 'model',
  range = { start: 0, end: source.bytes.length },
  depth = 0,
): void {
  // A graph, its node and the node's attribute are three levels.
  if (depth > 3 * deepestSubgraph)
    throw new FormatError(source.file, range.start, 'graphs lie too deep in one another');
  const { tensors = [], within = {} }: Places = places[kind];
  for (const field of readFields(source, range.start, range.end)) {
    if (field.wireType !== 2) continue;
    if (tensors.includes(field.number) && refersOutside(source, field))
      throw new FormatError(
        source.file,
        field.from,
        `a tensor inside ${kind === 'graph' ? 'a subgraph' : kind === 'sparse' ? 'a sparse tensor' : 'an attribute'} lies in another file`,
        'Only constants of the main graph may; save the model with all its data inside.',
      );
    const inner = within[field.number];
    if (inner) refuseInnerReferences(source, inner, field, depth + 1);
  }
}

function outsidePath(file: string, location: string): string {
  const folder = dirname(resolve(file));
  const path = resolve(folder, location);
  if (!path.startsWith(folder + sep))
    throw new FormatError(file, undefined, `refers to "${location}", outside its own folder`);
  return path;
}

async function readOutside(file: string, reference: Map<string, string>, files: OutsideFiles): Promise<Uint8Array> {
  const path = outsidePath(file, reference.get('location')!);
  let bytes = files.get(path);
  if (!bytes) {
    await requireBeside(file, path);
    bytes = await readFile(path).catch((cause: Error) => {
      throw new ModelError(
        `${path} cannot be read: ${cause.message}`,
        `${file} keeps weights there; put that file beside it.`,
        cause,
      );
    });
    files.set(path, bytes);
  }
  const offset = Number(reference.get('offset') ?? 0);
  const length = Number(reference.get('length') ?? bytes.length - offset);
  if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length))
    throw new FormatError(path, offset, `${length} bytes are wanted here, the file has ${bytes.length}`);
  return bytes.subarray(offset, offset + length);
}

/**
 * @throws FormatError for a link that leads away. The folder of the model's own file counts too where the model is
 * itself a link: caches keep all their files in one folder and link to them.
 */
export async function requireBeside(file: string, path: string): Promise<void> {
  const real = await realpath(path).catch(() => undefined);
  // That a file is missing is said where it is read.
  if (real === undefined) return;
  const own = await realpath(file).catch(() => resolve(file));
  const folders = [await realpath(dirname(resolve(file))), dirname(own)];
  if (!folders.some((folder) => real.startsWith(folder + sep)))
    throw new FormatError(file, undefined, `refers to ${path}, a link that leads out of its folder`);
  if (!(await stat(real)).isFile()) throw new FormatError(file, undefined, `refers to ${path}, which is no plain file`);
}
