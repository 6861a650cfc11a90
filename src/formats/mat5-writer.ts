/** Writes MATLAB files of version 5, which MATLAB, Octave and scipy open: little-endian, deflated on request. */
import { deflateSync } from 'node:zlib';
import { ArgumentError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import { elementCount, type NumericDtype } from './array.js';
import { type PendingFile, writeBeside } from './atomic.js';
import type { MatCell, MatNumbers, MatSparse, MatStruct, MatText, MatValue } from './mat-value.js';
import { dataTypes } from './mat5-element.js';
import { textRows } from './mat5-text.js';
import { hostIsBigEndian, swapBytes } from './stored-array.js';

export interface WriteMatOptions {
  /** Deflate each variable. @default false */
  compress?: boolean;
}

/** Class number and data type of each element type; half precision has no counterpart in MATLAB. */
const classes: Record<Exclude<NumericDtype, 'float16'>, [classNumber: number, type: number]> = {
  float64: [6, dataTypes.float64],
  float32: [7, dataTypes.float32],
  int8: [8, dataTypes.int8],
  uint8: [9, dataTypes.uint8],
  int16: [10, dataTypes.int16],
  uint16: [11, dataTypes.uint16],
  int32: [12, dataTypes.int32],
  uint32: [13, dataTypes.uint32],
  int64: [14, dataTypes.int64],
  uint64: [15, dataTypes.uint64],
  bool: [9, dataTypes.uint8],
};
const logicalFlag = 0x0200;
const largePart = 2 ** 20;
/** The length of an element is an unsigned 32-bit number; MATLAB itself stops at half of that. */
const largestElement = 2 ** 31 - 1;

/**
 * @example
 * await writeMat('splits.mat', { att: matColumnsOf(semantics), allclasses_names: matCellOf(names) });
 */
export async function writeMat(
  path: string,
  variables: Readonly<Record<string, MatValue>> | Iterable<readonly [string, MatValue]>,
  options: WriteMatOptions = {},
): Promise<void> {
  const entries = Symbol.iterator in variables ? variables : Object.entries(variables);
  await writeBeside(path, async (file) => {
    await file.append(fileHeader());
    for (const [name, value] of entries as Iterable<readonly [string, MatValue]>) {
      if (!/^[A-Za-z]\w{0,62}$/.test(name))
        throw new ArgumentError(
          `writeMat: "${name}" is not a name of a MATLAB variable`,
          'Names start with a letter and have at most 63 letters, digits and underscores.',
        );
      const parts = matrixElement(name, value);
      if (options.compress) {
        const deflated = deflateSync(Buffer.concat(parts));
        await file.append(tag(dataTypes.compressed, deflated.length));
        await file.append(deflated);
      } else await appendAll(file, parts);
    }
  });
}

/** A cell of many texts is a great many small parts; they are written together. */
async function appendAll(file: PendingFile, parts: readonly Uint8Array[]): Promise<void> {
  let small: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    if (part.length < largePart) small.push(part);
    length += part.length;
    if (length < largePart) continue;
    await file.append(Buffer.concat(small));
    if (part.length >= largePart) await file.append(part);
    [small, length] = [[], 0];
  }
  await file.append(Buffer.concat(small));
}

/** Rows of a matrix as MATLAB's columns: features n×d become d×n without moving a byte. */
export function matColumnsOf(matrix: Matrix): MatNumbers {
  const { data, dtype } = matrix.contiguous ? matrix : matrix.copy();
  const count = matrix.rows * matrix.cols;
  return { kind: 'numbers', shape: [matrix.cols, matrix.rows], dtype, data: data.subarray(0, count) };
}

/** Whole numbers as a column, such as labels and locations. */
export function matColumnOf(values: Int32Array | Float64Array): MatNumbers {
  const dtype = values instanceof Int32Array ? 'int32' : 'float64';
  return { kind: 'numbers', shape: [values.length, 1], dtype, data: values };
}

/** Strings as an n×1 cell of texts. */
export function matCellOf(texts: readonly string[]): MatCell {
  return {
    kind: 'cell',
    shape: [texts.length, 1],
    cells: texts.map((text): MatText => ({ kind: 'text', shape: [text === '' ? 0 : 1, text.length], rows: [text] })),
  };
}

function fileHeader(): Uint8Array {
  const header = Buffer.alloc(128, ' ');
  header.write('MATLAB 5.0 MAT-file, Platform: any, Created by: bowerbird', 'latin1');
  header.fill(0, 116, 124);
  header.writeUInt16LE(0x0100, 124);
  header.write('IM', 126, 'latin1');
  return header;
}

