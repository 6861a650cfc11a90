/** Character arrays of MATLAB version 5: UTF-16 units or Unicode characters in column-major order, one text a row. */
import { elementCount } from './array.js';
import type { MatText } from './mat-value.js';
import { dataTypes, type ElementCursor } from './mat5-element.js';

/** Characters are put together this many at a time; more would overflow the stack. */
const pieceLength = 4096;

export function parseText(cursor: ElementCursor, shape: readonly number[], name: string): MatText {
  const what = `the characters of "${name}"`;
  const element = cursor.next(what);
  const count = elementCount(shape);
  let codes: ArrayLike<number>;
  if (element.type === dataTypes.utf8) {
    const bytes = cursor.bytes.subarray(element.start, element.start + element.length);
    codes = utf8Codes(new TextDecoder().decode(bytes), count);
  } else {
    const type = { [dataTypes.utf16]: dataTypes.uint16, [dataTypes.utf32]: dataTypes.uint32 }[element.type];
    codes = cursor.asNumbers({ ...element, type: type ?? element.type }, what, ['uint16', 'uint32', 'uint8', 'int8'])
      .data as Uint16Array;
  }
  if (codes.length !== count)
    throw cursor.error(`"${name}" has shape ${shape.join('×')} but ${codes.length} characters`);
  for (let k = 0; k < codes.length; k++)
    if (codes[k] < 0 || codes[k] > 0x10ffff)
      throw cursor.error(`"${name}" holds ${codes[k]}, which is not a character`);
  return { kind: 'text', shape, rows: textRows(codes, shape) };
}

/** MATLAB counts UTF-16 units in the shape, other programs whole characters: whichever agrees is meant. */
function utf8Codes(text: string, count: number): Uint32Array {
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
  const piece = new Uint32Array(Math.min(columns, pieceLength));
  for (let plane = 0; plane < planes; plane++)
    for (let i = 0; i < rows; i++) {
      let text = '';
      for (let start = 0; start < columns; start += pieceLength) {
        const length = Math.min(pieceLength, columns - start);
        for (let j = 0; j < length; j++) piece[j] = codes[i + rows * (start + j + columns * plane)];
        text += String.fromCodePoint(...piece.subarray(0, length));
      }
      texts.push(text);
    }
  return texts;
}
