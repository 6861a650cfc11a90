/** Finds a BLAS/LAPACK on this machine and makes a backend of it. */
import { availableParallelism } from 'node:os';
import { ArgumentError, BackendError } from '../../errors.js';
import { NativeBackend } from './backend.js';
import { candidates } from './candidates.js';
import { type Library, loadKoffi, openLibrary } from './library.js';
import { Pool } from './pool.js';
import { selfTest } from './selftest.js';

export type { Library } from './library.js';

export interface NativeOptions {
  /** Path or name of a BLAS/LAPACK; nothing else is tried then. @default BOWERBIRD_BLAS, else the usual places */
  library?: string;
  /** @default the number of cores */
  threads?: number;
}

/** One library that was looked at and why it was not taken. */
export interface Rejected {
  path: string;
  problem: string;
  /** True when it opened and had the routines but failed the self-test. */
  opened: boolean;
}

export interface Search {
  library: Library | undefined;
  rejected: Rejected[];
}

/**
 * A backend on the first BLAS/LAPACK that passes the self-test.
 * @throws BackendError listing what was tried
 */
export async function createNativeBackend(options: NativeOptions = {}): Promise<NativeBackend> {
  const threads = options.threads ?? availableParallelism();
  if (!Number.isSafeInteger(threads) || threads < 1)
    throw new ArgumentError(`threads is ${threads}; it must be a whole number of at least 1`);
  const { library, rejected } = await findLibrary(options.library);
  if (!library) throw nothingFound(options.library, rejected);
  library.setThreads(1);
  if (threads === 1 || !library.reentrant) return new NativeBackend(library, 1, undefined);
  return new NativeBackend(library, threads, await Pool.start(library, threads - 1));
}

/** The first library that opens, has the routines and computes rightly, and those that did not. */
export async function findLibrary(path?: string): Promise<Search> {
  const rejected: Rejected[] = [];
  const koffi = await loadKoffi().catch((error: unknown) => {
    rejected.push({ path: 'koffi', problem: firstLine(error), opened: false });
  });
  if (!koffi) return { library: undefined, rejected };
  for (const candidate of candidates(path)) {
    let library: Library | undefined;
    try {
      library = openLibrary(koffi, candidate);
      selfTest(new NativeBackend(library, 1, undefined));
      return { library, rejected };
    } catch (error) {
      rejected.push({ path: candidate.path, problem: firstLine(error), opened: library !== undefined });
    }
  }
  return { library: undefined, rejected };
}

function nothingFound(wished: string | undefined, rejected: Rejected[]): BackendError {
  const tried = rejected.map(({ path, problem }) => `  ${path}: ${problem}`).join('\n');
  const source = wished !== undefined ? 'the library given' : process.env.BOWERBIRD_BLAS ? 'BOWERBIRD_BLAS' : undefined;
  return new BackendError(
    source
      ? `${source} is no usable BLAS/LAPACK:\n${tried}`
      : `no BLAS/LAPACK was found; tried:\n${tried || '  nothing, because BOWERBIRD_BARE is set'}`,
    'Install one (for example "apt-get install libopenblas0"), or name a library with BOWERBIRD_BLAS=/path/to/libopenblas.so.',
  );
}

function firstLine(error: unknown): string {
  return String((error as Error)?.message ?? error).split('\n')[0];
}
