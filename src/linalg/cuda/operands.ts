/** What one call of the backend works on: device matrices in place, ordinary ones taken to the device and back. */
import { type Dtype, Matrix, type RealArray } from '../matrix.js';
import { DeviceMatrix, type DevicePool } from './memory.js';

/** An operand on the device for the length of one call. */
export interface Operand {
  pointer: number;
  stride: number;
}

const nothing = Matrix.zeros(0, 0);
const widthOf = (dtype: Dtype) => (dtype === 'float64' ? 8 : 4);

export class Operands {
  readonly #pool: DevicePool;

  constructor(pool: DevicePool) {
    this.#pool = pool;
  }

  /** Brings operands to the device, runs, and takes an output that lives on the host back. */
  with(inputs: Matrix[], output: Matrix, read: boolean, run: (inputs: Operand[], output: Operand) => void): void {
    const borrowed: { pointer: number; bytes: number }[] = [];
    const bring = (matrix: Matrix, filled: boolean): Operand => {
      const width = widthOf(matrix.dtype);
      if (matrix instanceof DeviceMatrix)
        return { pointer: matrix.device.onDevice() + matrix.offset * width, stride: matrix.stride };
      const pitch = matrix.cols * width;
      const bytes = Math.max(1, matrix.rows * pitch);
      const pointer = this.#pool.take(bytes);
      borrowed.push({ pointer, bytes });
      if (filled && matrix.rows * pitch > 0)
        this.#pool.copies.toDevice(pointer, pitch, matrix.data, matrix.stride * width, pitch, matrix.rows);
      return { pointer, stride: Math.max(1, matrix.cols) };
    };
    try {
      const operands = inputs.map((matrix) => bring(matrix, true));
      const target = bring(output, read);
      run(operands, target);
      if (!(output instanceof DeviceMatrix) && output.rows * output.cols > 0) {
        const width = widthOf(output.dtype);
        const pitch = output.cols * width;
        this.#pool.copies.toHost(output.data, output.stride * width, target.pointer, pitch, pitch, output.rows);
      }
    } finally {
      for (const { pointer, bytes } of borrowed) this.#pool.give(pointer, bytes);
    }
  }

  /** The same where nothing but what `run` takes back itself is written. */
  reading(inputs: Matrix[], run: (inputs: Operand[]) => void): void {
    this.with(inputs, nothing, false, (operands) => run(operands));
  }

  /** Room for so many bytes while `run` lasts. */
  borrowing(bytes: number, run: (pointer: number) => void): void {
    const pointer = this.#pool.take(bytes);
    try {
      run(pointer);
    } finally {
      this.#pool.give(pointer, bytes);
    }
  }

  /** Room for `elements` and one integer for a solver's report. */
  workspace(elements: number, dtype: Dtype, run: (work: number, info: number) => void): void {
    this.borrowing(Math.max(1, elements) * widthOf(dtype), (work) => this.borrowing(4, (info) => run(work, info)));
  }

  diagonalOf(matrix: Operand, n: number, dtype: Dtype): RealArray {
    const diagonal = dtype === 'float64' ? new Float64Array(n) : new Float32Array(n);
    const width = diagonal.BYTES_PER_ELEMENT;
    this.#pool.copies.toHost(diagonal, width, matrix.pointer, (matrix.stride + 1) * width, width, n);
    return diagonal;
  }

  integerAt(pointer: number): number {
    const value = new Int32Array(1);
    this.#pool.copies.toHost(value, 4, pointer, 4, 4, 1);
    return value[0];
  }
}
