/** Character arrays of MATLAB version 5: UTF-16 units or Unicode characters in column-major order, one text a row. */
import { elementCount } from './array.js';
import type { MatText } from './mat-value.js';
import { dataTypes, type Element, type ElementCursor } from './mat5-element.js';

/** Characters are put together this many at a time; more would overflow the stack. */
const pieceLength = 4096;
const utf8 = new TextDecoder();

export function parseText(cursor: ElementCursor, shape: readonly number[], name: string): MatText {
  const element = cursor.next('characters');
  const count = elementCount(shape);
  const single = element.type === dataTypes.utf8 ? decodeUtf8(cursor, element) : undefined;
  // Nearly all texts are one row of UTF-8; cells of millions of them are common.
  if (single !== undefined && shape[0] === 1 && shape.length === 2 && single.length === count)
    return { kind: 'text', shape, rows: [single] };
  const codes = single === undefined ? storedCodes(cursor, element, name) : textCodes(single, count);
  if (codes.length !== count)
    throw cursor.error(`"${name}" has shape ${shape.join('×')} but ${codes.length} characters`);
  for (let k = 0; k < codes.length; k++)
    if (codes[k] < 0 || codes[k] > 0x10ffff)
      throw cursor.error(`"${name}" holds ${codes[k]}, which is not a character`);
  return { kind: 'text', shape, rows: textRows(codes, shape) };
}

function decodeUtf8(cursor: ElementCursor, { start, length }: Element): string {
  return utf8.decode(cursor.bytes.subarray(start, start + length));
}

function storedCodes(cursor: ElementCursor, element: Element, name: string): ArrayLike<number> {
  const type = { [dataTypes.utf16]: dataTypes.uint16, [dataTypes.utf32]: dataTypes.uint32 }[element.type];
  const allowed = ['uint16', 'uint32', 'uint8', 'int8'] as const;
  const numbers = cursor.asNumbers({ ...element, type: type ?? element.type }, `the characters of "${name}"`, allowed);
  return numbers.data as Uint16Array;
}

/** MATLAB counts UTF-16 units in the shape, other programs whole characters: whichever agrees is meant. */
function textCodes(text: string, count: number): Uint32Array {
  if (text.length === count) return Uint32Array.from({ length: count }, (_, k) => text.charCodeAt(k));
  return Uint32Array.from(text, (character) => character.codePointAt(0)!);
}

/** The texts in character codes of column-major order. */
export function textRows(codes: ArrayLike<number>, shape: readonly number[]): string[] {
  const [rows, columns, ...rest] = shape;
  const planes = elementCount(rest);
  // MATLAB's '' has shape 0×0 and is one empty text, as is 1×0; more rows without columns are nothing.
  if (codes.length === 0) return rows <= 1 && columns === 0 ? [''] : [];
  const texts: string[] = [];
  for (let plane = 0; plane < planes; plane++)
    for (let i = 0; i < rows; i++) {
      let text = '';
      for (let start = 0; start < columns; start += pieceLength) {
        const piece: number[] = [];
        for (let j = start; j < Math.min(columns, start + pieceLength); j++)
          piece.push(codes[i + rows * (j + columns * plane)]);
        text += String.fromCodePoint(...piece);
      }
      texts.push(text);
    }
  return texts;
}
