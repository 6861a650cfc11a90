import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '../../src/errors.js';
import type { NdArray } from '../../src/formats/array.js';
import { writeNpz } from '../../src/formats/npz.js';
import { Matrix } from '../../src/linalg/matrix.js';
import {
  besideEachOther,
  blockArrays,
  blocksFromArrays,
  blocksOf,
  columnsOf,
  imageTextPair,
  kindNames,
  semanticParts,
} from '../../src/problem/blocks.js';
import { checkProblem } from '../../src/problem/check.js';
import { loadProblem, readProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { smallProblem } from './small-problem.js';

const folder = temporaryFolder();
const featureBlocks = [
  { name: 'resnet50', width: 1 },
  { name: 'clip', width: 1, space: 'clip-b32' },
];
const semanticBlocks = [
  { name: 'words', width: 1 },
  { name: 'captions', width: 1, space: 'clip-b32' },
];
const blocked = smallProblem({ featureBlocks, semanticBlocks });

describe('blocks of columns', () => {
  it('follow each other', () => {
    const places = columnsOf([
      { name: 'a', width: 2 },
      { name: 'b', width: 3 },
    ]);
    expect(places.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [2, 5],
    ]);
  });

  it('part the semantic vectors of a problem, which is one part where no blocks are named', () => {
    const parts = semanticParts(blocked);
    expect(parts.map(({ block, test }) => [block.name, [...test.copy().data]])).toEqual([
      ['words', [1, 1]],
      ['captions', [1, -1]],
    ]);
    expect([...parts[1].auxiliary.copy().data]).toEqual([0, 1]);
    expect(semanticParts(smallProblem()).map(({ block }) => block)).toEqual([{ name: 'semantics', width: 2 }]);
  });

  it.each(['blocks.npz', 'blocks'])('come back from a file (%s)', async (name) => {
    await saveProblem(join(folder, name), blocked);
    const problem = await readProblem(join(folder, name));
    expect(problem.featureBlocks).toEqual(featureBlocks);
    expect(problem.semanticBlocks).toEqual(semanticBlocks);
    await saveProblem(join(folder, `plain-${name}`), smallProblem());
    const plain = await readProblem(join(folder, `plain-${name}`));
    expect(plain).not.toHaveProperty('featureBlocks');
    expect(plain).not.toHaveProperty('semanticBlocks');
  });

  it('come back from arrays, with and without spaces', () => {
    for (const blocks of [featureBlocks, featureBlocks.slice(0, 1), undefined]) {
      const arrays = blockArrays('feature', blocks);
      for (const [, { shape, data }] of arrays) expect(shape).toEqual([data.length]);
      expect(arrays.map(([name]) => name)).toEqual(
        blocks === undefined
          ? []
          : ['feature_blocks', 'feature_widths', ...(blocks.length > 1 ? ['feature_spaces'] : [])],
      );
      expect(blocksFromArrays('feature', new Map(arrays), 'file.npz')).toEqual(blocks);
    }
  });

  it('are refused where they are not one width and one space each, or not the columns', () => {
    const blocks = ['a', 'b'];
    const widths = Int32Array.of(1, 1);
    expect(blocksOf('feature', { blocks, widths })).toHaveLength(2);
    expect(() => blocksOf('feature', { blocks })).toThrow('feature_widths: has no entries, feature_blocks has 2');
    expect(() => blocksOf('semantic', { blocks, widths, spaces: ['x'] })).toThrow(
      'semantic_spaces: has 1 entries, semantic_blocks has 2',
    );
    const wrong = (widthsOf: number[]) => widthsOf.map((width, i) => ({ name: `${i}`, width }));
    for (const widthsOf of [[1], [2, 0], [3, -1], [1, 2]]) {
      expect(() => checkProblem(smallProblem({ featureBlocks: wrong(widthsOf) }))).toThrow(ProblemError);
      expect(() => checkProblem(smallProblem({ semanticBlocks: wrong(widthsOf) }))).toThrow(
        `the blocks have ${widthsOf.join(' + ')} columns, the vectors 2`,
      );
    }
    expect(() => checkProblem(blocked)).not.toThrow();
  });
});

describe('the two towers of an image-text model', () => {
  it('are found by their space', () => {
    const pair = imageTextPair(blocked)!;
    expect([pair.space, pair.from, pair.to, pair.text.block.name]).toEqual(['clip-b32', 1, 2, 'captions']);
  });

  it('are no pair in another space, of another width, or without one', () => {
    const space = (feature?: string, semantic?: string, width = 1) =>
      imageTextPair(
        smallProblem({
          featureBlocks: [
            { name: 'clip', width, ...(feature && { space: feature }) },
            { name: 'rest', width: 2 - width },
          ],
          semanticBlocks: [
            { name: 'captions', width: 1, ...(semantic && { space: semantic }) },
            { name: 'words', width: 1 },
          ],
        }),
      );
    expect(space('clip', 'clip')).toBeDefined();
    expect(space('clip', 'siglip')).toBeUndefined();
    expect(space('clip')).toBeUndefined();
    expect(space()).toBeUndefined();
    expect(space('clip', 'clip', 2)).toBeUndefined();
    expect(imageTextPair(smallProblem())).toBeUndefined();
  });
});

describe('several kinds of semantic vectors', () => {
  it('stand beside each other at unit length; a category without a vector keeps its zeros', () => {
    const both = besideEachOther([
      Matrix.from([
        [3, 4],
        [0, 0],
      ]),
      Matrix.from([[2], [-5]]),
    ]);
    expect([...both.data]).toEqual([0.6, 0.8, 1, 0, 0, -1].map((x) => expect.closeTo(x, 15)));
  });

  it('are read by their names', async () => {
    const small = smallProblem();
    const integers = (...data: number[]): NdArray => ({
      shape: [data.length],
      dtype: 'int32',
      data: Int32Array.from(data),
    });
    const path = join(folder, 'kinds.npz');
    await writeNpz(path, {
      aux_features: small.auxiliaryFeatures,
      aux_labels: integers(0, 1, 1),
      aux_semantics: small.auxiliarySemantics,
      aux_attributes: Matrix.from([[2], [3]]),
      web_features: small.webFeatures,
      web_labels: integers(0, 1),
      test_features: small.testFeatures,
      test_semantics: small.testSemantics,
      test_attributes: Matrix.from([[-4], [5]]),
    });
    const problem = await loadProblem(path, { semantics: 'semantics, attributes', scaling: 'none' });
    expect(problem.semanticBlocks).toEqual([
      { name: 'semantics', width: 2 },
      { name: 'attributes', width: 1 },
    ]);
    expect([...problem.testSemantics.row(0)]).toEqual(
      [Math.SQRT1_2, Math.SQRT1_2, -1].map((x) => expect.closeTo(x, 14)),
    );
  });

  it('are a list of different names', () => {
    expect(kindNames('semantics, attributes')).toEqual(['semantics', 'attributes']);
    expect(() => kindNames('semantics,')).toThrow('no list of names');
    expect(() => kindNames('words,words')).toThrow('no list of names');
  });
});
