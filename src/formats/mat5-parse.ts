/** Variables of MATLAB version 5: what is inside a matrix element, for each class of array. */
import { elementCount, type NumericDtype } from './array.js';
import {
  type MatCell,
  type MatNumbers,
  type MatSparse,
  type MatStruct,
  type MatValue,
  mostNested,
} from './mat-value.js';
import { dataTypes, type ElementCursor } from './mat5-element.js';
import { parseText } from './mat5-text.js';

/** Cells and structs may hold others; no sane file goes deeper. */
const deepest = 100;

/** Classes that are not read, as MATLAB calls them. */
const classNames: Record<number, string> = { 16: 'function handle', 17: 'opaque object' };
/** What MATLAB writes as an element of no bytes; shared, so that a cell of millions of them stays small. */
const emptyValue: MatNumbers = { kind: 'numbers', shape: [0, 0], dtype: 'float64', data: new Float64Array(0) };
const complexFlag = 0x0800;
const logicalFlag = 0x0200;

interface MatrixHeader {
  classNumber: number;
  flags: number;
  shape: number[];
  name: string;
}

/** The next variable, or nothing when it is not among those wanted. */
export function parseVariable(
  cursor: ElementCursor,
  wanted?: readonly string[],
): { name: string; value: MatValue } | undefined {
  const element = cursor.next('a variable');
  if (element.type !== dataTypes.matrix)
    throw cursor.error(`expected a variable (data type 14), found data type ${element.type}`);
  const content = cursor.inside(element);
  const flags = readFlags(content);
  // Objects of newer classes have no dimensions; MATLAB keeps their content in a nameless variable of its own.
  if (flags.classNumber === 17) {
    const name = content.asciiText('the name of a variable');
    if (wanted && !wanted.includes(name)) return undefined;
    throw unreadable(content, name, flags.classNumber);
  }
  const shape = readShape(content);
  const name = content.asciiText('the name of a variable');
  if (name === '' || (wanted && !wanted.includes(name))) return undefined;
  return { name, value: parseContent(content, { ...flags, shape, name }, 0) };
}

/** An element of a cell or a field of a struct; `path` names it in errors. */
function parseNested(cursor: ElementCursor, path: string, depth: number): MatValue {
  const element = cursor.next(path);
  if (element.type !== dataTypes.matrix)
    throw cursor.error(`expected ${path} as a variable (data type 14), found data type ${element.type}`);
  if (element.length === 0) return emptyValue;
  const content = cursor.inside(element);
  const flags = readFlags(content);
  if (flags.classNumber === 17) throw unreadable(content, path, flags.classNumber);
  const shape = readShape(content);
  content.next('a name');
  return parseContent(content, { ...flags, shape, name: path }, depth);
}

function readFlags(cursor: ElementCursor): { classNumber: number; flags: number } {
  const words = cursor.integers('array flags', 'uint32');
  if (words.length !== 2) throw cursor.error(`expected two array flags, found ${words.length}`);
  return { classNumber: words[0] & 0xff, flags: words[0] };
}

function readShape(cursor: ElementCursor): number[] {
  const shape = cursor.integers('dimensions', 'int32');
  if (shape.length < 2) throw cursor.error(`expected at least two dimensions, found ${shape.length}`);
  if (shape.some((size) => size < 0)) throw cursor.error(`impossible shape ${shape.join('×')}`);
  if (!Number.isSafeInteger(elementCount(shape.map((size) => Math.max(1, size)))))
    throw cursor.error(`the shape ${shape.join('×')} has more elements than can be counted`);
  return shape;
}

function parseContent(cursor: ElementCursor, header: MatrixHeader, depth: number): MatValue {
  const { classNumber, name } = header;
  if (depth > deepest) throw cursor.error(`${name.slice(0, 60)}… is nested more than ${deepest} levels deep`);
  if (header.flags & complexFlag)
    throw cursor.error(
      `variable "${name}" is complex; only real numbers are read`,
      'Save its real part, or name the variables to read.',
    );
  if (classNumber === 1) return parseCell(cursor, header, depth);
  if (classNumber === 2 || classNumber === 3) return parseStruct(cursor, header, depth);
  if (classNumber === 4) return parseText(cursor, header.shape, name);
  if (classNumber === 5) return parseSparse(cursor, header);
  if (classNumber >= 6 && classNumber <= 15) return parseNumbers(cursor, header);
  throw unreadable(cursor, name, classNumber);
}

