/**
 * Tells OpenBLAS which kernels a processor can run. It chooses them by the processor's model, and takes one that is newer
 * than itself for one of 2004, whose kernels are four times as slow; what the processor says it can do does not age.
 */
import { readFileSync } from 'node:fs';
import type * as Koffi from 'koffi';

const variable = 'OPENBLAS_CORETYPE';
/** Kernels and the abilities they need, best first. */
const coreTypes: readonly [name: string, needed: readonly string[]][] = [
  ['SkylakeX', ['avx512f', 'avx512dq', 'avx512bw', 'avx512vl', 'fma']],
  ['Haswell', ['avx2', 'fma']],
];

/** The name of the best kernels for a processor of x86 as /proc/cpuinfo describes it; undefined where it says nothing. */
export function coreTypeOf(description: string): string | undefined {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(description)?.[1].split(/\s+/));
  return coreTypes.find(([, needed]) => needed.every((flag) => flags.has(flag)))?.[0];
}

/**
 * Runs `open` with the variable set that OpenBLAS reads when it is loaded, unless the user has set it. Other libraries, and
 * processes started later, do not see it. By the C library: `process.env` of a worker thread is a copy.
 */
export function withCoreType<T>(koffi: typeof Koffi, open: () => T): T {
  const name = process.env[variable] ? undefined : ownCoreType();
  if (!name) return open();
  const system = koffi.load(null);
  const set = system.func('setenv', 'int', ['str', 'str', 'int']);
  set(variable, name, 1);
  try {
    return open();
  } finally {
    system.func('unsetenv', 'int', ['str'])(variable);
  }
}

function ownCoreType(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  try {
    return coreTypeOf(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return undefined;
  }
}
