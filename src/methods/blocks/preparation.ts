/**
 * Parts of a fit that depend on few of its parameters, or on none: a method asks for a part by its name, the arrays that it is
 * made from and the parameters that it depends on, and gets the one that an earlier fit made, be it of another method. So
 * trials of a search on one problem whiten it, take it apart or compare its pictures once. Nobody may write to a part.
 */
import type { Backend, RealArray } from '../../linalg/index.js';
import { Matrix } from '../../linalg/index.js';

interface Part {
  readonly backend: Backend;
  readonly key: string;
  readonly value: unknown;
  /** What making it took, without the parts that it is made of itself. */
  readonly seconds: number;
}

/** Of one name and one array, those used last: a search comes back to the defaults again and again. */
const keptOfAName = 3;

/** What takes more room than this is made again; it is the product of pictures with pictures, of very many. */
const largestKept = 2 ** 28;

/** By the first array that they are made from, then by name. */
const parts = new WeakMap<object, Map<string, Part[]>>();

/** Seconds that preparation took, and those that it would have taken besides, had nothing been kept. */
export interface PreparationTimes {
  made: number;
  shared: number;
}

let times: PreparationTimes = { made: 0, shared: 0 };

/** What fits of this thread came to since the last call. */
export function takePreparationTimes(): PreparationTimes {
  const taken = times;
  times = { made: 0, shared: 0 };
  return taken;
}

export type Ingredients = readonly [Matrix | Int32Array, ...(Matrix | Int32Array)[]];

/** @param parameters all that the part depends on besides the arrays */
export async function prepared<T>(
  name: string,
  backend: Backend,
  from: Ingredients,
  parameters: readonly (number | string)[],
  make: () => Promise<T>,
): Promise<T> {
  const key = keyOf(from, parameters);
  const found = find(name, backend, from, key);
  if (found) return found.value as T;
  const since = begin();
  const value = await make();
  return keep(name, from, { backend, key, value, seconds: since() });
}

/** The same for what is made at once. */
export function preparedNow<T>(
  name: string,
  backend: Backend,
  from: Ingredients,
  parameters: readonly (number | string)[],
  make: () => T,
): T {
  const key = keyOf(from, parameters);
  const found = find(name, backend, from, key);
  if (found) return found.value as T;
  const since = begin();
  const value = make();
  return keep(name, from, { backend, key, value, seconds: since() });
}

function find(name: string, backend: Backend, from: Ingredients, key: string): Part | undefined {
  const list = parts.get(from[0])?.get(name);
  const at = list?.findIndex((part) => part.key === key && part.backend === backend) ?? -1;
  if (!list || at < 0) return undefined;
  const [part] = list.splice(at, 1);
  list.push(part);
  times.shared += part.seconds;
  return part;
}

/** A clock for making a part, which leaves out what its own parts take. */
function begin(): () => number {
  const begun = performance.now();
  const before = times.made;
  return () => Math.max(0, (performance.now() - begun) / 1000 - (times.made - before));
}

function keep<T>(name: string, from: Ingredients, part: Part & { value: T }): T {
  times.made += part.seconds;
  if (bytesOf(part.value) > largestKept) return part.value;
  keepUnchanged(matricesOf(part.value));
  const named = parts.get(from[0]) ?? new Map<string, Part[]>();
  parts.set(from[0], named);
  const list = named.get(name) ?? [];
  named.set(name, list);
  list.push(part);
  if (list.length > keptOfAName) list.shift();
  return part.value;
}

function bytesOf(value: unknown): number {
  return matricesOf(value).reduce((sum, { data }) => sum + data.byteLength, 0);
}

function matricesOf(value: unknown): Matrix[] {
  return value instanceof Matrix ? [value] : Object.values(value ?? {}).filter((each) => each instanceof Matrix);
}

/** Arrays count by their content: one that was filled anew is another. */
function keyOf(from: Ingredients, parameters: readonly (number | string)[]): string {
  return [...parameters, ...from.map(fingerprint)].join(' ');
}

/** What is found of arrays that stay as they are, and how many works rely on it. */
const unchanged = new WeakMap<object, { works: number; print?: string }>();

/** Does a work during which nobody changes these arrays, so that each is looked through only once. */
export async function whileUnchanged<T>(arrays: readonly Matrix[], work: () => Promise<T>): Promise<T> {
  for (const array of arrays) {
    const known = unchanged.get(array) ?? { works: 0 };
    known.works++;
    unchanged.set(array, known);
  }
  try {
    return await work();
  } finally {
    for (const array of arrays) if (--unchanged.get(array)!.works === 0) unchanged.delete(array);
  }
}

/** Nobody changes these arrays as long as they are there, so that each is looked through only once. */
export function keepUnchanged(arrays: readonly Matrix[]): void {
  for (const array of arrays) {
    const known = unchanged.get(array) ?? { works: 0 };
    known.works = Number.POSITIVE_INFINITY;
    unchanged.set(array, known);
  }
}

export function fingerprint(array: Matrix | Int32Array): string {
  const known = unchanged.get(array);
  if (!known) return contentOf(array);
  known.print ??= contentOf(array);
  return known.print;
}

/**
 * Shape and a hash of all entries: four parts of 32 bits for every fourth word each, whose multiplications do not wait for each
 * other. One changed word always changes its part. Quick beside any product.
 */
function contentOf(array: Matrix | Int32Array): string {
  const hash = new Int32Array(4);
  const shape = array instanceof Matrix ? `${array.rows} ${array.cols} ${array.dtype}` : `${array.length}`;
  if (!(array instanceof Matrix)) mix(hash, array);
  else if (array.contiguous) mix(hash, wordsOf(array.data.subarray(0, array.rows * array.cols)));
  else for (let i = 0; i < array.rows; i++) mix(hash, wordsOf(array.row(i)));
  return `${shape} ${hash.join(' ')}`;
}

const wordsOf = ({ buffer, byteOffset, byteLength }: RealArray): Int32Array =>
  new Int32Array(buffer, byteOffset, byteLength / 4);

function mix(hash: Int32Array, words: Int32Array): void {
  let [a, b, c, d] = hash;
  const whole = words.length & ~3;
  for (let k = 0; k < whole; k += 4) {
    a = Math.imul(((a << 5) | (a >>> 27)) ^ words[k], 0x9e3779b1);
    b = Math.imul(((b << 5) | (b >>> 27)) ^ words[k + 1], 0x85ebca77);
    c = Math.imul(((c << 5) | (c >>> 27)) ^ words[k + 2], 0xc2b2ae3d);
    d = Math.imul(((d << 5) | (d >>> 27)) ^ words[k + 3], 0x27d4eb2f);
  }
  for (let k = whole; k < words.length; k++) a = Math.imul(((a << 5) | (a >>> 27)) ^ words[k], 0x9e3779b1);
  hash.set([a, b, c, d]);
}
