/**
 * Asks Linux to back large matrices with large pages: long walks through memory then wait less for address
 * translation. It is advice; where the system has none to give, nothing changes.
 */
import type * as Koffi from 'koffi';
import type { RealArray } from '../matrix.js';

/** Below this size the matrix lies in the cache anyway. */
const smallestBytes = 4 * 2 ** 20;
const pageBytes = 4096;
/** MADV_HUGEPAGE of <sys/mman.h>. */
const advice = 14;

/** A function that gives the advice for an array nobody has written to yet. */
export function largePageAdvice(koffi: typeof Koffi): (data: RealArray) => void {
  if (process.platform !== 'linux') return () => {};
  let madvise: (start: number, bytes: number, advice: number) => unknown;
  try {
    madvise = koffi.load(null).func('madvise', 'int', ['size_t', 'size_t', 'int']);
  } catch {
    return () => {};
  }
  return (data) => {
    if (data.byteLength < smallestBytes) return;
    const address = Number(koffi.address(data));
    const start = Math.ceil(address / pageBytes) * pageBytes;
    const pages = Math.floor((address + data.byteLength - start) / pageBytes);
    madvise(start, pages * pageBytes, advice);
  };
}
