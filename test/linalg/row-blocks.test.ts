/** Rows that are looked at block by block. */
import { describe, expect, it } from 'vitest';
import { Matrix } from '../../src/linalg/matrix.js';
import { runsOf, visitRows } from '../../src/linalg/row-blocks.js';
import { selectRows } from '../../src/problem/rows.js';
import { asBlocks } from '../methods/streamed-rows.js';

const matrix = Matrix.from(Array.from({ length: 11 }, (_, i) => [i, 2 * i, i * i]));

describe('blocks of rows', () => {
  it.each([
    [undefined, undefined, [11]],
    [undefined, 4, [4, 4, 3]],
    [5, undefined, [5, 5, 1]],
    [5, 3, [3, 3, 3, 2]],
    [3, 5, [3, 3, 3, 2]],
    [11, 20, [11]],
  ])('are no longer than %s, what can be had together, and %s, what is wanted', (atOnce, most, lengths) => {
    const found: number[] = [];
    const seen: number[] = [];
    visitRows(
      atOnce ? asBlocks(matrix, atOnce) : matrix,
      (block, start) => {
        expect(start).toBe(seen.length);
        found.push(block.rows);
        for (let i = 0; i < block.rows; i++) seen.push(block.at(i, 2));
      },
      most,
    );
    expect(found).toEqual(lengths);
    expect(seen).toEqual(Array.from({ length: 11 }, (_, i) => i * i));
  });

  it('are none where there are no rows', () => {
    visitRows(Matrix.zeros(0, 3), () => expect.unreachable());
  });
});

describe('chosen rows', () => {
  it('are stretches of those that follow one another', () => {
    const rows = [4, 5, 6, 6, 7, 2, 1, 0];
    expect([...runsOf(rows)].map(({ place, from, to }) => [place, from, to])).toEqual([
      [0, 4, 7],
      [3, 6, 8],
      [5, 2, 3],
      [6, 1, 2],
      [7, 0, 1],
    ]);
    expect([...runsOf(rows, 2)].map(({ place, from, to }) => [place, from, to]).slice(0, 3)).toEqual([
      [0, 4, 6],
      [2, 6, 7],
      [3, 6, 8],
    ]);
    expect([...runsOf([])]).toEqual([]);
  });

  it.each([1, 2, 11])('are read %i at a time', (atOnce) => {
    for (const rows of [[4, 5, 6, 6, 7, 2, 1, 0], [3, 4, 5], []]) {
      const expected = rows.map((row) => [...matrix.row(row)]);
      const found = selectRows(asBlocks(matrix, atOnce), rows);
      expect(rows.map((_, i) => [...found.row(i)])).toEqual(expected);
    }
  });
});
