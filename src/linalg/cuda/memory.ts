/**
 * Device memory: a pool of freed blocks by size, and matrices whose elements live on the device. A device matrix has a
 * mirror in host memory only once somebody asks for its `data`; whichever side was written last is the valid one.
 */
import { MemoryError } from '../../errors.js';
import { type Dtype, Matrix, type RealArray } from '../matrix.js';
import type { CudaCalls } from './calls.js';

export class DevicePool {
  readonly copies: ReturnType<CudaCalls['copies']>;
  readonly #allocate: (bytes: number) => number | undefined;
  readonly #free: (address: number) => void;
  readonly #memset: (address: number, value: number, bytes: number) => void;
  readonly #idle = new Map<number, number[]>();
  #closed = false;
  /** What an error kept from being released comes back when nobody can reach it any more. */
  readonly #lost = new FinalizationRegistry<{ address: number; bytes: number }>(({ address, bytes }) =>
    this.give(address, bytes),
  );

  constructor(calls: CudaCalls) {
    this.copies = calls.copies();
    this.#allocate = calls.allocator();
    this.#free = calls.bind('runtime', 'cudaFree', ['size_t']) as (address: number) => void;
    this.#memset = calls.bind('runtime', 'cudaMemset_ptds', ['size_t', 'int', 'size_t']) as (
      a: number,
      v: number,
      b: number,
    ) => void;
  }

  /** Sizes are rounded up so that blocks can be used again for similar ones. */
  #rounded(bytes: number): number {
    const step = bytes < 2 ** 20 ? 512 : 2 ** 20;
    return Math.max(step, Math.ceil(bytes / step) * step);
  }

  take(bytes: number): number {
    const size = this.#rounded(bytes);
    const idle = this.#idle.get(size)?.pop();
    if (idle !== undefined) return idle;
    let address = this.#allocate(size);
    if (address === undefined) {
      this.drain();
      address = this.#allocate(size);
    }
    if (address === undefined)
      throw new MemoryError(size, 'a matrix on the GPU', 'Use float32, fewer pictures, or stream the web features.');
    return address;
  }

  give(address: number, bytes: number): void {
    if (this.#closed) {
      this.#free(address);
      return;
    }
    const size = this.#rounded(bytes);
    const list = this.#idle.get(size);
    if (list) list.push(address);
    else this.#idle.set(size, [address]);
  }

  watch(owner: object, address: number, bytes: number): void {
    this.#lost.register(owner, { address, bytes }, owner);
  }

  unwatch(owner: object): void {
    this.#lost.unregister(owner);
  }

  zero(address: number, bytes: number): void {
    if (bytes > 0) this.#memset(address, 0, bytes);
  }

  /** For the end of the backend: blocks still out go back to the device as soon as they are given. */
  close(): void {
    this.drain();
    this.#closed = true;
  }

  /** Hands all idle blocks back to the device. */
  drain(): void {
    for (const list of this.#idle.values()) for (const address of list) this.#free(address);
    this.#idle.clear();
  }
}

/** Elements on the device with an optional mirror on the host, shared by a matrix and its views. */
export class DeviceStorage {
  readonly address: number;
  readonly length: number;
  readonly dtype: Dtype;
  readonly #pool: DevicePool;
  #mirror: RealArray | undefined;
  #valid: 'device' | 'host' = 'device';
  #released = false;

  constructor(pool: DevicePool, length: number, dtype: Dtype) {
    this.#pool = pool;
    this.length = length;
    this.dtype = dtype;
    this.address = pool.take(this.bytes);
    pool.watch(this, this.address, this.bytes);
    pool.zero(this.address, this.bytes);
  }

  get width(): 4 | 8 {
    return this.dtype === 'float64' ? 8 : 4;
  }

  get bytes(): number {
    return this.length * this.width;
  }

  /** The elements on the host; they may be written, so the device's copy counts as old from here on. */
  host(): RealArray {
    this.#mirror ??= this.dtype === 'float64' ? new Float64Array(this.length) : new Float32Array(this.length);
    if (this.#valid === 'device' && this.length > 0)
      this.#pool.copies.toHost(this.#mirror, this.bytes, this.address, this.bytes, this.bytes, 1);
    this.#valid = 'host';
    return this.#mirror;
  }

  /** Whether the host's elements are the valid ones. */
  get onHost(): boolean {
    return this.#valid === 'host';
  }

  /** Brings a window of the device's elements to the host, and nothing else of them. */
  read(into: Matrix, offset: number, stride: number): void {
    const [to, from, width] = [into.stride, stride, into.cols].map((elements) => elements * this.width);
    if (into.rows * into.cols > 0)
      this.#pool.copies.toHost(into.data, to, this.address + offset * this.width, from, width, into.rows);
  }

  /** Makes the device's elements the valid ones and gives their address; the mirror is dropped. */
  onDevice(): number {
    if (this.#valid === 'host' && this.#mirror && this.length > 0)
      this.#pool.copies.toDevice(this.address, this.bytes, this.#mirror, this.bytes, this.bytes, 1);
    this.#valid = 'device';
    return this.address;
  }

  /** Clears elements on the device. */
  zero(offset: number, length: number): void {
    this.#pool.zero(this.onDevice() + offset * this.width, length * this.width);
  }

  /** Frees the host copy, for large features that were filled on the host. */
  dropMirror(): void {
    this.onDevice();
    this.#mirror = undefined;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#pool.unwatch(this);
    this.#pool.give(this.address, this.bytes);
  }
}

const nothing = new Float64Array(0);

export class DeviceMatrix extends Matrix {
  readonly device: DeviceStorage;
  /** Position of element (0, 0) in the storage. */
  readonly offset: number;

  constructor(device: DeviceStorage, offset: number, rows: number, cols: number, stride: number) {
    super(nothing, 0, 0);
    this.device = device;
    this.offset = offset;
    Object.defineProperties(this, {
      rows: { value: rows },
      cols: { value: cols },
      stride: { value: stride },
      data: { get: () => device.host().subarray(offset) },
    });
  }

  override get dtype(): Dtype {
    return this.device.dtype;
  }

  override get storage(): object {
    return this.device;
  }

  override get storageOffset(): number {
    return this.offset;
  }

  override view(rowStart: number, rowEnd: number, colStart = 0, colEnd: number = this.cols): Matrix {
    this.checkWindow(rowStart, rowEnd, colStart, colEnd);
    const start = this.offset + rowStart * this.stride + colStart;
    return new DeviceMatrix(this.device, start, rowEnd - rowStart, colEnd - colStart, this.stride);
  }

  override reshaped(rows: number, cols: number): Matrix {
    this.checkReshape(rows, cols);
    return new DeviceMatrix(this.device, this.offset, rows, cols, cols);
  }

  override fill(value: number): this {
    if (value !== 0 || !this.contiguous) return super.fill(value);
    this.device.zero(this.offset, this.rows * this.cols);
    return this;
  }

  protected override copyInto(target: Matrix): void {
    if (this.device.onHost) {
      super.copyInto(target);
      return;
    }
    const direct = target.dtype === this.dtype && !(target instanceof DeviceMatrix);
    const here = direct ? target : Matrix.zeros(this.rows, this.cols, this.dtype);
    this.device.read(here, this.offset, this.stride);
    if (!direct) target.copyFrom(here);
  }

  override everyRow(first: number, step: number): Matrix {
    const rows = Math.max(0, Math.ceil((this.rows - first) / step));
    return new DeviceMatrix(this.device, this.offset + first * this.stride, rows, this.cols, step * this.stride);
  }
}
