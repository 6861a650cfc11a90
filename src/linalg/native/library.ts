/**
 * One opened BLAS/LAPACK: how its Fortran symbols are spelt, how wide its integers are, how its threads are set.
 *
 * Integers are always handed over in slots of eight little-endian bytes. A library with 32-bit integers (LP64) reads
 * the lower half, one with 64-bit integers (ILP64) reads all of it, so the width decides only which sizes are allowed.
 */
import { basename, dirname, join } from 'node:path';
import type * as Koffi from 'koffi';
import type { RealArray } from '../matrix.js';
import type { Candidate } from './candidates.js';
import { withCoreType } from './core-type.js';
import { largePageAdvice } from './pages.js';

export type Foreign = (...values: unknown[]) => unknown;
type Family = 'OpenBLAS' | 'MKL' | 'BLIS' | 'Accelerate' | 'BLAS';

export interface Library {
  family: Family;
  /** What the library says of itself, such as `OpenBLAS 0.3.21 … Cooperlake`. */
  version: string;
  path: string;
  /** Where LAPACK came from when not from `path`. */
  lapackPath: string | undefined;
  integerBits: 32 | 64;
  /** Does nothing where the library offers no way to set the number of its threads. */
  setThreads(count: number): void;
  /** False when two threads must not be inside the library at once. */
  reentrant: boolean;
  /** A Fortran routine of `pointers` arguments, `characters` of which are characters. */
  routine(name: string, pointers: number, characters: number, result?: string): Foreign;
  /** Where the elements of a typed array lie; valid while the array is in use. */
  address(data: RealArray): number;
  /** Asks for large memory pages under an array that has not been written to. */
  adviseLargePages(data: RealArray): void;
}

/** Spelling of a Fortran routine and, beside it, of the C functions of the same library. */
const spellings = [
  // Accelerate's newer interface; its older one, spelt as usual, returns single-precision results as doubles.
  { prefix: '', suffix: '$NEWLAPACK$ILP64', suffixOfC: '' },
  { prefix: '', suffix: '$NEWLAPACK', suffixOfC: '' },
  { prefix: '', suffix: '_', suffixOfC: '' },
  { prefix: '', suffix: '_64_', suffixOfC: '64_' },
  { prefix: '', suffix: '64_', suffixOfC: '64_' },
  { prefix: 'scipy_', suffix: '_64_', suffixOfC: '64_' },
  { prefix: 'scipy_', suffix: '_', suffixOfC: '' },
  { prefix: '', suffix: '', suffixOfC: '' },
];
type Spelling = (typeof spellings)[number];

interface Part {
  handle: Koffi.LibraryHandle;
  spelling: Spelling;
}

/** The foreign-function interface, loaded only when a native library is wanted. */
export async function loadKoffi(): Promise<typeof Koffi> {
  return (await import('koffi')).default as unknown as typeof Koffi;
}

/** Opens a candidate. Throws an Error that says what is wrong with it. */
export function openLibrary(koffi: typeof Koffi, candidate: Candidate): Library {
  const handle = withCoreType(koffi, () => koffi.load(candidate.path));
  const blas = part(handle, 'dgemm');
  if (!blas) throw new Error('it has no dgemm');
  const family = familyOf(handle, blas.spelling, candidate.path);
  if (family === 'MKL') chooseMklThreading(koffi, handle, candidate.path);
  const own = part(handle, 'dpotrf');
  const found = own ? { part: own, path: undefined } : openLapack(koffi, candidate.lapack);
  const parts = { blas, lapack: found.part };
  const setters = [...new Set([handle, found.part.handle])].flatMap((each) => threadSetters(each, blas.spelling));
  return {
    family,
    version: versionOf(handle, family, blas.spelling),
    path: candidate.path,
    lapackPath: found.path,
    integerBits: hasWideIntegers(blas) && hasWideIntegersInLapack(found.part) ? 64 : 32,
    setThreads(count) {
      for (const set of setters) set(count);
    },
    reentrant: isReentrant(handle, family, blas.spelling),
    routine(name, pointers, characters, result = 'void') {
      const home = /potr|syev|lacpy/.test(name) ? parts.lapack : parts.blas;
      return bind(home, name, result, pointers, characters);
    },
    address(data) {
      return Number(koffi.address(data));
    },
    adviseLargePages: largePageAdvice(koffi),
  };
}

function part(handle: Koffi.LibraryHandle, probe: string): Part | undefined {
  const spelling = spellings.find(({ prefix, suffix }) => has(handle, `${prefix}${probe}${suffix}`));
  return spelling && { handle, spelling };
}

function openLapack(koffi: typeof Koffi, paths: string[]): { part: Part; path: string } {
  for (const path of paths) {
    try {
      const found = part(koffi.load(path), 'dpotrf');
      if (found) return { part: found, path };
    } catch {
      // The next name may open.
    }
  }
  throw new Error(`it has no LAPACK (dpotrf), and none was found beside it (tried ${paths.join(', ')})`);
}

/**
 * Declares a Fortran routine. Compilers such as gfortran pass the length of every character argument by value at the
 * end; a callee may use that part of the stack as its own, so the lengths are always given.
 */
