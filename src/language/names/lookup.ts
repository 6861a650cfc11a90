/**
 * Semantic vectors of category names: the mean of the vectors of a name's words, for each of several vector files, put
 * beside one another. Words and names without a vector are reported; what happens to them is the caller's choice.
 */
import { ArgumentError, BowerbirdError } from '../../errors.js';
import { Matrix } from '../../linalg/index.js';
import type { VectorSource } from '../vectors/source.js';
import { type Form, nameWords, wordForms } from './forms.js';
import type { CategoryName } from './names.js';

/**
 * `error` refuses when any word lacks a vector. `skip` leaves such words out of the mean, and names without any vector
 * out of the result. `mean` does the same with words, but gives such names the mean of the other names' vectors; `zero`
 * gives them zeros, which say that there is no vector.
 */
export type MissingPolicy = 'error' | 'skip' | 'mean' | 'zero';

export interface NameVectorOptions {
  /** @default 'error' */
  missing?: MissingPolicy;
  /** `l2` gives the part of each vector file length 1, so that none outweighs the others. @default 'none' */
  normalize?: 'none' | 'l2';
}

export interface NameReport {
  readonly name: string;
  /** For each vector file, the words whose mean the vector is. */
  readonly used: readonly (readonly string[])[];
  /** The alias used instead of the name, for each vector file. */
  readonly alias: readonly (string | undefined)[];
  /** For each vector file, the words of the name that have no vector. */
  readonly missing: readonly (readonly string[])[];
  /** Whether at least one file has no vector at all for the name. */
  readonly absent: boolean;
}

export interface NameVectors {
  /** The names that have a row; fewer than were asked for only with `skip`. */
  readonly names: readonly string[];
  readonly vectors: Matrix<Float32Array>;
  /** One entry for every name asked for. */
  readonly reports: readonly NameReport[];
}

/** Names or words have no vector, and the caller wanted to know. */
export class MissingVectorsError extends BowerbirdError {
  readonly reports: readonly NameReport[];

  constructor(reports: readonly NameReport[]) {
    const lines = reports.map(describeMissing);
    super(
      'BOWERBIRD_MISSING_VECTORS',
      `${reports.length} ${reports.length === 1 ? 'name lacks' : 'names lack'} vectors: ${lines.slice(0, 10).join('; ')}${lines.length > 10 ? '; …' : ''}`,
      { hint: 'Add an alias column to the names, use larger vectors, or choose --missing skip or mean.' },
    );
    this.reports = reports;
  }
}

/** Names that are not wholly covered, for people. */
export function describeMissing({ name, missing, absent }: NameReport): string {
  const words = [...new Set(missing.flat())];
  return `${name} (${absent ? 'no vector; ' : ''}unknown: ${words.join(', ') || 'the name has no words'})`;
}

export async function nameVectors(
  names: readonly CategoryName[],
  sources: readonly VectorSource[],
  options: NameVectorOptions = {},
): Promise<NameVectors> {
  if (sources.length === 0) throw new ArgumentError('nameVectors: no vectors to look in');
  const { missing = 'error', normalize = 'none' } = options;
  const parts = await Promise.all(sources.map((source) => resolveNames(names, source)));
  const reports = names.map(({ name }, i): NameReport => {
    const resolved = parts.map((part) => part[i]);
    return {
      name,
      used: resolved.map((one) => one.used),
      alias: resolved.map((one) => one.alias),
      missing: resolved.map((one) => one.missing),
      absent: resolved.some((one) => one.vector === undefined),
    };
  });
  const incomplete = reports.filter((report) => report.missing.some((words) => words.length > 0) || report.absent);
  if (missing === 'error' && incomplete.length > 0) throw new MissingVectorsError(incomplete);
  const kept = names.flatMap((_, i) => (missing === 'skip' && reports[i].absent ? [] : [i]));
  if (missing !== 'zero' && reports.every((report) => report.absent)) throw new MissingVectorsError(incomplete);

  const width = sources.reduce((sum, source) => sum + source.dim, 0);
  const vectors = Matrix.zeros(kept.length, width, 'float32');
  let column = 0;
  for (const [s, { dim }] of sources.entries()) {
    const rows = parts[s].map(({ vector }) => (vector && normalize === 'l2' ? unitLength(vector) : vector));
    const known = rows.filter((row) => row !== undefined);
    const centre = missing === 'zero' ? new Float32Array(dim) : meanOf(known, dim);
    for (const [k, i] of kept.entries()) vectors.row(k).set(rows[i] ?? centre, column);
    column += dim;
  }
  return { names: kept.map((i) => names[i].name), vectors, reports };
}

interface Resolved {
  readonly vector: Float32Array | undefined;
  readonly used: readonly string[];
  readonly alias: string | undefined;
  readonly missing: readonly string[];
}

/** Looks all spellings of all names up at once, so that a text file is scanned a single time. */
async function resolveNames(names: readonly CategoryName[], source: VectorSource): Promise<Resolved[]> {
  const spellings = names.map(({ name, aliases }) =>
    [name, ...aliases].map((text) => ({
      text,
      words: nameWords(text).map((word) => ({ word, forms: wordForms(word) })),
    })),
  );
  const all = spellings.flat(2).flatMap(({ words }) => words.flatMap(({ forms }) => forms.flat()));
  const found = await source.lookup(all);
  return spellings.map((candidates) => {
    const tried = candidates.map(({ text, words }) => ({ text, ...resolveWords(words, found, source.dim) }));
    // An alias replaces a name that is not wholly covered, provided that the alias is, or the name has nothing at all.
    const whole = tried.findIndex(({ vector, missing }) => vector !== undefined && missing.length === 0);
    const some = tried.findIndex(({ vector }) => vector !== undefined);
    const best = Math.max(0, whole >= 0 ? whole : some);
    const { text, vector, used, missing } = tried[best];
    // Nothing found anywhere: the words of the name itself are what the user should hear about.
    return { vector, used, missing, alias: best > 0 && vector ? text : undefined };
  });
}

function resolveWords(
  words: readonly { word: string; forms: readonly Form[] }[],
  found: ReadonlyMap<string, Float32Array>,
  dim: number,
) {
  const used: string[] = [];
  const missing: string[] = [];
  const vectors: Float32Array[] = [];
  for (const { word, forms } of words) {
    const form = forms.find((parts) => parts.every((part) => found.has(part)));
    if (!form) {
      missing.push(word);
      continue;
    }
    used.push(...form);
    vectors.push(
      meanOf(
        form.map((part) => found.get(part)!),
        dim,
      ),
    );
  }
  return { used, missing, vector: vectors.length > 0 ? meanOf(vectors, dim) : undefined };
}

function meanOf(vectors: readonly Float32Array[], dim: number): Float32Array {
  const sum = new Float64Array(dim);
  for (const vector of vectors) for (let k = 0; k < dim; k++) sum[k] += vector[k];
  return Float32Array.from(sum, (value) => value / Math.max(1, vectors.length));
}

function unitLength(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm > 0 ? vector.map((value) => value / norm) : vector;
}
