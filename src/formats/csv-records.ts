/**
 * Comma-separated values after RFC 4180, read as a stream of records: quoted fields may hold delimiters, line ends and
 * doubled quotes; lines end in LF, CR LF or CR; blank lines are passed over; text is UTF-8.
 */
import { ArgumentError, FormatError } from '../errors.js';
import { type FileSource, openFile, type RandomAccessFile } from './file.js';

export interface CsvOptions {
  /** One ASCII character. @default ',' */
  delimiter?: string;
  /**
   * Whether fields may be quoted; if not, a quotation mark is a character like others, as in most `.tsv` files.
   * @default true
   */
  quotes?: boolean;
}

export interface CsvRecord {
  fields: string[];
  /** Where the record starts in the file. */
  offset: number;
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const chunkBytes = 2 ** 18;
/** A longer record is far more likely a quotation mark that is never closed. */
const longestRecord = 2 ** 24;

/**
 * The records of a file, one after another, as they are read.
 * @throws FormatError at the byte where the file departs from the format
 */
export async function* csvRecords(source: FileSource, options: CsvOptions = {}): AsyncGenerator<CsvRecord> {
  const { delimiter = ',', quotes = true } = options;
  if (delimiter.length !== 1 || delimiter.charCodeAt(0) > 127 || '"\r\n'.includes(delimiter))
    throw new ArgumentError(`the delimiter must be one ASCII character, found ${JSON.stringify(delimiter)}`);
  const file = typeof source === 'string' ? await openFile(source) : source;
  try {
    const bytes = new SlidingBytes(file);
    await bytes.skipByteOrderMark();
    const parser = new RecordParser(bytes, delimiter.charCodeAt(0), quotes);
    for (;;) {
      const offset = bytes.offset;
      const fields = parser.parse();
      if (fields === undefined) {
        if (!(await bytes.extend())) return;
      } else if (!parser.blank) yield { fields, offset };
    }
  } finally {
    if (typeof source === 'string') await file.close();
  }
}

/** The part of a file from the start of the current record on, as far as it has been read. */
class SlidingBytes {
  /** Position in the file of the first byte held. */
  offset = 0;
  buffer: Buffer = Buffer.alloc(0);
  private readonly file: RandomAccessFile;

  constructor(file: RandomAccessFile) {
    this.file = file;
  }

  /** Whether all of the file has been read, so that nothing can follow the bytes held. */
  get complete(): boolean {
    return this.offset + this.buffer.length === this.file.size;
  }

  get name(): string {
    return this.file.name;
  }

  drop(count: number): void {
    this.buffer = this.buffer.subarray(count);
    this.offset += count;
  }

  /** Reads further bytes behind those held, at least as many, so that a long record costs no quadratic copying. */
  async extend(): Promise<boolean> {
    const end = this.offset + this.buffer.length;
    const length = Math.min(Math.max(chunkBytes, this.buffer.length), this.file.size - end);
    if (length === 0) return false;
    if (this.buffer.length > longestRecord)
      throw new FormatError(
        this.file.name,
        this.offset,
        `the record that starts here is longer than ${longestRecord} bytes`,
        'Is a quotation mark never closed, or is this not a CSV file?',
      );
    this.buffer = Buffer.concat([this.buffer, await this.file.read(end, length, 'text')]);
    return true;
  }

  async skipByteOrderMark(): Promise<void> {
    await this.extend();
    if (this.buffer.length >= 3 && this.buffer.readUIntBE(0, 3) === 0xefbbbf) this.drop(3);
    else if (this.buffer.length >= 2 && [0xfffe, 0xfeff].includes(this.buffer.readUInt16BE(0)))
      throw new FormatError(this.file.name, 0, 'expected UTF-8 text, found UTF-16', 'Save the file as UTF-8.');
  }
}

/** Takes the first record off the bytes held. Where one might go on beyond them, more must be read first. */
class RecordParser {
  /** Whether the record just taken was a blank line; a lone `""` is not. */
  blank = false;
  private readonly bytes: SlidingBytes;
  private readonly delimiter: number;
  private readonly quotes: boolean;
  private readonly utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  constructor(bytes: SlidingBytes, delimiter: number, quotes: boolean) {
    this.bytes = bytes;
    this.delimiter = delimiter;
    this.quotes = quotes;
  }

  /** The fields of the record, or undefined when no bytes are left or too few were read to see its end. */
  parse(): string[] | undefined {
    const { buffer, complete } = this.bytes;
    if (buffer.length === 0) return undefined;
    const fields: string[] = [];
    for (let at = 0; ; at++) {
      const quoted = this.quotes && buffer[at] === quote;
      at = quoted ? this.quotedField(at, fields) : this.plainField(at, fields);
      const byte = buffer[at];
      // A carriage return at the very end of the bytes held may be half of a line end.
      if (at + 1 >= buffer.length && !complete) return undefined;
      if (byte === this.delimiter) continue;
      this.blank = at === 0;
      const lineEnd = byte === undefined ? 0 : byte === carriageReturn && buffer[at + 1] === lineFeed ? 2 : 1;
      this.bytes.drop(at + lineEnd);
      return fields;
    }
  }

  /** Adds the field that starts at `start` and gives the position after it, which is the end when it is not certain. */
  private plainField(start: number, fields: string[]): number {
    const { buffer } = this.bytes;
    let ascii = true;
    let at = start;
    for (; at < buffer.length; at++) {
      const byte = buffer[at];
      if (byte === this.delimiter || byte === lineFeed || byte === carriageReturn) break;
      if (byte === quote && this.quotes)
        throw this.error(at, 'found a quotation mark inside a field that does not start with one');
      ascii &&= byte < 128;
    }
    // The last bytes of a character may still be missing.
    if (at < buffer.length || this.bytes.complete) fields.push(this.text(start, at, ascii));
    return at;
  }

  private quotedField(start: number, fields: string[]): number {
    const { buffer, complete } = this.bytes;
    let doubled = false;
    for (let from = start + 1; ; ) {
      const at = buffer.indexOf(quote, from);
      if (at < 0 && complete) throw this.error(start, 'the quotation mark opened here is never closed');
      if (at < 0 || (at + 1 === buffer.length && !complete)) return buffer.length;
      const after = buffer[at + 1];
      if (after === quote) {
        doubled = true;
        from = at + 2;
      } else if (after === undefined || after === this.delimiter || after === lineFeed || after === carriageReturn) {
        const text = this.text(start + 1, at, false);
        fields.push(doubled ? text.replaceAll('""', '"') : text);
        return at + 1;
      } else throw this.error(at + 1, 'expected a delimiter or a line end after the closing quotation mark');
    }
  }

  private text(start: number, end: number, ascii: boolean): string {
    const { buffer } = this.bytes;
    if (ascii) return buffer.toString('latin1', start, end);
    try {
      return this.utf8.decode(buffer.subarray(start, end));
    } catch {
      throw this.error(start, 'expected UTF-8 text in this field');
    }
  }

  private error(at: number, problem: string): FormatError {
    return new FormatError(this.bytes.name, this.bytes.offset + at, problem);
  }
}
