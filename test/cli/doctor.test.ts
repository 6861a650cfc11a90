import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import { nativeLibrary } from '../linalg/backends.js';

let out = '';
beforeEach(() => {
  out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
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
}

describe('bowerbird doctor', () => {
  it('measures every backend that is there', async () => {
    expect(await run(['doctor', '--json', '--seconds', '0.2'])).toBe(0);
    const found = JSON.parse(out) as Findings;
    expect(found.node).toBe(process.versions.node);
    expect(found.wasm.kernels).toContain(found.wasm.chosen);
    expect(found.native.found).toBe(nativeLibrary !== undefined);
    expect(found.native.path).toBe(nativeLibrary?.path);
    expect(found.backend).toMatch(nativeLibrary ? /^native: / : /^wasm: /);
    expect(found.failures).toEqual([]);
    const measured = new Set(found.speeds.map(({ backend }) => backend));
    expect([...measured]).toEqual(nativeLibrary ? ['wasm', 'native'] : ['wasm']);
    for (const { gigaflops } of found.speeds) expect(gigaflops).toBeGreaterThan(0.05);
  });

  it('says what was tried when no BLAS works, and how to get one', async () => {
    vi.stubEnv('BOWERBIRD_BLAS', '/nowhere/libblas.so');
    expect(await run(['doctor', '--seconds', '0'])).toBe(0);
    expect(out).toMatch(/^BLAS +none found\n +\/nowhere\/libblas\.so: /m);
    expect(out).toContain('libopenblas0');
    expect(out).toMatch(/wasm, 1 thread +\d+\.\d GFLOP\/s/);
  });
});
