/** Where a BLAS is looked for, on every system, and how large pages are asked for. */
import { describe, expect, it, vi } from 'vitest';
import { candidates, type Surroundings } from '../../src/linalg/native/candidates.js';
import { largePageAdvice } from '../../src/linalg/native/pages.js';

const on = (platform: NodeJS.Platform, more: Partial<Surroundings> = {}): Surroundings => ({
  ...{ platform, arch: 'x64', env: {}, exists: () => false },
  ...more,
});
const pathsOn = (...given: Parameters<typeof on>) => candidates(undefined, on(...given)).map(({ path }) => path);

describe('a library that was wished for', () => {
  it('is the only candidate, with its LAPACK beside it, and it is known who wished', () => {
    const env = { BOWERBIRD_BLAS: '/theirs.so' };
    expect(candidates('/mine.so', on('linux', { env }))).toEqual([
      { path: '/mine.so', lapack: ['liblapack.so.3', 'liblapack.so'], wish: 'option' },
    ]);
    expect(candidates(undefined, on('linux', { env }))).toMatchObject([{ path: '/theirs.so', wish: 'BOWERBIRD_BLAS' }]);
    const [first] = candidates(undefined, on('linux', { env: { BOWERBIRD_BLAS: '' } }));
    expect(first.wish).toBeUndefined();
  });

  it('is there though all others are hidden', () => {
    const env = { BOWERBIRD_BARE: '1' };
    expect(candidates(undefined, on('linux', { env }))).toEqual([]);
    expect(candidates('/mine.so', on('linux', { env }))).toHaveLength(1);
  });
});

describe('libraries of a system', () => {
  it('are OpenBLAS, MKL, BLIS and the default on Linux, by the name that the system knows', () => {
    expect(pathsOn('linux')).toEqual([
      ...['libopenblas.so.0', 'libopenblasp.so.0', 'libopenblas.so', 'libopenblas64_.so.0', 'libopenblas64.so.0'],
      ...['libmkl_rt.so.2', 'libmkl_rt.so.1', 'libmkl_rt.so'],
      ...['libblis.so.4', 'libblis-mt.so.4', 'libblis.so.3', 'libblis.so', 'libblas.so.3'],
    ]);
  });

  it('come with Accelerate on a Mac, and have their own names on Windows', () => {
    const accelerate = '/System/Library/Frameworks/Accelerate.framework/Accelerate';
    expect(pathsOn('darwin')).toEqual([
      ...['libopenblas.0.dylib', 'libopenblas.dylib', 'libmkl_rt.2.dylib', 'libmkl_rt.dylib', 'libblis.4.dylib'],
      ...['libblis.dylib', accelerate],
    ]);
    expect(candidates(undefined, on('darwin'))[0].lapack).toEqual(['liblapack.3.dylib', 'liblapack.dylib', accelerate]);
    expect(pathsOn('win32')).toEqual([
      ...['libopenblas.dll', 'openblas.dll', 'mkl_rt.2.dll', 'mkl_rt.1.dll', 'mkl_rt.dll', 'libblis.dll'],
    ]);
    expect(candidates(undefined, on('win32'))[0].lapack).toEqual(['liblapack.dll', 'lapack.dll']);
  });

  /** Every folder that is looked into, in order. */
  function foldersOn(platform: NodeJS.Platform, env: Surroundings['env'], name: string, arch = 'x64'): string[] {
    const found: string[] = [];
    const exists = (path: string) => {
      if (path.endsWith(`/${name}`)) found.push(path.slice(0, -name.length - 1));
      return false;
    };
    candidates(undefined, { platform, arch, env, exists });
    return found;
  }

  it('are looked for where the user, conda and the distribution keep them', () => {
    const env = { LD_LIBRARY_PATH: '/a::/b', CONDA_PREFIX: '/conda', MKLROOT: '/mkl' };
    expect(foldersOn('linux', env, 'libblas.so.3')).toEqual([
      ...['/a', '/b', '/conda/lib', '/mkl/lib', '/mkl/lib/intel64', '/usr/lib/x86_64-linux-gnu'],
      ...['/usr/lib/x86_64-linux-gnu/openblas-pthread', '/usr/lib/x86_64-linux-gnu/openblas-openmp'],
      ...['/usr/lib/x86_64-linux-gnu/openblas64-pthread', '/usr/lib64', '/usr/lib', '/usr/local/lib64'],
      ...['/usr/local/lib', '/opt/OpenBLAS/lib', '/opt/intel/oneapi/mkl/latest/lib'],
      ...['/opt/intel/oneapi/mkl/latest/lib/intel64', '/opt/intel/mkl/lib/intel64'],
    ]);
    expect(foldersOn('linux', {}, 'libblas.so.3', 'arm64')[0]).toBe('/usr/lib/aarch64-linux-gnu');
    expect(foldersOn('linux', {}, 'libblas.so.3', 'ppc64')[0]).toBe('/usr/lib/powerpc64le-linux-gnu');
    expect(foldersOn('linux', {}, 'libblas.so.3', 'riscv64')[0]).toBe('/usr/lib64');
    expect(foldersOn('darwin', { DYLD_LIBRARY_PATH: '/a', MKLROOT: '/mkl' }, 'libblis.dylib')).toEqual([
      ...['/a', '/mkl/lib', '/opt/homebrew/opt/openblas/lib', '/usr/local/opt/openblas/lib', '/opt/local/lib'],
      ...[
        '/opt/intel/mkl/lib',
        '/opt/homebrew/opt/blis/lib',
        '/usr/local/opt/blis/lib',
        '/opt/homebrew/opt/lapack/lib',
      ],
    ]);
    const windows = { PATH: '/a;;/b', CONDA_PREFIX: '/conda', MKLROOT: '/mkl' };
    expect(foldersOn('win32', windows, 'libblis.dll')).toEqual([
      ...['/a', '/b', '/conda/Library/bin', '/mkl/bin', '/mkl/redist/intel64'],
    ]);
    expect(foldersOn('win32', { Path: '/c' }, 'libblis.dll')).toEqual(['/c']);
  });

  it('that are files come before the bare name', () => {
    const exists = (path: string) => path === '/usr/lib/libopenblas.so' || path === '/usr/lib/liblapack.so';
    const found = candidates(undefined, on('linux', { exists }));
    expect(found.slice(2, 4).map(({ path }) => path)).toEqual(['/usr/lib/libopenblas.so', 'libopenblas.so']);
    expect(found[0].lapack).toEqual(['liblapack.so.3', '/usr/lib/liblapack.so', 'liblapack.so']);
  });
});

describe.skipIf(process.platform !== 'linux')('large pages', () => {
  it('are asked for whole pages within a large array, and for none of a small one', () => {
    const asked = vi.fn();
    const koffi = { load: () => ({ func: () => asked }), address: () => 4097n } as never;
    const advise = largePageAdvice(koffi);
    advise(new Float64Array(2 ** 19 - 1));
    expect(asked).not.toHaveBeenCalled();
    advise(new Float64Array(2 ** 19));
    // From the next page on, the last part of one left out.
    expect(asked).toHaveBeenCalledWith(8192, 2 ** 22 - 4096, 14);
  });

  it('are done without where the system has none', () => {
    const koffi = {
      load: () => {
        throw new Error('none');
      },
    } as never;
    expect(() => largePageAdvice(koffi)(new Float64Array(2 ** 19))).not.toThrow();
  });
});
