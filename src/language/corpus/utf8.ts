/** Strict UTF-8: pieces of bytes in, pieces of text out; the first malformed byte ends it with an error naming it. */
import { FormatError } from '../../errors.js';

/** A piece of text and how many bytes of the decompressed file lie before it. */
export interface TextPiece {
  readonly text: string;
  readonly offset: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export async function* decodeUtf8(pieces: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<TextPiece> {
  let offset = 0;
  let carried = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = carried.length === 0 ? piece : joined(carried, piece);
    const end = completeEnd(bytes);
    if (end > 0) yield { text: decode(bytes.subarray(0, end), file, offset), offset };
    offset += end;
    carried = bytes.slice(end);
  }
  if (carried.length > 0) throw malformed(file, offset, carried, 0);
}

function decode(bytes: Uint8Array, file: string, offset: number): string {
  try {
    const text = decoder.decode(bytes);
    return offset === 0 && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  } catch {
    throw malformed(file, offset, bytes, firstMalformed(bytes));
  }
}

/** Where the last complete character ends; at most three bytes of a begun one are left. */
function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte >= 0xc0) return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
    if (byte < 0x80) break;
  }
  return bytes.length;
}

function sequenceLength(lead: number): number {
  return lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

/** Index of the first byte that begins no valid character (RFC 3629). */
function firstMalformed(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; ) {
    const lead = bytes[i];
    const length = lead >= 0x80 && lead < 0xc2 ? 0 : sequenceLength(lead);
    if (length === 0 || i + length > bytes.length) return i;
    for (let k = 1; k < length; k++) if ((bytes[i + k] & 0xc0) !== 0x80) return i;
    const second = bytes[i + 1];
    const overlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
    const outside = (lead === 0xed && second >= 0xa0) || (lead === 0xf4 && second >= 0x90);
    if (overlong || outside) return i;
    i += length;
  }
  return bytes.length;
}

function malformed(file: string, offset: number, bytes: Uint8Array, index: number): FormatError {
  const found = Buffer.from(bytes.subarray(index, index + 4)).toString('hex');
  return new FormatError(
    file,
    offset + index,
    `not UTF-8: found the bytes ${found}`,
    'Convert the text first, for example with "iconv -f latin1 -t utf-8".',
  );
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const result = new Uint8Array(a.length + b.length);
  result.set(a);
  result.set(b, a.length);
  return result;
}
