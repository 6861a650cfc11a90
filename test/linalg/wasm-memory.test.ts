import { freemem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { MemoryError } from '../../src/errors.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { createWasmBackend } from '../../src/linalg/wasm/index.js';
import { SharedStorage } from '../../src/linalg/wasm/memory.js';
import fc from '../property.js';

const heap = 2 ** 20;
const gib = 2 ** 30;

describe('the allocator of the shared memory', () => {
  it('gives out aligned, zeroed ranges that never meet, and uses again what was given back', () => {
    const step = fc.oneof(
      fc.record({ allocate: fc.integer({ min: 0, max: 5000 }) }),
      fc.record({ free: fc.nat({ max: 1000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const storage = new SharedStorage(heap);
        const held: { pointer: number; bytes: number }[] = [];
        let most = 0;
        for (const next of steps) {
          if ('allocate' in next) {
            const pointer = storage.allocate(next.allocate, true)!;
            expect(pointer % 64).toBe(0);
            expect(pointer).toBeGreaterThanOrEqual(heap);
            const contents = new Uint8Array(storage.buffer, pointer, next.allocate);
            expect(contents.every((byte) => byte === 0)).toBe(true);
            contents.fill(255);
            for (const other of held)
              expect(pointer + next.allocate <= other.pointer || other.pointer + other.bytes <= pointer).toBe(true);
            held.push({ pointer, bytes: next.allocate });
            most = Math.max(most, pointer + next.allocate);
          } else if (held.length > 0) {
            const [{ pointer }] = held.splice(next.free % held.length, 1);
            expect(storage.free(pointer)).toBe(true);
            expect(storage.free(pointer)).toBe(false);
          }
        }
        for (const { pointer } of held) storage.free(pointer);
        // All neighbours were joined: the whole heap is one range again.
        if (most > heap) expect(storage.allocate(most - heap)).toBe(heap);
        expect(storage.usedBytes).toBe(most > heap ? Math.ceil((most - heap) / 64) * 64 : 0);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps older views valid while it grows, and knows them as its own', () => {
    const storage = new SharedStorage(heap);
    expect(storage.allocate(80)).toBe(heap);
    const early = new Float64Array(storage.buffer, heap, 10).fill(7);
    const pointer = storage.allocate(100 * 2 ** 20)!;
    const late = new Float64Array(storage.buffer, pointer, 10);
    expect(late.buffer).not.toBe(early.buffer);
    expect(storage.pointerOf(early)).toBe(heap);
    expect(storage.pointerOf(late)).toBe(pointer);
    expect(storage.pointerOf(new Float64Array(10))).toBeUndefined();
    expect(new Float64Array(storage.buffer, heap, 10)).toEqual(early);
  });
});

describe('matrices in the shared memory', () => {
  it('that cannot fit are refused with what was asked for and what to do', async () => {
    const backend = await createWasmBackend({ threads: 1 });
    expect(() => backend.matrix(70_000, 10_000)).toThrow(MemoryError);
    expect(() => backend.matrix(70_000, 10_000)).toThrow(
      /^a 70000×10000 float64 matrix in the WebAssembly memory \(0.00 of 4 GiB in use\) needs 5.22 GiB$/,
    );
    try {
      backend.matrix(70_000, 10_000);
    } catch (error) {
      expect((error as MemoryError).bytes).toBe(5_600_000_000);
      expect((error as MemoryError).hint).toMatch(/ordinary Matrix/);
    }
    expect(() => backend.matrix(-1, 3)).toThrow(/impossible shape -1×3/);
    expect(() => backend.matrix(2.5, 3)).toThrow(/impossible shape 2.5×3/);
    backend.dispose();
  });

  it('are released once, and not through a view', async () => {
    const backend = await createWasmBackend({ threads: 1 });
    const [first, second] = [backend.matrix(10, 10), backend.matrix(0, 10)];
    expect(() => backend.release(first.view(1, 5))).toThrow(/released before, or is a view/);
    backend.release(first);
    backend.release(second);
    expect(() => backend.release(first)).toThrow(/released before, or is a view/);
    backend.release(Matrix.zeros(2, 2));
    expect(backend.matrix(10, 10).data.byteOffset).toBe(first.data.byteOffset);
    backend.dispose();
  });

  // Only the rows that are used are ever touched, so little of this is real memory.
  it('work beyond 2³¹ bytes', async () => {
    const backend = await createWasmBackend({ threads: 2 });
    const tall = backend.matrix(1_200_000, 320, 'float64');
    expect(tall.rows * tall.cols * 8).toBeGreaterThan(2 ** 31 + 2 ** 29);
    const first = 1_199_000;
    const rows = tall.view(first, first + 1000);
    for (let i = 0; i < 1000; i++) for (let j = 0; j < 320; j++) rows.set(i, j, ((i * 31 + j * 17) % 11) - 5);
    const gram = backend.matrix(320, 320);
    backend.syrk(gram, rows, { transpose: true });
    const scores = backend.matrix(1000, 320);
    backend.gemm(scores, rows, gram);
    const y = new Float64Array(1000);
    backend.gemv(y, rows, gram.row(3));
    for (const [i, j] of [
      [0, 0],
      [17, 300],
      [319, 5],
    ]) {
      let sum = 0;
      for (let k = 0; k < 1000; k++) sum += rows.at(k, i) * rows.at(k, j);
      expect(gram.at(i, j)).toBe(sum);
      let score = 0;
      for (let k = 0; k < 320; k++) score += rows.at(i, k) * gram.at(k, j);
      expect(scores.at(i, j)).toBe(score);
    }
    expect(y.every((value, i) => value === scores.at(i, 3))).toBe(true);
    backend.axpby(rows, 2, rows, 1);
    expect(rows.at(999, 319)).toBe(3 * (((999 * 31 + 319 * 17) % 11) - 5));
    backend.dispose();
  });
});

const roomy = freemem() > 9 * gib;

describe.skipIf(!process.env.BOWERBIRD_LONG || !roomy)(
  'operands larger than the memory (long mode, 9 GiB free)',
  () => {
    it('are multiplied piece by piece', async () => {
      const backend = await createWasmBackend();
      const [m, k] = [600_000, 1000];
      const a = Matrix.zeros(m, k);
      expect(a.data.byteLength).toBeGreaterThan(4 * gib);
      for (let i = 0; i < m; i++) a.data[i * k + (i % k)] = (i % 7) + 1;
      const gram = backend.matrix(k, k);
      backend.syrk(gram, a, { transpose: true });
      const expected = new Float64Array(k);
      for (let i = 0; i < m; i++) expected[i % k] += ((i % 7) + 1) ** 2;
      for (let j = 0; j < k; j++) {
        expect(gram.at(j, j)).toBe(expected[j]);
        expect(gram.at(j, (j + 1) % k)).toBe(0);
      }
      const out = new Float64Array(m);
      backend.gemv(out, a, new Float64Array(k).fill(1));
      expect(out.every((value, i) => value === (i % 7) + 1)).toBe(true);
      backend.dispose();
    });
  },
);
