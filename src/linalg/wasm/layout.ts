/**
 * Where things lie in the shared memory, below the heap: what the threads agree on, each thread's own workspace, the
 * packed block of B, and room to stage pieces of matrices that live in ordinary arrays. Pages that are never touched
 * cost nothing.
 */

/** Rows of a packed block of A: with `blockDepth` it fits the second cache. A multiple of most tile heights. */
export const blockRows = 48;
/** Products summed before C is updated. Fixed for every tile and thread count, because it decides the rounding. */
export const blockDepth = 256;
/** Columns of a packed block of B: a multiple of every tile width. */
export const panelColumns = 2016;
/** Depth of a packed block of B: whole multiples of `blockDepth`. */
export const panelDepth = 8 * blockDepth;

const kib = 2 ** 10;
const mib = 2 ** 20;

/** Below this address the modules keep their static data. */
export const controlPointer = 64 * kib;
export const parametersPointer = controlPointer + kib;
export const parameterCount = 32;

const workspaceStart = controlPointer + 64 * kib;
/** Packed A (96 KiB) followed by one tile. */
const workspaceBytes = 112 * kib;
export const tileOffset = blockRows * blockDepth * 8;

export function workspacePointer(thread: number): number {
  return workspaceStart + thread * workspaceBytes;
}

export interface Regions {
  /** One packed block of B: `panelDepth` × `panelColumns`. */
  readonly packed: number;
  /** Staged pieces: as large as a block of B, or a piece of A and one of C together. */
  readonly staging: number;
  /** Where matrices begin. */
  readonly heap: number;
}

const stagingBytes = 32 * mib;

export function regions(threads: number): Regions {
  const packed = roundUp(workspacePointer(threads), 64 * kib);
  const staging = packed + roundUp(panelColumns * panelDepth * 8, 64 * kib);
  return { packed, staging, heap: staging + stagingBytes };
}

export function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
