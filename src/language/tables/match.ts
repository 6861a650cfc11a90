/** Rows of a table for the categories of a workspace: names are compared by their words, not by how they are written. */
import { Matrix } from '../../linalg/index.js';
import { nameWords } from '../names/forms.js';
import type { CategoryName } from '../names/names.js';

/** A vector for each of some names, as a table of attributes or the output of a text tower has them. */
export interface NamedVectors {
  readonly names: readonly string[];
  /** One row a name. */
  readonly vectors: Matrix<Float32Array>;
  /** What each column is called, where that is known. */
  readonly columns?: readonly string[];
  /** The joint space of an image-text model that they lie in. */
  readonly space?: string;
}

/** `001.Black_footed_Albatross`, `black-footed albatross` and `Black Footed Albatross` are one name. */
export function nameKey(name: string): string {
  return nameWords(name)
    .flatMap((word) => word.split('-'))
    .join(' ')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
}

/** The row of each category by its name, else by its first alias that has one; zeros where there is none. */
export function vectorsOfNames(
  table: NamedVectors,
  categories: readonly CategoryName[],
): { vectors: Matrix<Float32Array>; absent: readonly string[] } {
  const rows = new Map(table.names.map((name, row) => [nameKey(name), row]));
  const vectors = Matrix.zeros(categories.length, table.vectors.cols, 'float32');
  const absent: string[] = [];
  for (const [c, { name, aliases }] of categories.entries()) {
    const found = [name, ...aliases].map((one) => rows.get(nameKey(one))).find((row) => row !== undefined);
    if (found === undefined) absent.push(name);
    else vectors.row(c).set(table.vectors.row(found));
  }
  return { vectors, absent };
}
