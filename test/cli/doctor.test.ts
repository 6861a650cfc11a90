import { afterEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import { nativeLibrary } from '../linalg/backends.js';
import { gpu } from '../linalg/gpu.js';
import { catchOutput } from './output.js';

const printed = catchOutput();
afterEach(() => {
  vi.unstubAllEnvs();
});

interface Findings {
  node: string;
  cores: number;
  memory: { totalBytes: number };
  wasm: { simd: boolean; kernels: string[]; chosen: string };
  native: { found: boolean; path?: string; tried?: { path: string; problem: string }[] };
  gpu: { found: boolean };
  backend: string;
  speeds: { backend: string; threads: number; gigaflops: number }[];
  failures: unknown[];
  vision: { kind: string; version: string; gigaflops: number; note?: string };
}

describe('bowerbird doctor', () => {
  it('measures every backend that is there', async () => {
    expect(await run(['doctor', '--json', '--seconds', '0.2'])).toBe(0);
    const found = JSON.parse(printed.out) as Findings;
    expect(found.node).toBe(process.versions.node);
    expect(found.wasm.kernels).toContain(found.wasm.chosen);
    expect(found.native.found).toBe(nativeLibrary !== undefined);
    expect(found.native.path).toBe(nativeLibrary?.path);
    expect(found.backend).toMatch(nativeLibrary ? /^native: / : /^wasm: /);
    expect(found.failures).toEqual([]);
    const measured = new Set(found.speeds.map(({ backend }) => backend));
    expect([...measured]).toEqual(['wasm', ...(nativeLibrary ? ['native'] : []), ...(gpu ? ['cuda'] : [])]);
    expect(found.gpu.found).toBe(gpu !== undefined);
    expect(found.vision.kind).toBe('native');
    expect(found.vision.note).toBeUndefined();
    for (const { gigaflops } of [...found.speeds, found.vision]) expect(gigaflops).toBeGreaterThan(0.05);
  });

  it('says what was tried when no BLAS works, and how to get one', async () => {
    vi.stubEnv('BOWERBIRD_BLAS', '/nowhere/libblas.so');
    expect(await run(['doctor', '--seconds', '0'])).toBe(0);
    expect(printed.out).toMatch(/^BLAS +none found\n +\/nowhere\/libblas\.so: /m);
    expect(printed.out).toContain('libopenblas0');
    expect(printed.out).toMatch(/wasm, 1 thread +\d+\.\d GFLOP\/s/);
  });
});
