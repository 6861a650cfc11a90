// How libraries of every maker are told apart and called, by libraries that exist only here: most machines have one of them.
import type * as Koffi from 'koffi';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openLibrary } from '../../src/linalg/native/library.js';

type Symbols = Record<string, (...values: never[]) => unknown>;

/** A foreign-function interface to the libraries given by path; it notes every call by its symbol. */
function withLibraries(libraries: Record<string, Symbols>) {
  const called: [symbol: string, ...values: unknown[]][] = [];
  const load = (path: string | null) => {
    if (path === null) return { func: () => () => 0 };
    const symbols = libraries[path];
    if (!symbols) throw new Error(`${path}: cannot open shared object file`);
    return {
      func(symbol: string) {
        if (!symbols[symbol]) throw new Error(`Cannot find function '${symbol}'`);
        return (...values: never[]) => {
          called.push([symbol, ...values]);
          return symbols[symbol](...values);
        };
      },
    };
  };
  return { koffi: { load } as unknown as typeof Koffi, called };
}

/** The routines that are asked for when a library is opened, spelt in its way, with integers of 32 or 64 bits. */
function routines(
  bits: 32 | 64,
  spelt: (name: string) => string = (name) => `${name}_`,
): { blas: Symbols; lapack: Symbols } {
  const integer = (slot: Int32Array) => (bits === 32 ? slot[0] : Number(new BigInt64Array(slot.buffer)[0]));
  const ddot = (n: Int32Array, x: Float64Array, _: unknown, y: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < integer(n); i++) sum += x[i] * y[i];
    return sum;
  };
  const dlacpy = (_: unknown, rows: Int32Array, __: unknown, from: Float64Array, ___: unknown, to: Float64Array) => {
    for (let i = 0; i < integer(rows); i++) to[i] = from[i];
  };
  return {
    blas: { [spelt('dgemm')]: () => 'product', [spelt('ddot')]: ddot as Symbols[string] },
    lapack: { [spelt('dpotrf')]: () => 'factor', [spelt('dlacpy')]: dlacpy as Symbols[string] },
  };
}

const whole = (bits: 32 | 64, spelt?: (name: string) => string) => {
  const { blas, lapack } = routines(bits, spelt);
  return { ...blas, ...lapack };
};

function open(symbols: Symbols, path = '/lib/blas.so', others: Record<string, Symbols> = {}, lapack: string[] = []) {
  const { koffi, called } = withLibraries({ [path]: symbols, ...others });
  return { library: openLibrary(koffi, { path, lapack, wish: undefined }), called };
}

const text = (words: string) => (target: Uint8Array) => void target.set(Buffer.from(`${words}\0`));

afterEach(() => vi.unstubAllEnvs());

describe('a library that was opened', () => {
  it.each([
    ['as Fortran compilers do', (name: string) => `${name}_`],
    ['with a mark of wide integers', (name: string) => `${name}_64_`],
    ['with a shorter mark', (name: string) => `${name}64_`],
    ['with the prefix of scipy', (name: string) => `scipy_${name}_`],
    ['with prefix and mark', (name: string) => `scipy_${name}_64_`],
    ['as Accelerate does', (name: string) => `${name}$NEWLAPACK`],
    ['as Accelerate does with wide integers', (name: string) => `${name}$NEWLAPACK$ILP64`],
    ['plainly', (name: string) => name],
  ])('is called by its routines spelt %s', (_, spelt) => {
    const { library } = open(whole(32, spelt));
    expect(library.routine('dgemm', 13, 2)()).toBe('product');
    expect(library.routine('dpotrf', 5, 1)()).toBe('factor');
  });

  it('is called by the newer routines of Accelerate where it has both', () => {
    const older = Object.fromEntries(Object.keys(whole(32)).map((name) => [name, () => 'older']));
    const { library } = open({ ...older, ...whole(64, (name) => `${name}$NEWLAPACK$ILP64`) });
    expect(library.routine('dgemm', 13, 2)()).toBe('product');
    expect(library.integerBits).toBe(64);
  });

  it.each([32, 64] as const)('has integers of %s bits when it reads them so', (bits) => {
    expect(open(whole(bits)).library.integerBits).toBe(bits);
  });

  it('has the narrower integers when BLAS and LAPACK differ', () => {
    const libraries = (of: 32 | 64, beside: 32 | 64) =>
      open(routines(of).blas, '/lib/blas.so', { '/lib/lapack.so': routines(beside).lapack }, ['/lib/lapack.so'])
        .library;
    expect(libraries(64, 32).integerBits).toBe(32);
    expect(libraries(32, 64).integerBits).toBe(32);
    expect(libraries(64, 64).integerBits).toBe(64);
  });

  it('takes LAPACK from the first library beside it that has one', () => {
    const beside = { '/lib/empty.so': {}, '/lib/lapack.so': routines(32).lapack };
    const names = ['/lib/absent.so', '/lib/empty.so', '/lib/lapack.so'];
    const { library } = open(routines(32).blas, '/lib/blas.so', beside, names);
    expect(library.lapackPath).toBe('/lib/lapack.so');
    expect(library.routine('dpotrf', 5, 1)()).toBe('factor');
    expect(open(whole(32), '/lib/blas.so', beside, names).library.lapackPath).toBeUndefined();
  });
});

