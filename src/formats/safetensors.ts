/**
 * safetensors: eight bytes with the length of a JSON header, the header, then the tensors without gaps. Tensors are
 * read one at a time, whole or by rows; bfloat16 is read as float32.
 */
import { ArgumentError, FormatError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import { checkArray, elementCount, fromMatrix, itemBytes, type NdArray, type NumericDtype } from './array.js';
import { type ArrayRows, storedRows } from './array-rows.js';
import { writeBeside } from './atomic.js';
import { type FileSource, openFile, type RandomAccessFile } from './file.js';
import { numericChunks } from './npy.js';
import {
  type ArrayHeader,
  hostIsBigEndian,
  type ReadArrayOptions,
  readStored,
  type StoredArray,
  swapBytes,
} from './stored-array.js';

const types: Record<string, NumericDtype> = {
  F64: 'float64',
  F32: 'float32',
  F16: 'float16',
  BF16: 'float32',
  I64: 'int64',
  I32: 'int32',
  I16: 'int16',
  I8: 'int8',
  U64: 'uint64',
  U32: 'uint32',
  U16: 'uint16',
  U8: 'uint8',
  BOOL: 'bool',
};
/** The format's own limit. */
const longestHeader = 100_000_000;

/** Opens a file; it must be closed. */
export async function openSafetensors(source: FileSource): Promise<Safetensors> {
  const file = typeof source === 'string' ? await openFile(source) : source;
  const close = async () => {
    if (typeof source === 'string') await file.close();
  };
  try {
    const { tensors, metadata } = await readHeader(file);
    return new Safetensors(file, tensors, metadata, close);
  } catch (error) {
    await close();
    throw error;
  }
}

export class Safetensors {
  /** Names of the tensors, in the order of the header. */
  readonly names: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  private readonly file: RandomAccessFile;
  private readonly tensors: Map<string, StoredArray>;
  private readonly release: () => Promise<void>;

  /** Use `openSafetensors`. */
  constructor(
    file: RandomAccessFile,
    tensors: Map<string, StoredArray>,
    metadata: Record<string, string>,
    release: () => Promise<void>,
  ) {
    this.file = file;
    this.tensors = tensors;
    this.metadata = metadata;
    this.release = release;
    this.names = [...tensors.keys()];
  }

  has(name: string): boolean {
    return this.tensors.has(name);
  }

  header(name: string): ArrayHeader {
    const { shape, dtype } = this.find(name);
    return { shape, dtype };
  }

  async read(name: string, options: ReadArrayOptions = {}): Promise<NdArray> {
    return readStored(this.file, this.find(name), options);
  }

  /** The rows of one tensor, block by block. */
  rows(name: string): ArrayRows {
    return storedRows(this.file, this.find(name), async () => {});
  }

  async close(): Promise<void> {
    await this.release();
  }

  private find(name: string): StoredArray {
    const stored = this.tensors.get(name);
    if (stored) return stored;
    const hint = `It has: ${this.names.slice(0, 20).join(', ')}${this.names.length > 20 ? ', …' : ''}.`;
    throw new FormatError(this.file.name, undefined, `there is no tensor "${name}"`, hint);
  }
}

/** All tensors of a file by name. */
export async function readSafetensors(source: FileSource): Promise<Map<string, NdArray>> {
  const safetensors = await openSafetensors(source);
  try {
    const arrays = new Map<string, NdArray>();
    for (const name of safetensors.names) arrays.set(name, await safetensors.read(name));
    return arrays;
  } finally {
    await safetensors.close();
  }
}

/** Writes named arrays of numbers; the widest elements come first, so that all of them are aligned. */
export async function writeSafetensors(
  path: string,
  entries: Readonly<Record<string, NdArray | Matrix>>,
  options: { metadata?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const arrays = Object.entries(entries).map(([name, entry]) => {
    const array = entry instanceof Matrix ? fromMatrix(entry) : entry;
    checkArray(array, `${path}[${name}]`);
    const type = Object.keys(types).find((key) => types[key] === array.dtype);
    if (type === undefined || name === '__metadata__')
      throw new ArgumentError(`${path}: safetensors cannot hold ${array.dtype} data under the name "${name}"`);
    return { name, type, array: array as NdArray<NumericDtype> };
  });
  arrays.sort((a, b) => itemBytes[b.array.dtype] - itemBytes[a.array.dtype]);
  let end = 0;
  const records = arrays.map(({ name, type, array }) => {
    const start = end;
    end += array.data.byteLength;
    return [name, { dtype: type, shape: array.shape, data_offsets: [start, end] }] as const;
  });
  const metadata = options.metadata ? [['__metadata__', options.metadata] as const] : [];
  const json = Buffer.from(JSON.stringify(Object.fromEntries([...metadata, ...records])));
  const header = Buffer.alloc(8 + Math.ceil(json.length / 8) * 8, ' ');
  header.writeBigUInt64LE(BigInt(header.length - 8), 0);
  json.copy(header, 8);
  await writeBeside(path, async (file) => {
    await file.append(header);
    for (const { array } of arrays)
      for (const chunk of numericChunks(array.data)) {
        const bytes = hostIsBigEndian ? Uint8Array.from(chunk) : chunk;
        if (hostIsBigEndian) swapBytes(bytes, itemBytes[array.dtype]);
        await file.append(bytes);
      }
  });
}

interface Header {
  tensors: Map<string, StoredArray>;
  metadata: Record<string, string>;
}

async function readHeader(file: RandomAccessFile): Promise<Header> {
  const length = Buffer.from(await file.read(0, 8, 'the header length')).readBigUInt64LE(0);
  if (length > BigInt(Math.min(longestHeader, file.size - 8)))
    throw new FormatError(
      file.name,
      0,
      `expected a header within the file and of at most ${longestHeader} bytes, found length ${length}`,
      'The file is truncated, or not a safetensors file.',
    );
  const bytes = await file.read(8, Number(length), 'the header');
  const { __metadata__: metadata = {}, ...records } = parseObject(file, bytes);
  const start = 8 + Number(length);
  const spans: { name: string; from: number; to: number }[] = [];
  const tensors = new Map<string, StoredArray>();
  for (const [name, record] of Object.entries(records)) {
    const { stored, from, to } = readRecord(file, name, record, start);
    tensors.set(name, stored);
    spans.push({ name, from, to });
  }
  checkSpans(file, spans, start);
  if (!isRecord(metadata) || Object.values(metadata).some((value) => typeof value !== 'string'))
    throw new FormatError(file.name, 8, 'expected "__metadata__" to map names to strings');
  return { tensors, metadata: metadata as Record<string, string> };
}

function parseObject(file: RandomAccessFile, bytes: Uint8Array): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new FormatError(file.name, 8, `expected a JSON header: ${(error as Error).message}`);
  }
  if (!isRecord(header)) throw new FormatError(file.name, 8, 'expected a JSON object as header');
  return header;
}

