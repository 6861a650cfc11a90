/**
 * `.npz` archives: named `.npy` files in a zip archive, stored or deflated. Arrays are read one at a time, whole or by
 * rows; names are given with or without the `.npy` ending.
 */
import { FormatError } from '../errors.js';
import type { Matrix } from '../linalg/index.js';
import type { NdArray } from './array.js';
import { type ArrayRows, storedRows } from './array-rows.js';
import { writeBeside } from './atomic.js';
import { type FileSource, openFile, type RandomAccessFile } from './file.js';
import { npyChunks } from './npy.js';
import { readHeader } from './npy-header.js';
import {
  type ArrayHeader,
  checkExtent,
  checkRows,
  type ReadArrayOptions,
  readStored,
  type StoredArray,
} from './stored-array.js';
import { readZipDirectory, type ZipMember } from './zip.js';
import { openMember } from './zip-member.js';
import { ZipWriter } from './zip-writer.js';

export interface OpenNpzOptions {
  /**
   * The most bytes that reading deflated arrays may produce, against archives made to exhaust memory. Arrays read by
   * `rows` do not count.
   * @default the larger of 256 MiB and 100 times the size of the file: real features shrink far less than that
   */
  maximumInflatedBytes?: number;
}

/** Opens an archive; it must be closed. */
export async function openNpz(source: FileSource, options: OpenNpzOptions = {}): Promise<Npz> {
  const file = typeof source === 'string' ? await openFile(source) : source;
  const close = async () => {
    if (typeof source === 'string') await file.close();
  };
  try {
    return new Npz(file, await readZipDirectory(file), close, options);
  } catch (error) {
    await close();
    throw error;
  }
}

export class Npz {
  readonly path: string;
  /** Names of the arrays, without `.npy`, in the order of the archive. Other members are passed over. */
  readonly names: readonly string[];
  private readonly file: RandomAccessFile;
  private readonly members: Map<string, ZipMember>;
  private readonly release: () => Promise<void>;
  private readonly maximumInflatedBytes: number;

  /** Use `openNpz`. */
  constructor(file: RandomAccessFile, members: ZipMember[], release: () => Promise<void>, options: OpenNpzOptions) {
    this.file = file;
    this.path = file.name;
    this.release = release;
    this.maximumInflatedBytes = options.maximumInflatedBytes ?? Math.max(2 ** 28, 100 * file.size);
    const arrays = members.filter((member) => member.name.endsWith('.npy'));
    this.members = new Map(arrays.map((member) => [member.name.slice(0, -4), member]));
    this.names = [...this.members.keys()];
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Shape and element type, without reading the elements. */
  async header(name: string): Promise<ArrayHeader> {
    return this.use(name, async (_, { shape, dtype }) => ({ shape, dtype }));
  }

  /** One array, or a range of its rows. The CRC is checked when the whole array is read. */
  async read(name: string, options: ReadArrayOptions = {}): Promise<NdArray> {
    return this.use(name, (file, stored) => {
      if (options.rows) checkRows(stored.shape, options.rows);
      this.refuseBomb(name, stored, options.rows ? options.rows[1] - options.rows[0] : stored.shape[0]);
      return readStored(file, stored, options);
    });
  }

  /**
   * The rows of one array, block by block. Those of a stored array are read where they lie; a deflated one is inflated
   * from the last position on, or from its start when the rows lie before that.
   */
  async rows(name: string): Promise<ArrayRows> {
    const { file, stored } = await this.open(name);
    return storedRows(file, stored, () => file.close());
  }

  /** Every array by name. */
  async readAll(): Promise<Map<string, NdArray>> {
    const arrays = new Map<string, NdArray>();
    let inflated = 0;
    for (const name of this.names) {
      const member = this.find(name)!;
      inflated += member.compressed ? member.size : 0;
      if (inflated > this.maximumInflatedBytes) throw this.bomb('the archive', inflated);
      arrays.set(name, await this.read(name));
    }
    return arrays;
  }

  async close(): Promise<void> {
    await this.release();
  }

  private find(name: string): ZipMember | undefined {
    return this.members.get(name) ?? (name.endsWith('.npy') ? this.members.get(name.slice(0, -4)) : undefined);
  }

  private async use<T>(name: string, read: (file: RandomAccessFile, stored: StoredArray) => Promise<T>): Promise<T> {
    const { file, stored } = await this.open(name);
    try {
      return await read(file, stored);
    } finally {
      await file.close();
    }
  }

  private async open(name: string): Promise<{ file: RandomAccessFile; stored: StoredArray }> {
    const member = this.find(name);
    if (member === undefined)
      throw new FormatError(this.path, undefined, `there is no array "${name}"`, `It has: ${this.names.join(', ')}.`);
    const file = await openMember(this.file, member);
    try {
      const stored = await readHeader(file);
      const end = stored.offset + checkExtent(file, stored);
      if (end !== file.size)
        throw new FormatError(
          file.name,
          end,
          `expected the data to end here, as the array's shape says; the archive promises ${file.size} bytes`,
        );
      return { file, stored };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private refuseBomb(name: string, stored: StoredArray, rows = 1): void {
    if (!this.find(name)?.compressed || stored.shape.includes(0)) return;
    const bytes = (stored.shape.slice(1).reduce((product, size) => product * size, stored.width) || 0) * rows;
    if (bytes > this.maximumInflatedBytes) throw this.bomb(`array "${name}"`, bytes);
  }

  private bomb(what: string, bytes: number): FormatError {
    return new FormatError(
      this.path,
      undefined,
      `${what} would inflate to ${bytes} bytes from a file of ${this.file.size}; the limit is ${this.maximumInflatedBytes}`,
      'If you trust the file, raise maximumInflatedBytes, read it by rows, or write it again without compression.',
    );
  }
}

/** All arrays of an archive by name. */
export async function readNpz(source: FileSource, options: OpenNpzOptions = {}): Promise<Map<string, NdArray>> {
  const npz = await openNpz(source, options);
  try {
    return await npz.readAll();
  } finally {
    await npz.close();
  }
}

export interface WriteNpzOptions {
  /** Deflate the arrays: smaller files, but rows can then no longer be read without what comes before them. @default false */
  compress?: boolean;
}

/**
 * Writes named arrays and matrices as a `.npz` archive that numpy opens.
 * @example await writeNpz('problem.npz', { web_features: matrix, web_names: { shape: [2], dtype: 'string', data: ['a', 'b'] } });
 */
export async function writeNpz(
  path: string,
  entries: Readonly<Record<string, NdArray | Matrix>> | Iterable<readonly [string, NdArray | Matrix]>,
  options: WriteNpzOptions = {},
): Promise<void> {
  const pairs = Symbol.iterator in entries ? entries : Object.entries(entries);
  await writeBeside(path, async (file) => {
    const zip = new ZipWriter(file);
    for (const [name, array] of pairs as Iterable<readonly [string, NdArray | Matrix]>) {
      const member = name.endsWith('.npy') ? name : `${name}.npy`;
      await zip.add(member, npyChunks(array, `${path}[${name}]`), options.compress ?? false);
    }
    await zip.finish();
  });
}
