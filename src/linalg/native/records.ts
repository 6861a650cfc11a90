/** Calls written down as numbers in shared memory, so that any thread with the same library can make them. */
import type { Dtype, RealArray } from '../matrix.js';
import type { RowCalls } from '../rows/calls.js';
import type { Carried } from '../rows/workbench.js';
import { type Call, sharedRoutines } from './calls.js';
import type { Library } from './library.js';
import { bindRoutines, type Routines } from './routines.js';

/** Numbers per call: the routine, the dtype, and up to 30 arguments. */
export const callWidth = 32;
/**
 * In the place of a BLAS routine: the arguments are the number of a call of a kernel over rows, how many copies are made before it
 * and after it, and those copies.
 */
const rowCall = sharedRoutines.length;
/** The same of a call of a kernel over rows that is written down here: the kernel's number and its arguments. */
const kernelCall = rowCall + 1;
/** Arguments of a copy: those of `lacpy`. */
const copyWidth = 6;
const copiesAt = 3;

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
  readonly rows: Pick<RowCalls, 'make' | 'call'>;
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

/** Rows [start, end) of matrices that are brought to the workbench, at this address, before a kernel's call is made, and fetched after it. */
export function writeRowCall(
  calls: Float64Array,
  call: number,
  [start, end]: readonly [number, number],
  { brought, fetched }: { brought: readonly Carried[]; fetched: readonly Carried[] },
  bench: number,
  address: AddressOf,
): void {
  const at = call * callWidth;
  const dtype = (brought[0] ?? fetched[0])?.matrix.dtype;
  calls.set([rowCall, dtype === 'float64' ? 1 : 0, call, brought.length, fetched.length], at);
  [...brought, ...fetched].forEach(({ matrix: { data, cols, stride }, pointer }, k) => {
    const there = address(data) + start * stride * data.BYTES_PER_ELEMENT;
    const here = bench + pointer;
    const ends = k < brought.length ? [there, stride, here, cols] : [here, cols, there, stride];
    calls.set([cols, end - start, ...ends], at + 2 + copiesAt + k * copyWidth);
  });
}

export function writeKernelCall(calls: Float64Array, i: number, kernel: number, values: readonly number[]): void {
  calls.set([kernelCall, 0, kernel, ...values], i * callWidth);
}

/** Makes the call that is written down there; `values` is an ordinary array for its arguments, which is spread out much faster than a typed one. */
export function makeCall(calls: Float64Array, i: number, { routines, rows }: Hands, values: number[]): void {
  const at = i * callWidth;
  if (calls[at] === kernelCall) {
    rows.call(calls[at + 2], calls.subarray(at + 3, at + callWidth));
    return;
  }
  const bound = routines(calls[at + 1] === 1 ? 'float64' : 'float32');
  if (calls[at] === rowCall) {
    makeRowCall(calls.subarray(at + 2, at + callWidth), bound, rows);
    return;
  }
  const routine = bound[sharedRoutines[calls[at]]] as (...values: number[]) => void;
  for (let k = 0; k < values.length; k++) values[k] = calls[at + 2 + k];
  routine(...values);
}

/** Room for the arguments of a call. */
export const argumentRoom = (): number[] => new Array<number>(callWidth - 2).fill(0);

function makeRowCall(values: Float64Array, { lacpy }: Routines, rows: Hands['rows']): void {
  const [call, before, after] = values;
  const copy = (k: number) => {
    const [m, n, a, lda, b, ldb] = values.subarray(copiesAt + k * copyWidth);
    lacpy(m, n, a, lda, b, ldb);
  };
  for (let k = 0; k < before; k++) copy(k);
  rows.make(call);
  for (let k = before; k < before + after; k++) copy(k);
}
