/**
 * Variables of a MATLAB file of version 7.3, which is an HDF5 file: datasets and groups whose attribute `MATLAB_class`
 * says what they are. HDF5 lists sizes slowest first, so shapes are reversed and elements already in MATLAB's order.
 */
import { Dataset, type Entity, type File, Group, Reference } from 'h5wasm/node';
import { elementCount, type NumericData, type NumericDtype, typedArray } from './array.js';
import { type Hdf5Bytes, storageProblem } from './hdf5-storage.js';
import {
  type MatCell,
  type MatNumbers,
  type MatSparse,
  type MatStruct,
  type MatText,
  type MatValue,
  mostNested,
} from './mat-value.js';
import { textRows } from './mat5-text.js';

/** A variable that is not read, with the reason; anything else that is thrown comes from the HDF5 library. */
export class Refusal extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export interface Mat73Request {
  path: string;
  variables?: readonly string[];
  /** The most bytes that all elements together may take. */
  limit: number;
  fileSize: number;
}

const deepest = 100;
const blockBytes = 2 ** 24;
const hdf5 = { integer: 0, float: 1, compound: 6, reference: 7, enumeration: 8 } as const;
const numericClasses = ['double', 'single', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64'];

/** Reads the variables of an open file; `onStep` is called after each piece of work. */
export function readVariables(
  file: File,
  bytes: Hdf5Bytes,
  request: Mat73Request,
  onStep: () => void,
): Map<string, MatValue> {
  const reader = new VariableReader(file, bytes, request, onStep);
  const variables = new Map<string, MatValue>();
  for (const name of file.keys())
    if (!name.startsWith('#') && (request.variables?.includes(name) ?? true))
      variables.set(name, reader.read(file.get(name), name, 0));
  return variables;
}

class VariableReader {
  private readonly file: File;
  private readonly bytes: Hdf5Bytes;
  private readonly onStep: () => void;
  private bytesLeft: number;
  private referencesLeft: number;
  /** Values by path in the file: one that is referred to often is read once, and one within itself is found. */
  private readonly known = new Map<string, MatValue | 'reading'>();

  constructor(file: File, bytes: Hdf5Bytes, request: Mat73Request, onStep: () => void) {
    this.file = file;
    this.bytes = bytes;
    this.onStep = onStep;
    this.bytesLeft = request.limit;
    this.referencesLeft = Math.min(mostNested, Math.max(100_000, request.fileSize / 2));
  }

  read(entity: Entity | null, name: string, depth: number): MatValue {
    this.onStep();
    if (!(entity instanceof Dataset || entity instanceof Group))
      throw new Refusal(`variable "${name}" is a ${entity?.constructor.name ?? 'missing object'}, which is not read`);
    if (depth > deepest) throw new Refusal(`${name.slice(0, 60)}… is nested more than ${deepest} levels deep`);
    const known = this.known.get(entity.path);
    if (known === 'reading') throw new Refusal(`variable "${name}" contains itself`);
    if (known) return known;
    this.known.set(entity.path, 'reading');
    const value = entity instanceof Group ? this.readGroup(entity, name, depth) : this.readDataset(entity, name, depth);
    this.known.set(entity.path, value);
    return value;
  }

  private readGroup(group: Group, name: string, depth: number): MatStruct | MatSparse {
    const sparseRows = attribute(group, 'MATLAB_sparse');
    if (sparseRows !== undefined) return this.readSparse(group, name, Number(sparseRows));
    const fields = new Map<string, MatValue[]>();
    let shape = [1, 1];
    for (const field of group.keys()) {
      const path = `${name}.${field}`;
      const entity = group.get(field);
      // The fields of a struct array are references, one for each element, and have no class of their own.
      if (entity instanceof Dataset && isReference(entity) && attribute(entity, 'MATLAB_class') === undefined) {
        shape = matlabShape(entity);
        fields.set(field, this.follow(entity, path, depth));
      } else fields.set(field, [this.read(entity, path, depth + 1)]);
    }
    const count = elementCount(shape);
    for (const [field, values] of fields)
      if (values.length !== count)
        throw new Refusal(`field "${name}.${field}" has ${values.length} values for ${count} elements`);
    return { kind: 'struct', shape, fields };
  }

  private readDataset(dataset: Dataset, name: string, depth: number): MatValue {
    const { metadata } = dataset;
    const className = attribute(dataset, 'MATLAB_class');
    if (metadata.shape === null) throw new Refusal(`variable "${name}" has no elements and no shape`);
    if (metadata.virtual_sources) throw new Refusal(`variable "${name}" lies in other files, which are not read`);
    if (metadata.type === hdf5.compound)
      throw new Refusal(
        `variable "${name}" is complex; only real numbers are read`,
        'Save its real part, or name the variables to read.',
      );
    if (attribute(dataset, 'MATLAB_empty')) return this.emptyValue(dataset, name, String(className));
    if (isReference(dataset))
      return { kind: 'cell', shape: matlabShape(dataset), cells: this.follow(dataset, name, depth) } satisfies MatCell;
    const known = className === undefined || className === 'char' || className === 'logical';
    if (!known && !numericClasses.includes(String(className)))
      throw new Refusal(
        `variable "${name}" is of class ${className}, which is not read`,
        'Read only the variables you need by naming them.',
      );
    const numbers = this.readNumbers(dataset, name);
    if (className === 'char') return asText(numbers, name);
    const logical = className === 'logical' || metadata.type === hdf5.enumeration;
    return logical && numbers.data instanceof Uint8Array
      ? { ...numbers, dtype: 'bool', data: numbers.data.map((value) => (value === 0 ? 0 : 1)) }
      : numbers;
  }

  /** The elements of a dataset, block by block so that the library's own memory stays small. */
  private readNumbers(dataset: Dataset, name: string): MatNumbers {
    const dtype = elementType(dataset, name);
    const shape = dataset.metadata.shape as number[];
    const count = elementCount(shape);
    const { size } = dataset.metadata;
    if (!(count * size <= this.bytesLeft))
      throw new Refusal(
        `variable "${name}" of shape ${matlabShape(dataset).join('×')} would take ${count * size} bytes; ${this.bytesLeft} are left of the limit for this file`,
        'If you trust the file, raise maximumInflatedBytes.',
      );
    this.bytesLeft -= count * size;
    this.requireStored(dataset, name);
    const data = typedArray(dtype, new ArrayBuffer(count * size));
    if (shape.length === 0) data[0] = dataset.value as never;
    else if (count > 0) this.fill(dataset, data, count * size);
    return { kind: 'numbers', shape: matlabShape(dataset), dtype, data };
  }

  /** The library gives zeros for elements that are not in the file. */
  private requireStored(dataset: Dataset, name: string): void {
    const reference = Buffer.from(dataset.create_reference().ref_data);
    const { shape, size } = dataset.metadata;
    const address = Number(reference.readBigUInt64LE());
    const problem = storageProblem(this.bytes, { address, shape: shape ?? [], elementBytes: size });
    if (problem) throw new Refusal(`variable "${name}" ${problem}`, 'Fetch the file again, or save it anew.');
  }

  private fill(dataset: Dataset, data: NumericData, bytes: number): void {
    const { shape, chunks } = dataset.metadata as { shape: number[]; chunks: number[] | null };
    const rowBytes = bytes / shape[0];
    // Whole chunks at a time: a chunk that two blocks share would be inflated twice.
    const chunkRows = Math.max(1, chunks?.[0] ?? 1);
    const rows = Math.max(1, Math.floor(blockBytes / (rowBytes * chunkRows))) * chunkRows;
    for (let start = 0; start < shape[0]; start += rows) {
      const end = Math.min(shape[0], start + rows);
      const block = dataset.slice([[start, end], ...shape.slice(1).map((): [] => [])]) as unknown as Uint8Array;
      (data as Uint8Array).set(block, (start * rowBytes) / data.BYTES_PER_ELEMENT);
      this.onStep();
    }
  }

  private follow(dataset: Dataset, name: string, depth: number): MatValue[] {
    const count = elementCount(dataset.metadata.shape as number[]);
    if (!(count <= this.referencesLeft))
      throw new Refusal(`"${name}" declares ${count} nested values, more than a file of this size can hold`);
    this.referencesLeft -= count;
    this.requireStored(dataset, name);
    const value = count === 0 ? [] : dataset.value;
    const references = Array.isArray(value) ? value : [value];
    return references.map((reference, i) => {
      const path = `${name}{${i + 1}}`;
      if (!(reference instanceof Reference)) throw new Refusal(`${path} is not a reference`);
      return this.read(this.file.dereference(reference) as unknown as Entity | null, path, depth + 1);
    });
  }

  private readSparse(group: Group, name: string, rows: number): MatSparse {
    const part = (field: string): number[] => {
      const entity = group.get(field);
      return entity instanceof Dataset ? Array.from(this.readNumbers(entity, `${name}.${field}`).data, Number) : [];
    };
    const columnStarts = Int32Array.from(part('jc'));
    const rowIndices = Int32Array.from(part('ir'));
    const values = Float64Array.from(part('data'));
    const cols = columnStarts.length - 1;
    const rising = columnStarts.every((start, j) => start >= (columnStarts[j - 1] ?? 0));
    const inside = rowIndices.every((row) => row >= 0 && row < rows);
    const count = columnStarts[cols];
    if (
      cols < 0 ||
      columnStarts[0] !== 0 ||
      !rising ||
      !inside ||
      count !== values.length ||
      count !== rowIndices.length
    )
      throw new Refusal(
        `the sparse variable "${name}" has indices that do not fit its ${rows} rows and ${cols} columns`,
      );
    return { kind: 'sparse', shape: [rows, cols], rowIndices, columnStarts, values };
  }

  /** An empty array, whose dataset holds its shape instead of elements. */
  private emptyValue(dataset: Dataset, name: string, className: string): MatValue {
    const shape = Array.from(this.readNumbers(dataset, name).data, Number);
    if (shape.length < 2 || elementCount(shape) !== 0)
      throw new Refusal(`the empty "${name}" has shape ${shape.join('×')}`);
    if (className === 'char') return { kind: 'text', shape, rows: textRows([], shape) };
    if (className === 'cell') return { kind: 'cell', shape, cells: [] };
    if (className === 'struct') return { kind: 'struct', shape, fields: new Map() };
    return { kind: 'numbers', shape, dtype: 'float64', data: new Float64Array(0) };
  }
}

function attribute(object: Dataset | Group, name: string): unknown {
  return object.attrs[name]?.value ?? undefined;
}

function isReference(dataset: Dataset): boolean {
  return dataset.metadata.type === hdf5.reference && dataset.metadata.ref_type === 'object';
}

/** MATLAB's shape: HDF5's reversed, with at least two sizes. */
function matlabShape(dataset: Dataset): number[] {
  const shape = [...(dataset.metadata.shape ?? [])].reverse();
  while (shape.length < 2) shape.push(1);
  return shape;
}

function elementType(dataset: Dataset, name: string): NumericDtype {
  const { type, size, signed, littleEndian } = dataset.metadata;
  const whole = type === hdf5.integer || type === hdf5.enumeration;
  const dtype = whole ? `${signed ? 'int' : 'uint'}${size * 8}` : type === hdf5.float ? `float${size * 8}` : '';
  if (!/^(u?int(8|16|32|64)|float(32|64))$/.test(dtype) || (!littleEndian && size > 1))
    throw new Refusal(`the elements of "${name}" are of an HDF5 type that is not read`);
  return dtype as NumericDtype;
}

function asText(numbers: MatNumbers, name: string): MatText {
  if (numbers.dtype !== 'uint16' && numbers.dtype !== 'uint8' && numbers.dtype !== 'uint32')
    throw new Refusal(`the characters of "${name}" are stored as ${numbers.dtype}`);
  const codes = numbers.data as Uint32Array;
  if (codes.some((code) => code > 0x10ffff)) throw new Refusal(`"${name}" holds a number that is not a character`);
  return { kind: 'text', shape: numbers.shape, rows: textRows(codes, numbers.shape) };
}
