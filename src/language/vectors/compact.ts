/**
 * The compact vector file (`.vectors`): float32 rows, words, and a hash table of the words, laid out so that the vector
 * of a word is found with two reads and without loading the rest. Node has no memory mapping; reading by offset serves.
 *
 * Header (64 bytes, little-endian): "BOWERVEC", version, dimension, number of words n, bits of the table, then 64-bit
 * offsets of the words, of the word starts, of the table and of the description. Rows follow the header; then the words
 * as UTF-8; n + 1 starts (uint32); 2^bits slots of hash and word number + 1 (uint32 each, 0 is free); a JSON text.
 */
import { ArgumentError, FormatError } from '../../errors.js';
import { openFile, PendingFile, type RandomAccessFile } from '../../formats/index.js';
import type { VectorSource } from './source.js';

/** Where vectors came from and under which terms; shown by `bowerbird words info`. */
export interface VectorsDescription {
  readonly title?: string;
  readonly source?: string;
  readonly licence?: string;
  /** Settings of the training, or of the conversion. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const magic = 'BOWERVEC';
const version = 1;
const headerBytes = 64;

/** Writes a compact file word by word; rows go straight to disk, only the words are held. */
export class CompactWriter {
  readonly #file: PendingFile;
  readonly #dim: number;
  readonly #words: Buffer[] = [];
  #rows = new Float32Array(0);
  #filled = 0;

  private constructor(file: PendingFile, dim: number) {
    this.#file = file;
    this.#dim = dim;
    this.#rows = new Float32Array(Math.max(1, Math.floor(2 ** 18 / dim)) * dim);
  }

  static async create(path: string, dim: number): Promise<CompactWriter> {
    if (!Number.isInteger(dim) || dim < 1 || dim > 2 ** 20)
      throw new ArgumentError(`a vector file of dimension ${dim}, expected 1 to ${2 ** 20}`);
    const file = await PendingFile.create(path);
    await file.append(new Uint8Array(headerBytes));
    return new CompactWriter(file, dim);
  }

  async add(word: string, vector: Float32Array): Promise<void> {
    this.#words.push(Buffer.from(word));
    this.#rows.set(vector.subarray(0, this.#dim), this.#filled);
    this.#filled += this.#dim;
    if (this.#filled === this.#rows.length) await this.#flush();
  }

  /** Writes the tables and gives the file its name. */
  async finish(description: VectorsDescription): Promise<void> {
    await this.#flush();
    const count = this.#words.length;
    const words = Buffer.concat(this.#words);
    const starts = new Uint32Array(count + 1);
    this.#words.forEach((word, i) => {
      starts[i + 1] = starts[i] + word.length;
    });
    const bits = Math.max(4, Math.ceil(Math.log2(count * 2 + 1)));
    const slots = new Uint32Array(2 * 2 ** bits);
    this.#words.forEach((word, i) => {
      const hash = hashOf(word);
      let slot = hash >>> (32 - bits);
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & (2 ** bits - 1);
      slots.set([hash, i + 1], 2 * slot);
    });
    const offsets: number[] = [];
    for (const part of [words, bytesOf(starts), bytesOf(slots), Buffer.from(JSON.stringify(description))]) {
      offsets.push(this.#file.position);
      await this.#file.append(part);
    }
    const header = Buffer.alloc(headerBytes);
    header.write(magic, 'latin1');
    for (const [i, value] of [version, this.#dim, count, bits].entries()) header.writeUInt32LE(value, 8 + 4 * i);
    for (const [i, offset] of offsets.entries()) header.writeBigUInt64LE(BigInt(offset), 24 + 8 * i);
    await this.#file.writeAt(header, 0);
    await this.#file.commit();
  }

  async discard(): Promise<void> {
    await this.#file.discard();
  }

  async #flush(): Promise<void> {
    await this.#file.append(bytesOf(this.#rows.subarray(0, this.#filled)));
    this.#filled = 0;
  }
}

/** A compact file open for look-ups; the table and the word starts are held (12 to 24 bytes a word), no vectors. */
export class CompactVectors implements VectorSource {
  readonly kind = 'compact';
  readonly name: string;
  readonly dim: number;
  readonly count: number;
  readonly description: VectorsDescription;
  readonly #file: RandomAccessFile;
  readonly #wordsAt: number;
  readonly #starts: Uint32Array;
  readonly #slots: Uint32Array;

