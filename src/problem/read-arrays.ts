/** A problem out of named arrays, under the names of docs/problem.md. */
import { FormatError } from '../errors.js';
import { type NdArray, toInt32, toMatrix, toStrings } from '../formats/index.js';
import { type Dtype, Matrix } from '../linalg/index.js';
import { mostFrequentWords, termFrequencies } from '../text/index.js';
import type { ArraySource } from './array-source.js';
import { besideEachOther, blocksOf, kindNames, type WrittenBlocks } from './blocks.js';
import type { Problem, ValidationWeb } from './problem.js';

export interface ReadOptions {
  dtype: Dtype;
  /** @default 'semantics' */
  semantics?: string;
  /** @default 'required' */
  web?: 'required' | 'optional';
  /** @default 2000 */
  words?: number;
  /** Pictures whose features stay in the file: their matrices have no rows. @default none */
  streamed?: readonly PictureSet[];
  signal?: AbortSignal;
}

/** The kinds of pictures of a problem, and what their arrays are called by. */
export type PictureSet = 'auxiliary' | 'web' | 'test';
export const setNames = { auxiliary: 'aux', web: 'web', test: 'test' } as const;

/** The web pictures of a problem, the part that may lie in a file of its own. */
export type WebPart = Pick<Problem, 'webFeatures' | 'webLabels' | 'webText' | 'webTexts' | 'webKinds' | 'webVouched'>;

/** Reads everything from `source`, the web pictures from `webSource` (often the same; without one there are none). */
export async function readArrayProblem(
  source: ArraySource,
  webSource: ArraySource | undefined,
  options: ReadOptions,
): Promise<Problem> {
  const kinds = kindNames(options.semantics ?? 'semantics');
  for (const kind of kinds) requireArrays(source, kind);
  const read = new TypedReader(source, options);
  const auxiliaryFeatures = await read.features('auxiliary');
  const { auxiliarySemantics, testSemantics, semanticBlocks } = await readSemantics(read, kinds);
  const problem: Problem = {
    auxiliaryFeatures,
    auxiliaryLabels: await read.integers('aux_labels'),
    auxiliarySemantics,
    auxiliaryNames:
      (await read.optional('aux_names', 'strings')) ?? numberedNames('auxiliary', auxiliarySemantics.rows),
    ...(webSource ? await readWeb(webSource, auxiliaryFeatures.cols, options) : noWeb(auxiliaryFeatures.cols, options)),
    testFeatures: await read.features('test'),
    testLabels: await read.optional('test_labels', 'integers'),
    testKnown: await read.optional('test_known', 'integers'),
    testSemantics,
    testNames: (await read.optional('test_names', 'strings')) ?? numberedNames('test', testSemantics.rows),
    ...blocksFrom('feature', await read.blocks('feature')),
    ...(semanticBlocks && { semanticBlocks }),
    testShares: normalized(await read.optional('test_shares', 'numbers')),
    generalized: (await read.optional('generalized', 'integers'))?.[0] === 1,
    validationWeb: source.has('validation_web_features') ? await readValidationWeb(source, options) : undefined,
  };
  return withTermFrequencies(problem, options);
}

/** One kind as it is, with the blocks that it may have; several kinds as blocks, scaled alike. */
async function readSemantics(read: TypedReader, kinds: readonly string[]) {
  const sides = { aux: [] as Matrix[], test: [] as Matrix[] };
  for (const kind of kinds)
    for (const side of ['aux', 'test'] as const) sides[side].push(await read.matrix(`${side}_${kind}`));
  if (kinds.length === 1)
    return {
      auxiliarySemantics: sides.aux[0],
      testSemantics: sides.test[0],
      ...(kinds[0] === 'semantics' && blocksFrom('semantic', await read.blocks('semantic'))),
    };
  return {
    auxiliarySemantics: besideEachOther(sides.aux),
    testSemantics: besideEachOther(sides.test),
    semanticBlocks: kinds.map((name, i) => ({ name, width: sides.aux[i].cols })),
  };
}

