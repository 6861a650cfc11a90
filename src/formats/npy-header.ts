/**
 * The header of a `.npy` file: magic, version, length, and a Python dictionary with exactly the keys `descr`,
 * `fortran_order` and `shape`. Only that literal is understood; nothing is ever evaluated.
 */
import { FormatError } from '../errors.js';
import type { ArrayDtype, NumericDtype } from './array.js';
import type { RandomAccessFile } from './file.js';
import { checkExtent, hostIsBigEndian, type StoredArray } from './stored-array.js';

const magic = '\x93NUMPY';
/** Far above any header without a structured type, which this reader refuses in any case. */
const longestHeader = 65536;
const mostDimensions = 64;

/** Reads and checks a header; the elements it promises are certain to lie within the file. */
export async function readHeader(file: RandomAccessFile): Promise<StoredArray> {
  const start = Buffer.from(await file.read(0, 8, 'the .npy signature'));
  if (start.toString('latin1', 0, 6) !== magic)
    throw new FormatError(
      file.name,
      0,
      `expected a .npy file (signature \\x93NUMPY), found ${JSON.stringify(start.toString('latin1', 0, 6))}`,
      start[0] === 0x80 ? 'It looks like a Python pickle; save the array with numpy.save instead.' : undefined,
    );
  const version = start[6];
  if (version < 1 || version > 3 || start[7] !== 0)
    throw new FormatError(file.name, 6, `expected .npy version 1.0, 2.0 or 3.0, found ${version}.${start[7]}`);
  const lengthBytes = version === 1 ? 2 : 4;
  const length = Buffer.from(await file.read(8, lengthBytes, 'the header length')).readUIntLE(0, lengthBytes);
  const offset = 8 + lengthBytes;
  if (length > longestHeader)
    throw new FormatError(file.name, 8, `expected a header of at most ${longestHeader} bytes, found length ${length}`);
  const bytes = Buffer.from(await file.read(offset, length, 'the header'));
  const text = version === 3 ? bytes.toString('utf8') : bytes.toString('latin1');
  const header = new HeaderText(file.name, text, offset).parse();
  const stored = { ...header, offset: offset + length };
  if (stored.width === 0 && !stored.shape.includes(0))
    throw new FormatError(file.name, offset, 'bad .npy header: expected text elements of at least one character');
  checkExtent(file, stored);
  return stored;
}

/** The header of version 1.0, padded so that the elements start at a multiple of 64 bytes. */
export function formatHeader(
  descr: string,
  shape: readonly number[],
  /** Room for a first size of up to 21 digits, so that it can be corrected in place once it is known. */
  growing = false,
): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const reserved = growing ? 21 - String(shape[0]).length : 0;
  const total = Math.ceil((10 + text.length + reserved + 1) / 64) * 64;
  const header = Buffer.alloc(total, ' ');
  header.write(magic, 0, 'latin1');
  header[6] = 1;
  header[7] = 0;
  header.writeUInt16LE(total - 10, 8);
  header.write(text, 10, 'latin1');
  header.write('\n', total - 1);
  return header;
}

const typeCodes: Record<NumericDtype, string> = {
  float16: 'f2',
  float32: 'f4',
  float64: 'f8',
  int8: 'i1',
  int16: 'i2',
  int32: 'i4',
  int64: 'i8',
  uint8: 'u1',
  uint16: 'u2',
  uint32: 'u4',
  uint64: 'u8',
  bool: 'b1',
};

const numericTypes = Object.keys(typeCodes) as (keyof typeof typeCodes)[];

/** numpy's name of a type in this machine's byte order; `width` in characters for text. */
export function typeDescription(dtype: ArrayDtype, width = 1): string {
  const order = hostIsBigEndian ? '>' : '<';
  if (dtype === 'string') return `${order}U${width}`;
  if (dtype === 'bytes') return `|S${width}`;
  const code = typeCodes[dtype];
  return `${code[1] === '1' ? '|' : order}${code}`;
}

type Header = Omit<StoredArray, 'offset'>;

/** Parses the dictionary; errors point at the byte where it departs from what numpy writes. */
class HeaderText {
  private readonly file: string;
  private readonly text: string;
  private readonly offset: number;
  private position = 0;

  constructor(file: string, text: string, offset: number) {
    this.file = file;
    this.text = text;
    this.offset = offset;
  }

