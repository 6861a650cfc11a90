/** The speed of a backend, by a clock that goes as fast as it is told. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { gemmGigaflops } from '../../src/linalg/speed.js';

let now = 0;
beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A backend whose products take what `seconds` says; the arrays are none, so that large ones cost nothing. */
function clockwork(seconds: (order: number, product: number) => number, device: Backend['device'] = 'wasm') {
  const orders: number[] = [];
  let [held, products] = [0, 0];
  vi.spyOn(Matrix, 'zeros').mockImplementation(
    (rows: number) => ({ rows, data: new Float64Array(0) }) as unknown as Matrix<Float64Array> as never,
  );
  const backend = {
    device,
    matrix: (rows: number) => {
      held++;
      return { rows, view: () => ({}) };
    },
    release: () => {
      held--;
    },
    copy: () => {},
    maxAbs: () => 0,
    gemm: ({ rows }: { rows: number }) => {
      if (orders.at(-1) !== rows) orders.push(rows);
      now += 1000 * seconds(rows, products++);
    },
  } as unknown as Backend;
  return { backend, orders, held: () => held };
}

describe('the speed of a backend', () => {
  it('is two operations for every product of elements, by the best trial', () => {
    // The first one warms up.
    const { backend, held } = clockwork((order, product) => ((product === 0 ? 5 : 1) * 2 * order ** 3) / 1e10);
    expect(gemmGigaflops(backend, 0.5)).toBeCloseTo(10, 6);
    expect(held()).toBe(0);
  });

  it('is tried with larger matrices while that makes it quicker by a twentieth', () => {
    const rates: Record<number, number> = { 512: 1e12, 1024: 1.06e12, 2048: 1.1e12, 4096: 5e12 };
    const { backend, orders } = clockwork((order) => (2 * order ** 3) / rates[order]);
    expect(gemmGigaflops(backend, 10)).toBeCloseTo(1100, 6);
    expect(orders).toEqual([512, 1024, 2048]);
  });

  it('is tried with no matrix larger than 4096, with which a GPU begins', () => {
    const { backend, orders } = clockwork((order) => (2 * order ** 3) / (order * 1e9));
    expect(gemmGigaflops(backend, 100)).toBeCloseTo(4096, 6);
    expect(orders).toEqual([512, 1024, 2048, 4096]);
    const gpu = clockwork((order) => (2 * order ** 3) / 1e13, 'cuda');
    gemmGigaflops(gpu.backend, 1);
    expect(gpu.orders).toEqual([4096]);
  });

  it('is not tried with what would take longer than is left', () => {
    const { backend, orders } = clockwork((order) => (2 * order ** 3) / (order * 1e7));
    gemmGigaflops(backend, 0.3);
    expect(orders).toEqual([512]);
  });
});