function parseNumbers(cursor: ElementCursor, { shape, name, flags }: MatrixHeader): MatNumbers {
  const { dtype, data } = cursor.numbers(`the elements of "${name}"`);
  if (data.length !== elementCount(shape))
    throw cursor.error(`"${name}" has shape ${shape.join('×')} but ${data.length} elements`);
  if (!(flags & logicalFlag)) return { kind: 'numbers', shape, dtype, data };
  if (!(data instanceof Uint8Array || data instanceof Int8Array))
    throw cursor.error(`expected the logical "${name}" as uint8, found ${dtype}`);
  return { kind: 'numbers', shape, dtype: 'bool', data: Uint8Array.from(data, (value) => (value === 0 ? 0 : 1)) };
}

function parseCell(cursor: ElementCursor, { shape, name }: MatrixHeader, depth: number): MatCell {
  const count = countNested(cursor, name, elementCount(shape));
  const cells: MatValue[] = [];
  const path = `${name}{}`;
  for (let i = 0; i < count; i++) cells.push(parseNested(cursor, path, depth + 1));
  return { kind: 'cell', shape, cells };
}

function parseStruct(cursor: ElementCursor, header: MatrixHeader, depth: number): MatStruct {
  const { shape, name } = header;
  if (header.classNumber === 3) cursor.asciiText(`the class of "${name}"`);
  const [nameLength = 0] = cursor.integers(`the length of field names of "${name}"`, 'int32');
  const names = cursor.next(`the field names of "${name}"`);
  if (names.length > 0 && (nameLength < 1 || names.length % nameLength !== 0))
    throw cursor.error(`${names.length} bytes of field names of "${name}" are no multiple of ${nameLength}`);
  const text = Buffer.from(cursor.bytes.subarray(names.start, names.start + names.length)).toString('latin1');
  const fields = new Map<string, MatValue[]>();
  for (let at = 0; at < text.length; at += nameLength)
    fields.set(text.slice(at, at + nameLength).split('\0', 1)[0], []);
  const count = elementCount(shape);
  if (fields.size > 0) countNested(cursor, name, count * fields.size);
  const columns = [...fields].map(([field, values]) => ({ path: `${name}.${field}`, values }));
  for (let i = 0; i < count && columns.length > 0; i++)
    for (const { path, values } of columns) values.push(parseNested(cursor, path, depth + 1));
  return { kind: 'struct', shape, fields };
}

/** Each nested value takes at least the eight bytes of its tag; more of them than that cannot be there. */
function countNested(cursor: ElementCursor, name: string, count: number): number {
  if (count * 8 > cursor.remaining)
    throw cursor.error(`"${name}" declares ${count} nested values, but only ${cursor.remaining} bytes are left`);
  if (count > cursor.allowance.nested)
    throw cursor.error(`"${name}" has ${count} nested values; a file may have ${mostNested} in all`);
  cursor.allowance.nested -= count;
  return count;
}

function parseSparse(cursor: ElementCursor, { shape, name }: MatrixHeader): MatSparse {
  if (shape.length !== 2) throw cursor.error(`the sparse "${name}" has ${shape.length} dimensions; expected two`);
  const [rows, cols] = shape;
  const indexTypes: NumericDtype[] = ['int32', 'uint32'];
  const rowIndices = Int32Array.from(cursor.numbers(`row indices of "${name}"`, indexTypes).data as Int32Array);
  const columnStarts = Int32Array.from(cursor.numbers(`column starts of "${name}"`, indexTypes).data as Int32Array);
  const values = Float64Array.from(cursor.numbers(`entries of "${name}"`).data as ArrayLike<number | bigint>, Number);
  if (columnStarts.length !== cols + 1 || columnStarts[0] !== 0)
    throw cursor.error(`"${name}" has ${columnStarts.length} column starts; expected ${cols + 1}, the first one 0`);
  for (let j = 0; j < cols; j++)
    if (columnStarts[j + 1] < columnStarts[j]) throw cursor.error(`column starts of "${name}" fall at column ${j}`);
  const count = columnStarts[cols];
  if (count > rowIndices.length || count > values.length)
    throw cursor.error(`"${name}" has ${Math.min(rowIndices.length, values.length)} entries; expected ${count}`);
  const outside = rowIndices.subarray(0, count).findIndex((row) => row < 0 || row >= rows);
  if (outside >= 0) throw cursor.error(`row index ${rowIndices[outside]} of "${name}" is not below ${rows}`);
  return {
    kind: 'sparse',
    shape: [rows, cols],
    rowIndices: rowIndices.subarray(0, count),
    columnStarts,
    values: values.subarray(0, count),
  };
}

function unreadable(cursor: ElementCursor, name: string, classNumber: number) {
  return cursor.error(
    `variable "${name}" is of class ${classNames[classNumber] ?? classNumber}, which is not read`,
    'Read only the variables you need by naming them.',
  );
}
