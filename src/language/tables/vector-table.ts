/**
 * Vectors of names from a file of any kind: a CSV of attributes, an `.npz` with names and vectors (`bowerbird models
 * embed-names` writes one), or the `att_splits.mat` of the zero-shot benchmarks.
 */
import { extname } from 'node:path';
import { FormatError } from '../../errors.js';
import { matColumns, matTexts, readMat, readNpz, toMatrix, toStrings } from '../../formats/index.js';
import type { Matrix } from '../../linalg/index.js';
import { readAttributeTable, requireNames } from './attributes.js';
import type { NamedVectors } from './match.js';

export interface VectorTableOptions {
  /** The array or variable that holds the vectors. @default the one with a usual name */
  array?: string;
}

const nameArrays = ['names', 'class_names', 'categories', 'allclasses_names'];
const vectorArrays = ['vectors', 'attributes', 'semantics', 'att'];

export async function readVectorTable(file: string, options: VectorTableOptions = {}): Promise<NamedVectors> {
  const kind = extname(file).toLowerCase();
  if (kind === '.csv' || kind === '.tsv') return finite(file, await readAttributeTable(file));
  if (kind === '.npz') return finite(file, await fromNpz(file, options));
  if (kind === '.mat') return finite(file, await fromMat(file, options));
  throw new FormatError(
    file,
    undefined,
    'is no table of vectors that is known',
    'Give a .csv or .tsv with a header, an .npz with "names" and "vectors", or an att_splits.mat.',
  );
}

async function fromNpz(file: string, { array }: VectorTableOptions): Promise<NamedVectors> {
  const arrays = await readNpz(file);
  const found = [...arrays.keys()].join(', ') || 'nothing';
  const pick = (wanted: readonly string[], what: string) => {
    const name = wanted.find((one) => arrays.has(one));
    if (name === undefined)
      throw new FormatError(file, undefined, `has no ${what} (${wanted.join(', ')})`, `It has: ${found}.`);
    return name;
  };
  const name = pick(array ? [array] : vectorArrays, 'array of vectors');
  const names = toStrings(arrays.get(pick(nameArrays, 'array of names'))!, { name: 'names', file });
  const vectors = toMatrix(arrays.get(name)!, 'float32', { name, file }) as Matrix<Float32Array>;
  const space = arrays.has('space') ? toStrings(arrays.get('space')!, { name: 'space', file })[0] : undefined;
  return { ...paired(file, names, vectors), ...(space && { space }) };
}

async function fromMat(file: string, { array = 'att' }: VectorTableOptions): Promise<NamedVectors> {
  const variables = await readMat(file, { variables: [array, 'allclasses_names'] });
  const [values, names] = [variables.get(array), variables.get('allclasses_names')];
  if (!values || !names)
    throw new FormatError(
      file,
      undefined,
      `has no variable "${values ? 'allclasses_names' : array}"`,
      'Expected the att_splits.mat of the zero-shot benchmarks: att (attributes × classes) and allclasses_names.',
    );
  const vectors = matColumns(values, 'float32', { name: array, file }) as Matrix<Float32Array>;
  return paired(file, matTexts(names, { name: 'allclasses_names', file }), vectors);
}

function paired(file: string, names: readonly string[], vectors: Matrix<Float32Array>): NamedVectors {
  if (names.length !== vectors.rows)
    throw new FormatError(file, undefined, `has ${names.length} names and ${vectors.rows} vectors`);
  requireNames(file, names);
  return { names, vectors };
}

function finite(file: string, table: NamedVectors): NamedVectors {
  const { vectors, names } = table;
  if (vectors.cols === 0) throw new FormatError(file, undefined, 'its vectors have no element');
  for (let i = 0; i < vectors.rows; i++)
    if (!vectors.row(i).every(Number.isFinite))
      throw new FormatError(file, undefined, `the vector of "${names[i]}" holds numbers that are not finite`);
  return table;
}
