/** Calls written down as numbers in shared memory, so that any thread with the same library can make them. */
import type { Dtype, RealArray } from '../matrix.js';
import type { RowCalls } from '../rows/calls.js';
import { type Call, sharedRoutines } from './calls.js';
import type { Library } from './library.js';
import { bindRoutines, type Routines } from './routines.js';

/** Numbers per call: the routine, the dtype, and up to 30 arguments. */
export const callWidth = 32;
/** In the place of a BLAS routine: the arguments are the number of a kernel over rows and its arguments. */
const kernelCall = sharedRoutines.length;

export type BoundRoutines = (dtype: Dtype) => Routines;

/** Binds the routines of a dtype when they are first needed. */
export function lazyRoutines(library: Library): BoundRoutines {
  const bound: Partial<Record<Dtype, Routines>> = {};
  return (dtype) => {
    bound[dtype] ??= bindRoutines(library, dtype);
    return bound[dtype];
  };
}

/** What a thread makes calls with. */
export interface Hands {
  readonly routines: BoundRoutines;
  readonly rows: Pick<RowCalls, 'make' | 'call' | 'makePiece'>;
  /** The calling thread is 0. */
  readonly thread: number;
}

/** Where a thread finds its own addresses. */
export type AddressOf = (data: RealArray) => number;

export function writeCall(calls: Float64Array, i: number, dtype: Dtype, { routine, values }: Call, address: AddressOf) {
  const at = i * callWidth;
  calls[at] = sharedRoutines.indexOf(routine);
  calls[at + 1] = dtype === 'float64' ? 1 : 0;
  values.forEach((value, j) => {
    calls[at + 2 + j] = typeof value === 'number' ? value : address(value);
  });
}

export function writeKernelCall(calls: Float64Array, i: number, kernel: number, values: readonly number[]): void {
  calls.set([kernelCall, 0, kernel, ...values], i * callWidth);
}

/** Makes a call that is written down; `values` is an ordinary array for its arguments, which is spread out much faster than a typed one. */
export function makeCall(calls: Float64Array, i: number, { routines, rows }: Hands, values: number[]): void {
  const at = i * callWidth;
  if (calls[at] === kernelCall) {
    rows.call(calls[at + 2], calls.subarray(at + 3, at + callWidth));
    return;
  }
  const bound = routines(calls[at + 1] === 1 ? 'float64' : 'float32');
  const routine = bound[sharedRoutines[calls[at]]] as (...values: number[]) => void;
  for (let k = 0; k < values.length; k++) values[k] = calls[at + 2 + k];
  routine(...values);
}

/** Room for the arguments of a call. */
export const argumentRoom = (): number[] => new Array<number>(callWidth - 2).fill(0);

/** Makes the call of a kernel over rows for a piece of the work that is written down on the workbench. */
export function makePiece(piece: number, { routines, rows, thread }: Hands): void {
  rows.makePiece(piece, thread, (bytes) => routines(bytes === 8 ? 'float64' : 'float32').lacpy);
}
