/**
 * Where a BLAS/LAPACK may lie, in the order tried: the library named by the caller, the one named by BOWERBIRD_BLAS,
 * OpenBLAS, MKL, BLIS (with a LAPACK beside it), the system's default BLAS, Accelerate. BOWERBIRD_BARE hides all that are not
 * named.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export interface Candidate {
  /** A path, or a bare name for the system's own search. */
  path: string;
  /** Libraries that may hold LAPACK when `path` holds only BLAS. */
  lapack: string[];
  /** Who asked for it: an explicit wish is not replaced by something else when it fails. */
  wish: 'option' | 'BOWERBIRD_BLAS' | undefined;
}

export interface Surroundings {
  platform: NodeJS.Platform;
  arch: string;
  env: Record<string, string | undefined>;
  exists(path: string): boolean;
}

const here: Surroundings = { platform: process.platform, arch: process.arch, env: process.env, exists: existsSync };

interface Names {
  libraries: string[];
  lapack: string[];
  folders: string[];
}

/** The libraries worth opening, most wanted first. Files that are known to be absent are left out. */
export function candidates(library?: string, surroundings: Surroundings = here): Candidate[] {
  const names = namesOn(surroundings);
  const lapack = places(names.lapack, names.folders, surroundings);
  const wished = library ?? (surroundings.env.BOWERBIRD_BLAS || undefined);
  if (wished !== undefined)
    return [{ path: wished, lapack, wish: library === undefined ? 'BOWERBIRD_BLAS' : 'option' }];
  if (surroundings.env.BOWERBIRD_BARE) return [];
  return places(names.libraries, names.folders, surroundings).map((path) => ({ path, lapack, wish: undefined }));
}

/** For each name the existing files of that name, then the bare name, so that the system's own search has its say. */
function places(libraries: string[], folders: string[], { exists }: Surroundings): string[] {
  return libraries.flatMap((name) =>
    isAbsolute(name) ? [name] : [...folders.map((folder) => join(folder, name)).filter(exists), name],
  );
}

function namesOn(surroundings: Surroundings): Names {
  if (surroundings.platform === 'darwin') return onMac(surroundings);
  if (surroundings.platform === 'win32') return onWindows(surroundings);
  return onUnix(surroundings);
}

function onUnix({ arch, env }: Surroundings): Names {
  const triplet = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu', ppc64: 'powerpc64le-linux-gnu' }[arch];
  const multiarch = triplet ? [`/usr/lib/${triplet}`] : [];
  return {
    libraries: [
      ...['libopenblas.so.0', 'libopenblasp.so.0', 'libopenblas.so', 'libopenblas64_.so.0', 'libopenblas64.so.0'],
      ...['libmkl_rt.so.2', 'libmkl_rt.so.1', 'libmkl_rt.so'],
      ...['libblis.so.4', 'libblis-mt.so.4', 'libblis.so.3', 'libblis.so'],
      'libblas.so.3',
    ],
    lapack: ['liblapack.so.3', 'liblapack.so'],
    folders: [
      ...split(env.LD_LIBRARY_PATH, ':'),
      ...inside(env.CONDA_PREFIX, 'lib'),
      ...inside(env.MKLROOT, 'lib', 'lib/intel64'),
      ...multiarch.flatMap((folder) => [folder, `${folder}/openblas-pthread`, `${folder}/openblas-openmp`]),
      ...multiarch.map((folder) => `${folder}/openblas64-pthread`),
      ...['/usr/lib64', '/usr/lib', '/usr/local/lib64', '/usr/local/lib', '/opt/OpenBLAS/lib'],
      ...['/opt/intel/oneapi/mkl/latest/lib', '/opt/intel/oneapi/mkl/latest/lib/intel64', '/opt/intel/mkl/lib/intel64'],
    ],
  };
}

function onMac({ env }: Surroundings): Names {
  return {
    libraries: [
      ...['libopenblas.0.dylib', 'libopenblas.dylib', 'libmkl_rt.2.dylib', 'libmkl_rt.dylib', 'libblis.4.dylib'],
      ...['libblis.dylib', '/System/Library/Frameworks/Accelerate.framework/Accelerate'],
    ],
    lapack: ['liblapack.3.dylib', 'liblapack.dylib', '/System/Library/Frameworks/Accelerate.framework/Accelerate'],
    folders: [
      ...split(env.DYLD_LIBRARY_PATH, ':'),
      ...inside(env.CONDA_PREFIX, 'lib'),
      ...inside(env.MKLROOT, 'lib'),
      ...['/opt/homebrew/opt/openblas/lib', '/usr/local/opt/openblas/lib', '/opt/local/lib', '/opt/intel/mkl/lib'],
      ...['/opt/homebrew/opt/blis/lib', '/usr/local/opt/blis/lib', '/opt/homebrew/opt/lapack/lib'],
    ],
  };
}

function onWindows({ env }: Surroundings): Names {
  return {
    libraries: ['libopenblas.dll', 'openblas.dll', 'mkl_rt.2.dll', 'mkl_rt.1.dll', 'mkl_rt.dll', 'libblis.dll'],
    lapack: ['liblapack.dll', 'lapack.dll'],
    folders: [
      ...split(env.PATH ?? env.Path, ';'),
      ...inside(env.CONDA_PREFIX, 'Library/bin'),
      ...inside(env.MKLROOT, 'bin', 'redist/intel64'),
    ],
  };
}

function split(list: string | undefined, separator: string): string[] {
  return (list ?? '').split(separator).filter((folder) => folder !== '');
}

function inside(root: string | undefined, ...folders: string[]): string[] {
  return root ? folders.map((folder) => join(root, folder)) : [];
}