/** Under the name a problem has for them. */
function blocksFrom(which: 'feature' | 'semantic', written: WrittenBlocks) {
  const blocks = blocksOf(which, written);
  return blocks && { [`${which}Blocks`]: blocks };
}

/** Shares may be written as any numbers in the right proportion; those that are none are left for the check. */
function normalized(shares: Float64Array | undefined): Float64Array | undefined {
  const total = shares?.reduce((sum, share) => sum + share, 0) ?? 0;
  return total > 0 ? shares!.map((share) => share / total) : shares;
}

function noWeb(dimensions: number, { dtype }: ReadOptions): WebPart {
  return { webFeatures: Matrix.zeros(0, dimensions, dtype), webLabels: new Int32Array(0) };
}

export async function readWeb(source: ArraySource, dimensions: number, options: ReadOptions): Promise<WebPart> {
  if (!source.has('web_features') && options.web === 'optional') return noWeb(dimensions, options);
  for (const name of ['web_features', 'web_labels'])
    if (!source.has(name))
      throw new FormatError(
        source.path,
        undefined,
        `there is no array "${name}"`,
        'Web pictures may also lie in a file of their own; methods that need none do without (web: "optional").',
      );
  const read = new TypedReader(source, options);
  return {
    webFeatures: await read.features('web'),
    webLabels: await read.integers('web_labels'),
    webText: await read.optional('web_text', 'matrix'),
    webTexts: await read.optional('web_texts', 'strings'),
    webKinds: await read.optional('web_kind', 'strings'),
    webVouched: await read.optional('web_vouched', 'marks'),
  };
}

/** The words that titles share, numbers and stop words among them: the language of a problem file is not known. */
export function titleWords(texts: readonly string[], size?: number): string[] {
  return mostFrequentWords(texts, { size, minimumTexts: 2, numbers: true });
}

/** Where pictures have titles but no term frequencies, counts the most frequent words of all titles. */
export function withTermFrequencies(problem: Problem, options: ReadOptions): Problem {
  const { webText, webTexts, validationWeb } = problem;
  const webCounts = webText === undefined ? webTexts : undefined;
  const validationCounts = validationWeb?.text === undefined ? validationWeb?.texts : undefined;
  if (!webCounts && !validationCounts) return problem;
  const vocabulary = titleWords([...(webCounts ?? []), ...(validationCounts ?? [])], options.words);
  return {
    ...problem,
    ...(webCounts && { webText: termFrequencies(webCounts, vocabulary, options.dtype) }),
    ...(validationCounts && {
      validationWeb: { ...validationWeb!, text: termFrequencies(validationCounts, vocabulary, options.dtype) },
    }),
  };
}

/**
 * Web pictures of validation categories, labels into the auxiliary categories. In a file of their own they may also bear
 * the plain names, `web_features` and so on.
 */
export async function readValidationWeb(source: ArraySource, options: ReadOptions): Promise<ValidationWeb> {
  const prefix = source.has('validation_web_features') ? 'validation_web' : 'web';
  if (!source.has(`${prefix}_features`) || !source.has(`${prefix}_labels`))
    throw new FormatError(
      source.path,
      undefined,
      'there are no arrays "validation_web_features" and "validation_web_labels"',
      `Web pictures of the first auxiliary categories were expected. It has: ${source.names.join(', ') || 'no arrays'}.`,
    );
  const read = new TypedReader(source, options);
  const used = await read.optional('aux_in_validation_web', 'integers');
  return {
    features: await read.matrix(`${prefix}_features`),
    labels: await read.integers(`${prefix}_labels`),
    text: await read.optional(`${prefix}_text`, 'matrix'),
    texts: await read.optional(`${prefix}_texts`, 'strings'),
    kinds: await read.optional(`${prefix}_kind`, 'strings'),
    auxiliaryUsed: used && Uint8Array.from(used, (value) => (value === 0 ? 0 : 1)),
  };
}

