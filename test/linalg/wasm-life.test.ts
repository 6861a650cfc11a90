import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { ArgumentError, BackendError } from '../../src/errors.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { createWasmBackend, wasmFeatures } from '../../src/linalg/wasm/index.js';

/** Runs a module in a process of its own; `createWasmBackend` is there. */
function runModule(body: string) {
  const source = `import { createWasmBackend } from ${JSON.stringify(artefact('linalg/wasm/index.js').href)};\n${body}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 30_000,
  });
}

const work = `
  const a = backend.matrix(300, 300).fill(1);
  const c = backend.matrix(300, 300);
  backend.gemm(c, a, a);
  console.log(c.at(299, 299));
`;

describe('threads of the WebAssembly backend', () => {
  it('do not keep the process alive', () => {
    const { stdout, stderr, status } = runModule(`const backend = await createWasmBackend({ threads: 3 });${work}`);
    expect({ stdout, stderr, status }).toEqual({ stdout: '300\n', stderr: '', status: 0 });
  });

  it('end when the backend is disposed of', () => {
    const { stdout, status } = runModule(`
      const threads = () => process.report.getReport().workers.length;
      const backend = await createWasmBackend({ threads: 3 });${work}
      console.log(threads());
      backend.dispose();
      await new Promise((done) => setTimeout(done, 500));
      console.log(threads());
    `);
    expect({ stdout, status }).toEqual({ stdout: '300\n2\n0\n', status: 0 });
  });

  it('work for a backend that itself lives in a thread', () => {
    const { stdout, stderr, status } = runModule(`
      import { Worker } from 'node:worker_threads';
      const url = ${JSON.stringify(artefact('linalg/wasm/index.js').href)};
      new Worker(\`(async () => {
        const { createWasmBackend } = await import('\${url}');
        const backend = await createWasmBackend({ threads: 2 });
        ${work}
        backend.dispose();
      })()\`, { eval: true });
    `);
    expect({ stdout, stderr, status }).toEqual({ stdout: '300\n', stderr: '', status: 0 });
  });

  it('are so many as was asked, and other numbers are refused', async () => {
    const backend = await createWasmBackend({ threads: 3 });
    expect(backend.threads).toBe(3);
    expect(backend.description).toMatch(/^WebAssembly, .*, tile \w+-\dx\d, 3 threads$/);
    backend.dispose();
    for (const threads of [0, -1, 1.5, 1000])
      await expect(createWasmBackend({ threads })).rejects.toThrow(`threads is ${threads}; it must be from 1 to 256`);
  });

  it('give right answers over many small and large operations in turn', async () => {
    const backend = await createWasmBackend({ threads: 3 });
    const a = backend.matrix(120, 120).fill(1);
    const c = backend.matrix(120, 120);
    const wrong: number[] = [];
    for (let round = 0; round < 400; round++) {
      const n = round % 3 === 0 ? 3 : 120;
      const [x, y] = [a.view(0, n, 0, n), c.view(0, n, 0, n)];
      backend.gemm(y, x, x, { alpha: round });
      if (y.at(n - 1, n - 1) !== n * round || y.at(0, 0) !== n * round) wrong.push(round);
    }
    expect(wrong).toEqual([]);
    backend.dispose();
  });
});

describe('a backend that was disposed of', () => {
  it('refuses to work, and can be disposed of again', async () => {
    const backend = await createWasmBackend({ threads: 2 });
    backend.dispose();
    backend.dispose();
    const a = Matrix.zeros(2, 2);
    expect(() => backend.matrix(2, 2)).toThrow(BackendError);
    expect(() => backend.gemm(Matrix.zeros(2, 2), a, a)).toThrow('gemm: this backend has been disposed of');
    expect(() => backend.eigh(new Float64Array(2), a)).toThrow('eigh: this backend has been disposed of');
  });
});

describe('the choice of a kernel', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('follows the option, then the environment, then the clock', async () => {
    const used = async (kernel?: string) => {
      const backend = await createWasmBackend({ threads: 1, kernel });
      backend.dispose();
      return /tile (\S+),/.exec(backend.description)![1];
    };
    const { kernels, relaxedSimd, simd } = wasmFeatures();
    expect(simd).toBe(true);
    expect(kernels).toContain('simd-3x3');
    expect(kernels.some((kernel) => kernel.startsWith('fma-'))).toBe(relaxedSimd);
    const fastest = await used();
    expect(fastest).toMatch(relaxedSimd ? /^fma-/ : /^simd-/);
    expect(await used()).toBe(fastest);
    vi.stubEnv('BOWERBIRD_WASM_KERNEL', 'simd-4x2');
    expect(await used()).toBe('simd-4x2');
    expect(await used('simd-5x2')).toBe('simd-5x2');
    expect(await used('simd')).toMatch(/^simd-/);
    await expect(createWasmBackend({ kernel: 'avx-8x8' })).rejects.toThrow(ArgumentError);
    await expect(createWasmBackend({ kernel: 'avx-8x8' })).rejects.toThrow(
      /^kernel is "avx-8x8"; this engine has .*simd, .*simd-3x3/,
    );
    vi.stubEnv('BOWERBIRD_WASM_KERNEL', 'quick');
    await expect(createWasmBackend()).rejects.toThrow(/^BOWERBIRD_WASM_KERNEL is "quick"/);
  });
});
