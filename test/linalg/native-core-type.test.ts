import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coreTypeOf } from '../../src/linalg/native/core-type.js';
import { findLibrary } from '../../src/linalg/native/index.js';

const described = (flags: string) =>
  `processor\t: 0\nmodel name\t: whatever\nflags\t\t: fpu sse2 ${flags}\nbugs\t\t:\n`;

const before = process.env.OPENBLAS_CORETYPE;
const library = (await findLibrary()).library;
const wanted = process.platform === 'linux' ? coreTypeOf(readFileSync('/proc/cpuinfo', 'utf8')) : undefined;

describe('the kernels that OpenBLAS is told to use', () => {
  it('are the best that the processor can run, whatever its model', () => {
    expect(coreTypeOf(described('fma avx2 avx512f avx512dq avx512bw avx512vl'))).toBe('SkylakeX');
    expect(coreTypeOf(described('fma avx2 avx512f'))).toBe('Haswell');
    expect(coreTypeOf(described('avx2'))).toBeUndefined();
    expect(coreTypeOf('processor : 0\nFeatures : fp asimd')).toBeUndefined();
  });

  it.skipIf(!wanted || library?.family !== 'OpenBLAS' || !/DYNAMIC_ARCH/.test(library.version))(
    'are those it then names, and the variable does not stay behind',
    () => {
      expect(library!.version).toContain(before ?? wanted!);
      expect(process.env.OPENBLAS_CORETYPE).toBe(before);
    },
  );
});