/** Refuses files that are not problems, saying what is missing and what there is. */
function requireArrays(source: ArraySource, semantics: string): void {
  const pair = [`aux_${semantics}`, `test_${semantics}`];
  const missing = ['aux_features', 'aux_labels', 'test_features', ...pair].filter((name) => !source.has(name));
  if (missing.length === 0) return;
  const found = source.names.length === 0 ? 'It has no arrays at all.' : `It has: ${source.names.join(', ')}.`;
  if (missing.every((name) => pair.includes(name))) {
    const others = semanticsOf(source.names);
    throw new FormatError(
      source.path,
      undefined,
      `there are no semantic vectors "${semantics}" (${missing.join(', ')})`,
      others.length > 0 ? `Semantic vectors in this file: ${others.join(', ')}.` : found,
    );
  }
  throw new FormatError(source.path, undefined, `is not a problem: ${missing.join(', ')} missing`, found);
}

/** The names NAME for which a file has both `aux_NAME` and `test_NAME` as semantic vectors. */
export function semanticsOf(names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith('aux_') && names.includes(`test_${name.slice(4)}`))
    .map((name) => name.slice(4))
    .filter((name) => !['features', 'labels', 'names'].includes(name));
}

function numberedNames(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${kind} ${i}`);
}

/** Zeros and ones; other values are refused here, since a byte could not hold all of them for the check. */
export function toMarks(array: NdArray, origin: { name: string; file: string }): Uint8Array {
  const values = toInt32(array, origin);
  const wrong = values.findIndex((value) => value !== 0 && value !== 1);
  if (wrong >= 0)
    throw new FormatError(
      origin.file,
      undefined,
      `"${origin.name}" holds ${values[wrong]} at element ${wrong}; 0 or 1 was expected`,
    );
  return Uint8Array.from(values);
}

interface Converted {
  matrix: Matrix;
  integers: Int32Array;
  numbers: Float64Array;
  marks: Uint8Array;
  strings: string[];
}

/** Reads arrays as matrices, integers, marks or strings, with errors that name file and array. */
class TypedReader {
  private readonly source: ArraySource;
  private readonly options: ReadOptions;

  constructor(source: ArraySource, options: ReadOptions) {
    this.source = source;
    this.options = options;
  }

  matrix(name: string): Promise<Matrix> {
    return this.read(name, 'matrix');
  }

  async features(set: PictureSet): Promise<Matrix> {
    const name = `${setNames[set]}_features`;
    if (!this.options.streamed?.includes(set)) return this.matrix(name);
    const { shape } = await this.source.header(name);
    return Matrix.zeros(0, shape.at(-1) ?? 0, this.options.dtype);
  }

  integers(name: string): Promise<Int32Array> {
    return this.read(name, 'integers');
  }

  async optional<K extends keyof Converted>(name: string, kind: K): Promise<Converted[K] | undefined> {
    return this.source.has(name) ? this.read(name, kind) : undefined;
  }

  async blocks(which: 'feature' | 'semantic'): Promise<WrittenBlocks> {
    return {
      blocks: await this.optional(`${which}_blocks`, 'strings'),
      widths: await this.optional(`${which}_widths`, 'integers'),
      spaces: await this.optional(`${which}_spaces`, 'strings'),
    };
  }

  private async read<K extends keyof Converted>(name: string, kind: K): Promise<Converted[K]> {
    this.options.signal?.throwIfAborted();
    const array = await this.source.read(name);
    const origin = { name, file: this.source.path };
    const convert: { [C in keyof Converted]: () => Converted[C] } = {
      matrix: () => toMatrix(array, this.options.dtype, origin),
      integers: () => toInt32(array, origin),
      numbers: () => Float64Array.from(toMatrix({ ...array, shape: [1, array.data.length] }, 'float64', origin).data),
      marks: () => toMarks(array, origin),
      strings: () => toStrings(array, origin),
    };
    return convert[kind]();
  }
}
