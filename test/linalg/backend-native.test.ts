import { afterEach, describe, expect, it, vi } from 'vitest';
import { ArgumentError, BackendError } from '../../src/errors.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { candidates, type Surroundings } from '../../src/linalg/native/candidates.js';
import { createNativeBackend, findLibrary } from '../../src/linalg/native/index.js';
import { nativeLibrary } from './backends.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

function machine(platform: NodeJS.Platform, files: string[], env: Record<string, string> = {}): Surroundings {
  return { platform, arch: 'x64', env, exists: (path) => files.includes(path.replaceAll('\\', '/')) };
}

describe('the search for a BLAS', () => {
  it('prefers OpenBLAS to MKL, MKL to BLIS and BLIS to whatever the system calls its BLAS', () => {
    const paths = candidates(undefined, machine('linux', [])).map(({ path }) => path);
    const places = ['libopenblas.so.0', 'libmkl_rt.so.2', 'libblis.so.4', 'libblas.so.3'].map((name) =>
      paths.indexOf(name),
    );
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('names files that are there by their full path, before the bare name', () => {
    const debian = '/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0';
    const paths = candidates(undefined, machine('linux', [debian])).map(({ path }) => path);
    expect(paths.slice(0, 2)).toEqual([debian, 'libopenblas.so.0']);
  });

  it('looks first where the loader is told to look', () => {
    const files = ['/usr/lib/libopenblas.so.0', '/mine/libopenblas.so.0'];
    const env = { LD_LIBRARY_PATH: '/nowhere:/mine' };
    expect(candidates(undefined, machine('linux', files, env))[0].path).toBe('/mine/libopenblas.so.0');
  });

  it('offers a LAPACK beside every candidate, for a BLAS that has none', () => {
    const lapack = '/usr/lib/x86_64-linux-gnu/liblapack.so.3';
    for (const candidate of candidates(undefined, machine('linux', [lapack]))) expect(candidate.lapack[0]).toBe(lapack);
  });

  it('ends with Accelerate on a Mac', () => {
    const paths = candidates(undefined, machine('darwin', [])).map(({ path }) => path);
    expect(paths.at(-1)).toBe('/System/Library/Frameworks/Accelerate.framework/Accelerate');
  });

  it('knows the names on Windows', () => {
    const paths = candidates(undefined, machine('win32', [])).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['libopenblas.dll', 'mkl_rt.2.dll']));
  });

  it('finds nothing that was not asked for where BOWERBIRD_BARE hides it', () => {
    const files = ['/usr/lib/libopenblas.so.0'];
    expect(candidates(undefined, machine('linux', files, { BOWERBIRD_BARE: '1' }))).toEqual([]);
    const named = { BOWERBIRD_BARE: '1', BOWERBIRD_BLAS: '/env/libblas.so' };
    expect(candidates(undefined, machine('linux', files, named))).toHaveLength(1);
  });

  it('tries only what was asked for: the option, else BOWERBIRD_BLAS', () => {
    const env = { BOWERBIRD_BLAS: '/env/libblas.so' };
    expect(candidates('/option/libblas.so', machine('linux', [], env)).map(({ path }) => path)).toEqual([
      '/option/libblas.so',
    ]);
    expect(candidates(undefined, machine('linux', [], env)).map(({ path }) => path)).toEqual(['/env/libblas.so']);
  });
});

describe('the libraries of this machine', () => {
  // Otherwise a defect of ours would look like a machine without a BLAS, and every native test would be skipped.
  it('compute rightly if they open at all', async () => {
    const { rejected } = await findLibrary();
    expect(rejected.filter(({ opened }) => opened)).toEqual([]);
  });
});

describe('a library that cannot be used', () => {
  it('is reported with its path and what to do when it was given', async () => {
    const error = await createNativeBackend({ library: '/nowhere/libblas.so' }).catch((e) => e);
    expect(error).toBeInstanceOf(BackendError);
    expect(error.message).toMatch(/^the library given is no usable BLAS\/LAPACK:\n {2}\/nowhere\/libblas\.so: ./);
    expect(error.hint).toContain('BOWERBIRD_BLAS=');
  });

  it('is reported as coming from BOWERBIRD_BLAS when it did', async () => {
    vi.stubEnv('BOWERBIRD_BLAS', '/nowhere/libblas.so');
    await expect(createNativeBackend()).rejects.toThrow(
      'BOWERBIRD_BLAS is no usable BLAS/LAPACK:\n  /nowhere/libblas.so',
    );
  });

  it('is reported when it opens but is no BLAS', async () => {
    const { library, rejected } = await findLibrary(process.platform === 'linux' ? 'libc.so.6' : process.execPath);
    expect(library).toBeUndefined();
    expect(rejected).toHaveLength(1);
    expect(rejected[0].problem).not.toBe('');
  });

  it('refuses a number of threads that is not one', async () => {
    await expect(createNativeBackend({ threads: 0 })).rejects.toThrow(ArgumentError);
    await expect(createNativeBackend({ threads: 1.5 })).rejects.toThrow('threads is 1.5');
  });
});

describe.skipIf(!nativeLibrary)('the native backend (needs a BLAS/LAPACK)', () => {
  it('describes library, path, width of integers and threads in one line', async () => {
    const backend = await createNativeBackend({ threads: 1 });
    expect(backend.description).toContain(nativeLibrary?.path);
    expect(backend.description).toMatch(/(32|64)-bit integers, 1 thread$/);
    expect(backend.description).not.toContain('\n');
    backend.dispose();
  });

  it('refuses sizes that the integers of the library cannot hold', async () => {
    const backend = await createNativeBackend({ threads: 1 });
    const wide = new Matrix(new Float64Array(1), 1, 1, 2 ** 31);
    const one = Matrix.zeros(1, 1);
    const multiply = () => backend.gemm(one, wide, one.copy());
    if (nativeLibrary?.integerBits === 32)
      expect(multiply).toThrow('gemm: a size of 2147483648 is beyond the 32-bit integers');
    else expect(multiply).not.toThrow();
    backend.dispose();
  });

  it('opens the library again by its own path', async () => {
    const { library, rejected } = await findLibrary(nativeLibrary?.path);
    expect(library?.version).toBe(nativeLibrary?.version);
    expect(rejected).toEqual([]);
  });
});
