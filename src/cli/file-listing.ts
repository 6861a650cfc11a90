/** The arrays of any file that can be read, with shape, type and range; numbers are looked at block by block. */
import { basename } from 'node:path';
import { InterruptedError } from '../errors.js';
import type { ArrayRows } from '../formats/index.js';
import {
  convertReals,
  describeMat,
  isNumeric,
  type MatValue,
  matToArray,
  type NdArray,
  openNpyRows,
  openSafetensors,
  readMat,
  readNpy,
  readNpyHeader,
  toStrings,
} from '../formats/index.js';
import { openArrays } from '../problem/index.js';

export interface ArrayListing {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  /** Of the finite elements of an array of numbers. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Elements that are NaN or infinite. */
  readonly notFinite?: number;
  /** The first few of an array of texts. */
  readonly texts?: readonly string[];
}

const blockElements = 2 ** 20;
const textsShown = 3;

/** Arrays in the order of the file. */
export async function listArrays(path: string, signal: AbortSignal): Promise<ArrayListing[]> {
  if (path.endsWith('.mat')) return [...(await readMat(path))].map(([name, value]) => listMatValue(name, value));
  if (path.endsWith('.npy')) return [await listNpy(path, signal)];
  const source = path.endsWith('.safetensors') ? await openSafetensors(path) : await openArrays(path);
  try {
    const listings: ArrayListing[] = [];
    for (const name of source.names) {
      const { shape, dtype } = await source.header(name);
      const textual = dtype === 'string' || dtype === 'bytes';
      if (textual || shape.length === 0 || !source.rows) listings.push(listArray(name, await source.read(name)));
      else listings.push({ name, shape, dtype, ...(await rangeOfRows(await source.rows(name), signal)) });
    }
    return listings;
  } finally {
    await source.close();
  }
}

async function listNpy(path: string, signal: AbortSignal): Promise<ArrayListing> {
  const name = basename(path, '.npy');
  const { shape, dtype } = await readNpyHeader(path);
  if (dtype === 'string' || dtype === 'bytes' || shape.length === 0) return listArray(name, await readNpy(path));
  return { name, shape, dtype, ...(await rangeOfRows(await openNpyRows(path), signal)) };
}

function listMatValue(name: string, value: MatValue): ArrayListing {
  const textual =
    value.kind === 'text' ||
    (value.kind === 'cell' && value.cells.every((cell) => cell.kind === 'text' && cell.rows.length === 1));
  const listing = { name, shape: value.shape, dtype: describeMat(value).split(' ')[0] };
  if (value.kind === 'sparse') return { ...listing, ...new RangeMeter().add(value.values).range };
  if (value.kind !== 'numbers' && !textual) return listing;
  const { shape: _, dtype: __, ...content } = listArray(name, matToArray(value));
  return { ...listing, ...content };
}

function listArray(name: string, array: NdArray): ArrayListing {
  const { shape, dtype } = array;
  if (!isNumeric(array)) return { name, shape, dtype, texts: toStrings(array).slice(0, textsShown) };
  const values = new Float64Array(array.data.length);
  convertReals(array.dtype, array.data, values);
  return { name, shape, dtype, ...new RangeMeter().add(values).range };
}

async function rangeOfRows(rows: ArrayRows, signal: AbortSignal): Promise<Range> {
  try {
    const step = Math.max(1, Math.floor(blockElements / Math.max(1, rows.rowLength)));
    const meter = new RangeMeter();
    for (let start = 0; start < rows.shape[0]; start += step) {
      if (signal.aborted) throw new InterruptedError();
      meter.add(await rows.readRows(start, Math.min(rows.shape[0], start + step)));
    }
    return meter.range;
  } finally {
    await rows.close();
  }
}

type Range = Pick<ArrayListing, 'minimum' | 'maximum' | 'notFinite'>;

class RangeMeter {
  private minimum = Number.POSITIVE_INFINITY;
  private maximum = Number.NEGATIVE_INFINITY;
  private notFinite = 0;

  add(values: ArrayLike<number>): this {
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (!Number.isFinite(value)) this.notFinite++;
      else {
        if (value < this.minimum) this.minimum = value;
        if (value > this.maximum) this.maximum = value;
      }
    }
    return this;
  }

  get range(): Range {
    const { minimum, maximum, notFinite } = this;
    return { ...(minimum <= maximum && { minimum, maximum }), ...(notFinite > 0 && { notFinite }) };
  }
}