function matrixElement(name: string, value: MatValue): Uint8Array[] {
  const { classNumber, flags, content } = encode(name, value);
  const shape = value.shape.length < 2 ? [...value.shape, 1, 1].slice(0, 2) : value.shape;
  const parts = [
    ...element(dataTypes.uint32, words(classNumber | flags, value.kind === 'sparse' ? value.values.length : 0)),
    ...element(dataTypes.int32, words(...shape)),
    ...element(dataTypes.int8, Buffer.from(name, 'latin1')),
    ...content,
  ];
  const length = parts.reduce((total, part) => total + part.length, 0);
  if (length > largestElement)
    throw new ArgumentError(
      `writeMat: variable "${name}" has ${length} bytes; version 5 holds at most ${largestElement}`,
    );
  return [tag(dataTypes.matrix, length), ...parts];
}

interface Encoded {
  classNumber: number;
  flags: number;
  content: Uint8Array[];
}

function encode(name: string, value: MatValue): Encoded {
  switch (value.kind) {
    case 'numbers':
      return encodeNumbers(name, value);
    case 'text':
      return { classNumber: 4, flags: 0, content: encodeText(name, value) };
    case 'cell':
      return { classNumber: 1, flags: 0, content: value.cells.flatMap((cell) => matrixElement('', cell)) };
    case 'struct':
      return encodeStruct(name, value);
    case 'sparse':
      return encodeSparse(value);
  }
}

function encodeNumbers(name: string, { dtype, data, shape }: MatNumbers): Encoded {
  if (dtype === 'float16')
    throw new ArgumentError(
      `writeMat: variable "${name}" is float16, which MATLAB does not have`,
      'Convert it to float32.',
    );
  if (data.length !== elementCount(shape))
    throw new ArgumentError(`writeMat: variable "${name}" has shape ${shape.join('×')} but ${data.length} elements`);
  const [classNumber, type] = classes[dtype];
  return { classNumber, flags: dtype === 'bool' ? logicalFlag : 0, content: element(type, littleEndian(data)) };
}

/** Characters in column-major order: as UTF-8, which every program reads, where UTF-16 units are whole characters. */
function encodeText(name: string, { rows, shape }: MatText): Uint8Array[] {
  const count = elementCount(shape);
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width) || rows.length * width !== count)
    throw new ArgumentError(`writeMat: the rows of text "${name}" do not fill its shape ${shape.join('×')}`);
  const units = new Uint16Array(count);
  const height = shape[0];
  for (let r = 0; r < rows.length && count > 0; r++)
    for (let j = 0; j < width; j++)
      units[(r % height) + height * (j + width * Math.floor(r / height))] = rows[r].charCodeAt(j);
  if (units.some((unit) => unit >= 0xd800 && unit <= 0xdfff)) return element(dataTypes.uint16, littleEndian(units));
  return element(dataTypes.utf8, Buffer.from(textRows(units, [1, count])[0], 'utf8'));
}

function encodeStruct(name: string, { fields, shape }: MatStruct): Encoded {
  const count = elementCount(shape);
  for (const [field, values] of fields)
    if (values.length !== count)
      throw new ArgumentError(`writeMat: field "${name}.${field}" has ${values.length} values for ${count} elements`);
  const nameLength = Math.max(0, ...[...fields.keys()].map((field) => field.length)) + 1;
  const names = Buffer.from([...fields.keys()].map((field) => field.padEnd(nameLength, '\0')).join(''), 'latin1');
  const content = [...element(dataTypes.int32, words(nameLength)), ...element(dataTypes.int8, names)];
  for (let i = 0; i < count; i++)
    for (const values of fields.values()) for (const part of matrixElement('', values[i])) content.push(part);
  return { classNumber: 2, flags: 0, content };
}

function encodeSparse({ rowIndices, columnStarts, values }: MatSparse): Encoded {
  const content = [
    ...element(dataTypes.int32, littleEndian(rowIndices)),
    ...element(dataTypes.int32, littleEndian(columnStarts)),
    ...element(dataTypes.float64, littleEndian(values)),
  ];
  return { classNumber: 5, flags: 0, content };
}

/** Tag, data and padding to eight bytes. */
function element(type: number, data: Uint8Array): Uint8Array[] {
  return [tag(type, data.length), data, new Uint8Array((8 - (data.length % 8)) % 8)];
}

function tag(type: number, length: number): Uint8Array {
  return words(type, length);
}

function words(...values: number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => {
    bytes.writeUInt32LE(value, 4 * i);
  });
  return bytes;
}

function littleEndian(data: ArrayBufferView & { BYTES_PER_ELEMENT: number }): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (!hostIsBigEndian) return bytes;
  const swapped = bytes.slice();
  swapBytes(swapped, data.BYTES_PER_ELEMENT);
  return swapped;
}
