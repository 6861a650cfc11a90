/**
 * Columns that belong together: features of one network, or semantic vectors of one kind, put beside others. A block of
 * features and one of semantic vectors that bear the same `space` come from the two towers of one image-text model.
 */
import { ArgumentError, ProblemError } from '../errors.js';
import { type NdArray, toInt32, toStrings } from '../formats/index.js';
import type { Matrix } from '../linalg/index.js';
import { scaleSemantics } from './normalize.js';
import type { Problem } from './problem.js';
import { stackColumns } from './rows.js';

export interface Block {
  /** For people: `words`, `attributes`, `resnet50`. */
  readonly name: string;
  /** Number of columns. */
  readonly width: number;
  /** The joint space of an image-text model. */
  readonly space?: string;
}

/** The semantic vectors of one kind; a row of zeros is a category without a vector. */
export interface SemanticPart {
  readonly block: Block;
  readonly auxiliary: Matrix;
  readonly test: Matrix;
}

/** The kinds of semantic vectors of a problem, in the order of their columns; one where none are named. */
export function semanticParts({ semanticBlocks, auxiliarySemantics, testSemantics }: Problem): SemanticPart[] {
  const blocks = semanticBlocks ?? [{ name: 'semantics', width: testSemantics.cols }];
  return columnsOf(blocks).map(({ block, from, to }) => ({
    block,
    auxiliary: auxiliarySemantics.view(0, auxiliarySemantics.rows, from, to),
    test: testSemantics.view(0, testSemantics.rows, from, to),
  }));
}

/** Where each block begins and ends. */
export function columnsOf(blocks: readonly Block[]): { block: Block; from: number; to: number }[] {
  let from = 0;
  return blocks.map((block) => {
    const place = { block, from, to: from + block.width };
    from = place.to;
    return place;
  });
}

/** The columns of a feature block and the semantic vectors of the same image-text model, where a problem has both. */
export interface ImageTextPair {
  readonly space: string;
  readonly from: number;
  readonly to: number;
  readonly text: SemanticPart;
}

export function imageTextPair(problem: Problem): ImageTextPair | undefined {
  const { featureBlocks = [] } = problem;
  for (const text of semanticParts(problem)) {
    const image = columnsOf(featureBlocks).find(({ block }) => block.space && block.space === text.block.space);
    if (image && image.to - image.from === text.block.width)
      return { space: text.block.space!, from: image.from, to: image.to, text };
  }
  return undefined;
}

/** Several kinds of semantic vectors as one matrix: rows of each kind at unit length, so that none outweighs the others. */
export function besideEachOther(parts: readonly Matrix[]): Matrix {
  const scaled = parts.map((part) => {
    const rows = part.copy();
    scaleSemantics(rows);
    return rows;
  });
  return scaled.reduce((left, right) => stackColumns(left, right));
}

/** Blocks as the arrays of a problem file: `feature_blocks`, `feature_widths`, `feature_spaces`, and `semantic_…`. */
export interface WrittenBlocks {
  readonly blocks?: readonly string[];
  readonly widths?: Int32Array;
  readonly spaces?: readonly string[];
}

export function writtenBlocks(blocks: readonly Block[] | undefined): WrittenBlocks {
  if (!blocks) return {};
  return {
    blocks: blocks.map(({ name }) => name),
    widths: Int32Array.from(blocks, ({ width }) => width),
    ...(blocks.some(({ space }) => space) && { spaces: blocks.map(({ space = '' }) => space) }),
  };
}

/** The same as arrays for a file, by name. */
export function blockArrays(
  which: 'feature' | 'semantic',
  given: readonly Block[] | undefined,
): [name: string, array: NdArray][] {
  const { blocks, widths, spaces } = writtenBlocks(given);
  const texts = (data: readonly string[]): NdArray => ({ shape: [data.length], dtype: 'string', data: [...data] });
  const arrays: [string, NdArray][] = [];
  if (blocks) arrays.push([`${which}_blocks`, texts(blocks)]);
  if (widths) arrays.push([`${which}_widths`, { shape: [widths.length], dtype: 'int32', data: widths }]);
  if (spaces) arrays.push([`${which}_spaces`, texts(spaces)]);
  return arrays;
}

/** And back. */
export function blocksFromArrays(
  which: 'feature' | 'semantic',
  arrays: ReadonlyMap<string, NdArray>,
  file: string,
): Block[] | undefined {
  const texts = (name: string) => (arrays.has(name) ? toStrings(arrays.get(name)!, { name, file }) : undefined);
  const widths = arrays.get(`${which}_widths`);
  return blocksOf(which, {
    blocks: texts(`${which}_blocks`),
    widths: widths && toInt32(widths, { name: `${which}_widths`, file }),
    spaces: texts(`${which}_spaces`),
  });
}

export function blocksOf(which: 'feature' | 'semantic', written: WrittenBlocks): Block[] | undefined {
  const { blocks, widths, spaces } = written;
  if (!blocks) return undefined;
  for (const [name, list] of [
    ['widths', widths],
    ['spaces', spaces ?? blocks],
  ] as const)
    if (list?.length !== blocks.length)
      throw new ProblemError(
        `${which}_${name}`,
        undefined,
        `has ${list?.length ?? 'no'} entries, ${which}_blocks has ${blocks.length}`,
      );
  return blocks.map((name, i) => ({ name, width: widths![i], ...(spaces?.[i] && { space: spaces[i] }) }));
}

/** @throws ProblemError where the blocks are not exactly the columns of the matrix */
export function* checkBlocks({ featureBlocks, semanticBlocks, ...problem }: Problem): Generator<ProblemError> {
  const both = [
    ['feature', featureBlocks, problem.auxiliaryFeatures],
    ['semantic', semanticBlocks, problem.auxiliarySemantics],
  ] as const;
  for (const [which, blocks, matrix] of both) {
    if (!blocks) continue;
    const total = blocks.reduce((sum, { width }) => sum + width, 0);
    if (total !== matrix.cols || blocks.some(({ width }) => !(width > 0)))
      yield new ProblemError(
        `${which}_widths`,
        undefined,
        `the blocks have ${blocks.map(({ width }) => width).join(' + ')} columns, the vectors ${matrix.cols}`,
      );
  }
}

/** The names of several kinds of semantic vectors, as options have them: `semantics,attributes`. */
export function kindNames(written: string): string[] {
  const names = written.split(',').map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length)
    throw new ArgumentError(
      `the semantic vectors "${written}" are no list of names`,
      'Write one name, or several different ones with commas between them: semantics,attributes.',
    );
  return names;
}
