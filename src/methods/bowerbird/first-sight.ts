/** What the pictures of a folder seem to be before any of them has been learnt from. */
import { type Matrix, visitRows } from '../../linalg/index.js';
import { candidatesOf } from './candidates.js';
import type { BowerbirdSolver } from './solver.js';
import { shortSum, type TestSide, TestState } from './test-state.js';
import { axpy } from './vectors.js';

/** Scores that a GPU makes at a time where nothing is kept of them. */
const manyOnGpu = 2 ** 29;

/** How many pictures each candidate has at first sight, by weight; a block of pictures at a time, of which nothing is kept. */
export function countsAtFirstSight(solver: BowerbirdSolver, side: TestSide): Float64Array {
  const { rows, squaredLengths } = side.pictures;
  const candidates = candidatesOf(solver);
  const totals = new Float64Array(candidates);
  const step =
    solver.ground.backend.device === 'cuda' ? Math.max(shortSum, Math.floor(manyOnGpu / candidates)) : shortSum;
  const see = (block: Matrix, start: number) => {
    const end = start + block.rows;
    const state = new TestState(solver, {
      ...side,
      pictures: { rows: block, squaredLengths: squaredLengths.subarray(start, end) },
      neighbours: undefined,
      listed: side.listed?.subarray(start, end),
      known: side.known?.subarray(start, end),
    });
    axpy(totals, 1, state.counts);
    state.release();
  };
  visitRows(rows, see, step);
  return totals;
}