  parse(): Header {
    let type: Pick<Header, 'dtype' | 'width' | 'bigEndian'> | undefined;
    let fortranOrder: boolean | undefined;
    let shape: number[] | undefined;
    this.expect('{');
    while (!this.accept('}')) {
      const keyAt = this.position;
      const key = this.string();
      this.expect(':');
      if (key === 'descr' && type === undefined) type = this.type();
      else if (key === 'fortran_order' && fortranOrder === undefined) fortranOrder = this.boolean();
      else if (key === 'shape' && shape === undefined) shape = this.shape();
      else throw this.error(`unexpected or repeated key ${JSON.stringify(key.slice(0, 40))}`, keyAt);
      if (!this.accept(',')) {
        this.expect('}');
        break;
      }
    }
    this.skipSpace();
    if (this.position < this.text.length) throw this.error('expected the header to end after the dictionary');
    if (type === undefined || fortranOrder === undefined || shape === undefined)
      throw this.error("expected the keys 'descr', 'fortran_order' and 'shape'", 0);
    return { ...type, fortranOrder, shape };
  }

  private type(): Pick<Header, 'dtype' | 'width' | 'bigEndian'> {
    this.skipSpace();
    const at = this.position;
    if (this.text[at] === '[')
      throw this.error('structured arrays are not supported', at, 'Save each field as an array of its own.');
    const descr = this.string();
    const [, order, kind, digits] = /^([<>|=]?)([a-zA-Z?])(\d{0,10})$/.exec(descr) ?? [];
    if (kind === 'O')
      throw this.error(
        'this is an array of Python objects (a pickle), which is never loaded: unpickling can run any code',
        at,
        'Save it with a plain type, for example numpy.save(path, array.astype(float)) or array.astype(str).',
      );
    const text = kind === 'U' ? 'string' : kind === 'S' || kind === 'a' ? 'bytes' : undefined;
    const code = kind === '?' ? `b1${digits}` : `${kind}${digits}`;
    const dtype = text ?? numericTypes.find((name) => typeCodes[name] === code);
    if (dtype === undefined || (text && digits === ''))
      throw this.error(
        `the element type ${JSON.stringify(descr.slice(0, 40))} is not supported`,
        at,
        'Supported are float16, float32, float64, all integers, bool, fixed-width str and bytes; convert with astype.',
      );
    const size = Number(digits || 1);
    const bigEndian = order === '>' || (order !== '<' && hostIsBigEndian);
    return { dtype, width: dtype === 'string' ? size * 4 : size, bigEndian };
  }

  private boolean(): boolean {
    this.skipSpace();
    for (const [word, value] of [
      ['True', true],
      ['False', false],
    ] as const)
      if (this.text.startsWith(word, this.position)) {
        this.position += word.length;
        return value;
      }
    throw this.error('expected True or False');
  }

  private shape(): number[] {
    const sizes: number[] = [];
    this.expect('(');
    while (!this.accept(')')) {
      this.skipSpace();
      const at = this.position;
      const digits = /-?\d+/y;
      digits.lastIndex = at;
      const found = digits.exec(this.text)?.[0];
      const size = Number(found ?? Number.NaN);
      if (!Number.isSafeInteger(size) || size < 0)
        throw this.error(`expected a size, found ${JSON.stringify(found ?? this.text.slice(at, at + 20))}`);
      if (sizes.push(size) > mostDimensions) throw this.error(`expected at most ${mostDimensions} dimensions`);
      this.position += found?.length ?? 0;
      // Python 2 wrote long integers as 3L.
      if (this.text[this.position] === 'L') this.position++;
      if (!this.accept(',')) {
        this.expect(')');
        break;
      }
    }
    return sizes;
  }

  private string(): string {
    this.skipSpace();
    const quote = this.text[this.position];
    const end = quote === "'" || quote === '"' ? this.text.indexOf(quote, this.position + 1) : -1;
    if (end < 0) throw this.error('expected a quoted string');
    const value = this.text.slice(this.position + 1, end);
    this.position = end + 1;
    return value;
  }

  private expect(character: string): void {
    if (!this.accept(character)) throw this.error(`expected "${character}"`);
  }

  private accept(character: string): boolean {
    this.skipSpace();
    if (this.text[this.position] !== character) return false;
    this.position++;
    return true;
  }

  private skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.position] ?? 'x')) this.position++;
  }

  private error(problem: string, position = this.position, hint?: string): FormatError {
    const found = position < this.text.length ? '' : ' before the header ends';
    return new FormatError(this.file, this.offset + position, `bad .npy header: ${problem}${found}`, hint);
  }
}
