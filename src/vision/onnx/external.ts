/**
 * Weights that an ONNX model keeps in another file. An edited model is handed to the runtime as bytes, where a
 * reference to a file beside it would lead nowhere, so the data is taken into the model.
 */
import { readFile } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { FormatError } from '../../errors.js';
import { ModelError } from '../errors.js';
import { graph as graphFields, tensor as tensorFields } from './graph.js';
import { type Field, readFields, textOf, type WireSource, WireWriter } from './wire.js';

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
  const paths = new Set<string>();
  for (const { field } of constants) {
    const location = field.number === graphFields.initializer && outsideReference(source, field)?.get('location');
    if (location) paths.add(outsidePath(source.file, location));
  }
  return [...paths].sort();
}

function outsideReference(source: WireSource, field: Field): Map<string, string> | undefined {
  const reference = new Map<string, string>();
  for (const part of readFields(source, field.start, field.end)) {
    if (part.number !== tensorFields.external) continue;
    const [key, value] = [...readFields(source, part.start, part.end)].map((entry) => textOf(source, entry));
    reference.set(key, value);
  }
  return reference.has('location') ? reference : undefined;
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