describe('a library that is no BLAS and LAPACK', () => {
  it.each([
    ['has no dgemm', 'it has no dgemm', routines(32).lapack],
    ['has no LAPACK', 'none was found beside it (tried /lib/lapack.so)', routines(32).blas],
    ['computes wrongly', 'its ddot of (1, 1) with itself is 3', { ...whole(32), ddot_: () => 3 }],
  ])('is refused when it %s', (_, message, symbols) => {
    expect(() => open(symbols, '/lib/blas.so', {}, ['/lib/lapack.so'])).toThrow(message);
  });
});

describe('what a library says of itself', () => {
  it.each([
    ['OpenBLAS', 'OpenBLAS 0.3.30', { openblas_get_config: () => ' OpenBLAS 0.3.30 ' }],
    ['MKL', 'oneMKL 2025.1', { MKL_Get_Version_String: text('oneMKL 2025.1  ') }],
    ['BLIS', 'BLIS 1.0', { bli_info_get_version_str: () => '1.0' }],
    ['BLAS', 'BLAS', {}],
  ])('is its version: %s', (family, version, own) => {
    expect(open({ ...whole(32), ...own }).library).toMatchObject({ family, version });
  });

  it('is asked under the names that go with its spelling', () => {
    const own = { scipy_openblas_get_config64_: () => 'OpenBLAS 0.3.29 USE64BITINT' };
    const { library } = open({ ...whole(64, (name) => `scipy_${name}_64_`), ...own });
    expect(library).toMatchObject({ family: 'OpenBLAS', version: 'OpenBLAS 0.3.29 USE64BITINT', integerBits: 64 });
  });

  it('is nothing with Accelerate, which is known by its path', () => {
    const path = '/System/Library/Frameworks/Accelerate.framework/Accelerate';
    expect(open(whole(32), path).library).toMatchObject({ family: 'Accelerate', version: 'Accelerate', path });
  });

  it.each([
    ['has threads', { openblas_get_parallel: () => 1 }, 'OpenBLAS', true],
    ['has no threads', { openblas_get_parallel: () => 0 }, 'OpenBLAS', false],
    ['has no threads, but locks', { openblas_get_parallel: () => 0 }, 'OpenBLAS USE_LOCKING', true],
    ['does not say', {}, 'OpenBLAS', true],
  ])('decides whether several threads may call it: OpenBLAS that %s', (_, own, config, reentrant) => {
    expect(open({ ...whole(32), openblas_get_config: () => config, ...own }).library.reentrant).toBe(reentrant);
  });
});

describe('threads of a library', () => {
  it.each(['openblas_set_num_threads', 'MKL_Set_Num_Threads_Local', 'bli_thread_set_num_threads'])(
    'are set by %s',
    (symbol) => {
      const { library, called } = open({ ...whole(32), [symbol]: () => 0 });
      library.setThreads(3);
      expect(called.at(-1)).toEqual([symbol, 3]);
    },
  );

  it('are one or many with Accelerate', () => {
    const { library, called } = open({ ...whole(32), BLASSetThreading: () => 0 });
    library.setThreads(1);
    library.setThreads(4);
    expect(called.slice(-2)).toEqual([
      ['BLASSetThreading', 1],
      ['BLASSetThreading', 0],
    ]);
  });

  it('are set in the LAPACK beside it as well', () => {
    const beside = { '/lib/lapack.so': { ...routines(32).lapack, openblas_set_num_threads: () => 0 } };
    const { library, called } = open(routines(32).blas, '/lib/blas.so', beside, ['/lib/lapack.so']);
    library.setThreads(2);
    expect(called.at(-1)).toEqual(['openblas_set_num_threads', 2]);
  });

  it.each([
    ['of Intel', { 'libiomp5.so': {}, 'libgomp.so.1': {} }, 0],
    ['of Intel beside MKL', { '/lib/libiomp5.so': {} }, 0],
    ['of GNU', { 'libgomp.so.1': {} }, 3],
    ['of none, one at a time', {}, 1],
  ])('of MKL come from the runtime that is there: %s', (_, others, layer) => {
    vi.stubEnv('MKL_THREADING_LAYER', '');
    const own = { MKL_Get_Version_String: text('oneMKL'), MKL_Set_Threading_Layer: () => 0 };
    const { called } = open({ ...whole(32), ...own }, '/lib/blas.so', others);
    expect(called).toContainEqual(['MKL_Set_Threading_Layer', layer]);
  });

  it('of MKL are left to the user who chose', () => {
    vi.stubEnv('MKL_THREADING_LAYER', 'TBB');
    const own = { MKL_Get_Version_String: text('oneMKL'), MKL_Set_Threading_Layer: () => 0 };
    expect(open({ ...whole(32), ...own }).called.map(([symbol]) => symbol)).not.toContain('MKL_Set_Threading_Layer');
  });
});