function bind({ handle, spelling }: Part, name: string, result: string, pointers: number, characters: number): Foreign {
  const types = [...Array(pointers).fill('void *'), ...Array(characters).fill('size_t')];
  return handle.func(`${spelling.prefix}${name}${spelling.suffix}`, result, types);
}

function has(handle: Koffi.LibraryHandle, symbol: string): boolean {
  return foreign(handle, symbol, 'void', []) !== undefined;
}

function foreign(handle: Koffi.LibraryHandle, symbol: string, result: string, types: string[]): Foreign | undefined {
  try {
    return handle.func(symbol, result, types);
  } catch {
    return undefined;
  }
}

function familyOf(handle: Koffi.LibraryHandle, spelling: Spelling, path: string): Family {
  if (has(handle, `${spelling.prefix}openblas_get_config${spelling.suffixOfC}`)) return 'OpenBLAS';
  if (has(handle, 'MKL_Get_Version_String')) return 'MKL';
  if (has(handle, 'bli_info_get_version_str')) return 'BLIS';
  return basename(path) === 'Accelerate' ? 'Accelerate' : 'BLAS';
}

function versionOf(handle: Koffi.LibraryHandle, family: Family, spelling: Spelling): string {
  if (family === 'OpenBLAS') {
    const config = foreign(handle, `${spelling.prefix}openblas_get_config${spelling.suffixOfC}`, 'str', []);
    return String(config?.()).trim();
  }
  if (family === 'MKL') {
    const text = new Uint8Array(200);
    foreign(handle, 'MKL_Get_Version_String', 'void', ['void *', 'int'])?.(text, text.length);
    return Buffer.from(text).toString('latin1').split('\0')[0].trim();
  }
  if (family === 'BLIS') return `BLIS ${foreign(handle, 'bli_info_get_version_str', 'str', [])?.()}`;
  return family;
}

/** OpenBLAS built without threads guards its buffers against other threads only when it was built with locks. */
function isReentrant(handle: Koffi.LibraryHandle, family: Family, spelling: Spelling): boolean {
  if (family !== 'OpenBLAS') return true;
  const parallel = foreign(handle, `${spelling.prefix}openblas_get_parallel${spelling.suffixOfC}`, 'int', []);
  return parallel === undefined || parallel() !== 0 || /USE_LOCKING/.test(versionOf(handle, family, spelling));
}

/** Every way to set threads that the library or what it depends on offers. */
function threadSetters(handle: Koffi.LibraryHandle, { prefix, suffixOfC }: Spelling): ((count: number) => void)[] {
  const openblas = foreign(handle, `${prefix}openblas_set_num_threads${suffixOfC}`, 'void', ['int']);
  const mkl = foreign(handle, 'MKL_Set_Num_Threads_Local', 'int', ['int']);
  const blis = foreign(handle, 'bli_thread_set_num_threads', 'void', ['int64_t']);
  // Accelerate only knows many (0) or one (1), from macOS 15 on.
  const accelerate = foreign(handle, 'BLASSetThreading', 'int', ['uint']);
  const plain = [openblas, mkl, blis].filter((set) => set !== undefined);
  return accelerate ? [...plain, (count) => accelerate(count === 1 ? 1 : 0)] : plain;
}

/** MKL ends the process when its threading layer cannot be loaded, so a layer that is there is chosen beforehand. */
function chooseMklThreading(koffi: typeof Koffi, handle: Koffi.LibraryHandle, path: string): void {
  if (process.env.MKL_THREADING_LAYER) return;
  const layers = [
    { layer: 0, names: ['libiomp5.so', 'libiomp5.dylib', 'libiomp5md.dll'] },
    { layer: 3, names: ['libgomp.so.1'] },
  ];
  const usable = layers.find(({ names }) =>
    names.some((name) => opens(koffi, name) || opens(koffi, join(dirname(path), name))),
  );
  foreign(handle, 'MKL_Set_Threading_Layer', 'int', ['int'])?.(usable?.layer ?? 1);
}

function opens(koffi: typeof Koffi, path: string): boolean {
  try {
    koffi.load(path, { global: true });
    return true;
  } catch {
    return false;
  }
}

/** Eight bytes that hold 2 when read as 32 bits and a negative number when read as 64. */
const twoOrNegative = new Int32Array([2, -1]);

/** ddot of two elements is theirs with 32-bit integers; of a negative number of elements it is 0. */
function hasWideIntegers(blas: Part): boolean {
  const ddot = bind(blas, 'ddot', 'double', 5, 0);
  const ones = new Float64Array([1, 1]);
  const one = new Int32Array([1, 0]);
  const dot = ddot(twoOrNegative, ones, one, ones, one);
  if (dot !== 2 && dot !== 0) throw new Error(`its ddot of (1, 1) with itself is ${dot}`);
  return dot === 0;
}

/** dlacpy copies the first column of two rows, or nothing. */
function hasWideIntegersInLapack(lapack: Part): boolean {
  const dlacpy = bind(lapack, 'dlacpy', 'void', 7, 1);
  const target = new Float64Array(2);
  const two = new Int32Array([2, 0]);
  const all = new Uint8Array([0x41]);
  dlacpy(all, twoOrNegative, new Int32Array([1, 0]), new Float64Array([1, 1]), two, target, two, 1);
  return target[0] === 0;
}