function readRecord(
  file: RandomAccessFile,
  name: string,
  record: unknown,
  start: number,
): { stored: StoredArray; from: number; to: number } {
  const fail = (problem: string): never => {
    throw new FormatError(file.name, 8, `tensor ${JSON.stringify(name.slice(0, 80))}: ${problem}`);
  };
  const { dtype, shape, data_offsets: offsets } = isRecord(record) ? record : {};
  if (typeof dtype !== 'string' || !Object.hasOwn(types, dtype))
    return fail(`the element type ${short(dtype)} is not supported; expected one of ${Object.keys(types).join(', ')}`);
  if (!isSizes(shape) || shape.length > 64) return fail(`expected a list of sizes as shape, found ${short(shape)}`);
  if (!isSizes(offsets) || offsets.length !== 2 || offsets[0] > offsets[1])
    return fail(`expected two ascending data_offsets, found ${short(offsets)}`);
  const [from, to] = offsets;
  const width = dtype === 'BF16' ? 2 : itemBytes[types[dtype]];
  if (elementCount(shape) * width !== to - from)
    return fail(
      `shape (${shape.join(', ')}) of ${dtype} needs ${elementCount(shape) * width} bytes, found ${to - from}`,
    );
  if (start + to > file.size)
    return fail(`the data would end at byte ${start + to}, but the file ends at byte ${file.size}`);
  const layout = { offset: start + from, width, bigEndian: false, fortranOrder: false, bfloat16: dtype === 'BF16' };
  return { stored: { shape, dtype: types[dtype], ...layout }, from, to };
}

/** The format allows neither overlaps nor gaps nor trailing data, so that a file means one thing only. */
function checkSpans(file: RandomAccessFile, spans: { name: string; from: number; to: number }[], start: number): void {
  let end = 0;
  for (const { name, from, to } of spans.sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (from !== end)
      throw new FormatError(file.name, start + from, `expected tensor "${name}" to start at byte ${start + end}`);
    end = to;
  }
  if (start + end !== file.size)
    throw new FormatError(
      file.name,
      start + end,
      `expected the file to end after the last tensor, at byte ${start + end}`,
    );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