  private constructor(file: RandomAccessFile, parts: Parts) {
    this.name = file.name;
    this.#file = file;
    this.dim = parts.dim;
    this.count = parts.count;
    this.description = parts.description;
    this.#wordsAt = parts.wordsAt;
    this.#starts = parts.starts;
    this.#slots = parts.slots;
  }

  static async open(path: string): Promise<CompactVectors> {
    const file = await openFile(path);
    try {
      return await CompactVectors.from(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** On a file that is already open; closing the vectors closes it. */
  static async from(file: RandomAccessFile): Promise<CompactVectors> {
    return new CompactVectors(file, await readParts(file));
  }

  /** Number of a word, or −1. */
  async indexOf(word: string): Promise<number> {
    const bytes = Buffer.from(word);
    const hash = hashOf(bytes);
    const mask = this.#slots.length / 2 - 1;
    const bits = Math.log2(mask + 1);
    for (let slot = hash >>> (32 - bits), looked = 0; looked <= mask; slot = (slot + 1) & mask, looked++) {
      const number = this.#slots[2 * slot + 1];
      if (number === 0) return -1;
      if (this.#slots[2 * slot] !== hash || number > this.count) continue;
      const [start, end] = [this.#starts[number - 1], this.#starts[number]];
      if (end - start !== bytes.length) continue;
      const stored = await this.#file.read(this.#wordsAt + start, end - start, 'a word');
      if (bytes.equals(stored)) return number - 1;
    }
    return -1;
  }

  async lookup(words: Iterable<string>): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    await Promise.all(
      [...new Set(words)].map(async (word) => {
        const index = await this.indexOf(word);
        if (index >= 0) found.set(word, await this.vector(index));
      }),
    );
    return found;
  }

  async vector(index: number): Promise<Float32Array> {
    const bytes = await this.#file.read(headerBytes + index * this.dim * 4, this.dim * 4, 'a vector');
    return new Float32Array(bytes.buffer);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

interface Parts {
  dim: number;
  count: number;
  description: VectorsDescription;
  wordsAt: number;
  starts: Uint32Array;
  slots: Uint32Array;
}

async function readParts(file: RandomAccessFile): Promise<Parts> {
  const header = Buffer.from(await file.read(0, headerBytes, 'the header'));
  if (header.toString('latin1', 0, 8) !== magic) throw new FormatError(file.name, 0, 'not a compact vector file');
  const [found, dim, count, bits] = [8, 12, 16, 20].map((at) => header.readUInt32LE(at));
  if (found !== version)
    throw new FormatError(file.name, 8, `version ${found}, this program reads ${version}`, 'Write the file again.');
  const [wordsAt, startsAt, slotsAt, textAt] = [24, 32, 40, 48].map((at) => Number(header.readBigUInt64LE(at)));
  const consistent =
    dim > 0 &&
    bits >= 4 &&
    bits < 32 &&
    wordsAt === headerBytes + count * dim * 4 &&
    startsAt >= wordsAt &&
    slotsAt === startsAt + (count + 1) * 4 &&
    textAt === slotsAt + 2 ** bits * 8 &&
    textAt <= file.size;
  if (!consistent)
    throw new FormatError(
      file.name,
      12,
      `${count} words of ${dim} numbers do not fit a file of ${file.size} bytes`,
      'The file is truncated or damaged; write or fetch it again.',
    );
  const starts = new Uint32Array((await file.read(startsAt, (count + 1) * 4, 'the word starts')).buffer);
  for (let i = 0; i < count; i++)
    if (starts[i] > starts[i + 1]) throw new FormatError(file.name, startsAt + 4 * i, 'word starts are not ascending');
  if (starts[count] !== startsAt - wordsAt) throw new FormatError(file.name, startsAt, 'words of the wrong length');
  const slots = new Uint32Array((await file.read(slotsAt, 2 ** bits * 8, 'the table')).buffer);
  const text = Buffer.from(await file.read(textAt, file.size - textAt, 'the description')).toString();
  try {
    return { dim, count, description: JSON.parse(text), wordsAt, starts, slots };
  } catch {
    throw new FormatError(file.name, textAt, 'the description is not JSON');
  }
}

/** FNV-1a with a final mixing, so that the high bits that choose the slot depend on all bytes. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function bytesOf(data: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
