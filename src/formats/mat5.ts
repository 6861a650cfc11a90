/**
 * MATLAB files of version 5 (written by MATLAB's `-v6` and `-v7`): a header of 128 bytes, then one data element for each
 * variable, possibly deflated. Elements are read one at a time and parsed in memory.
 */
import { FormatError } from '../errors.js';
import { type FileSource, type RandomAccessFile, withFile } from './file.js';
import { type MatValue, mostNested } from './mat-value.js';
import { dataTypes, ElementCursor } from './mat5-element.js';
import { inflateElement } from './mat5-inflate.js';
import { parseVariable } from './mat5-parse.js';

export interface ReadMatOptions {
  /** Only these variables; the others are passed over, also those that could not be read. @default all */
  variables?: readonly string[];
  /**
   * The most bytes that deflated variables may take, against files made to exhaust memory.
   * @default the larger of 256 MiB and 100 times the size of the file
   */
  maximumInflatedBytes?: number;
}

export const headerBytes = 128;

/** @throws FormatError when the file is damaged or a variable has a kind that is not read, such as complex numbers */
export async function readMat5(source: FileSource, options: ReadMatOptions = {}): Promise<Map<string, MatValue>> {
  return withFile(source, async (file) => {
    const littleEndian = await readByteOrder(file);
    const variables = new Map<string, MatValue>();
    const allowance = { nested: mostNested };
    let budget = options.maximumInflatedBytes ?? Math.max(2 ** 28, 100 * file.size);
    for (let offset = headerBytes; offset < file.size; ) {
      const { type, length } = await readTag(file, offset, littleEndian);
      const bytes =
        type === dataTypes.compressed
          ? await inflateElement(file, offset, length, littleEndian, budget)
          : await file.read(offset, 8 + length, 'a variable');
      if (type === dataTypes.compressed) budget -= bytes.length;
      const origin = type === dataTypes.compressed ? { element: offset } : { base: offset };
      const cursor = new ElementCursor(file.name, bytes, littleEndian, origin, allowance);
      const variable = parseVariable(cursor, options.variables);
      if (variable) variables.set(variable.name, variable.value);
      offset += 8 + length;
    }
    return variables;
  });
}

async function readByteOrder(file: RandomAccessFile): Promise<boolean> {
  const header = await file.read(0, headerBytes, 'the header of a MATLAB file');
  const mark = String.fromCharCode(header[126], header[127]);
  if (mark !== 'IM' && mark !== 'MI')
    throw new FormatError(
      file.name,
      126,
      `expected the byte-order mark "IM" or "MI" of a MATLAB file, found ${JSON.stringify(mark)}`,
      'Files of MATLAB version 4 are not read; save again with -v7.',
    );
  const littleEndian = mark === 'IM';
  const version = new DataView(header.buffer).getUint16(124, littleEndian);
  if (version !== 0x0100)
    throw new FormatError(file.name, 124, `expected version 0x0100 of a MATLAB file, found 0x${version.toString(16)}`);
  return littleEndian;
}

async function readTag(file: RandomAccessFile, offset: number, littleEndian: boolean) {
  const tag = new DataView((await file.read(offset, 8, 'a data element')).buffer);
  const type = tag.getUint32(0, littleEndian);
  const length = tag.getUint32(4, littleEndian);
  if (type !== dataTypes.matrix && type !== dataTypes.compressed)
    throw new FormatError(file.name, offset, `expected a variable (data type 14 or 15), found data type ${type}`);
  if (offset + 8 + length > file.size)
    throw new FormatError(
      file.name,
      offset,
      `a variable of ${length} bytes does not fit: the file ends at byte ${file.size}`,
      'The file is truncated or damaged; fetch or write it again.',
    );
  return { type, length };
}
