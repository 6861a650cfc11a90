/** Working storage inside the shared memory that is given back when a computation ends, also when it throws. */
import type { FactorContext } from './factor-contract.js';

export class Scratch {
  readonly #context: FactorContext;
  readonly #pointers: number[] = [];

  private constructor(context: FactorContext) {
    this.#context = context;
  }

  static use<R>(context: FactorContext, compute: (scratch: Scratch) => R): R {
    const scratch = new Scratch(context);
    try {
      return compute(scratch);
    } finally {
      for (const pointer of scratch.#pointers) context.free(pointer);
    }
  }

  /** Byte pointer of room for `count` float64. */
  numbers(count: number): number {
    return this.#take(8 * count);
  }

  /** Fails now, before anything is overwritten, if `count` more float64 cannot be had later. */
  static ensure(context: FactorContext, count: number): void {
    context.free(context.allocate(Math.max(8 * count, 8)));
  }

  /** Byte pointer of room for `count` 32-bit integers. */
  integers(count: number): number {
    return this.#take(4 * count);
  }

  #take(bytes: number): number {
    const pointer = this.#context.allocate(Math.max(bytes, 8));
    this.#pointers.push(pointer);
    return pointer;
  }
}
