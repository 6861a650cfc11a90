import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackendError, MemoryError } from '../../src/errors.js';
import type { Backend } from '../../src/linalg/backend.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { backends } from './backends.js';
import { expectRefused } from './refusal.js';

const zeros = (rows: number, cols: number) => Matrix.zeros(rows, cols);
const vector = (length: number) => new Float64Array(length);

describe.each(backends)('wrong arguments on the $name backend', ({ create }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await create();
  });
  afterAll(() => backend.dispose());

  it.each<[string, (b: Backend) => void, string]>([
    [
      'inner sizes differ',
      (b) => b.gemm(zeros(2, 4), zeros(2, 3), zeros(2, 4)),
      'gemm: C 2×4 cannot be the product of A 2×3 and B 2×4',
    ],
    [
      'the output of a transposed product is wrong',
      (b) => b.gemm(zeros(2, 4), zeros(2, 3), zeros(2, 4), { transposeA: true }),
      'gemm: C 2×4 cannot be the product of A 3×2 (2×3 transposed) and B 2×4',
    ],
    [
      'C of syrk is not square',
      (b) => b.syrk(zeros(2, 3), zeros(2, 3)),
      "syrk: C 2×3 cannot hold AA' of A 2×3; expected 2×2",
    ],
    [
      'C of syrk has the other order',
      (b) => b.syrk(zeros(2, 2), zeros(2, 3), { transpose: true }),
      "syrk: C 2×2 cannot hold A'A of A 2×3; expected 3×3",
    ],
    [
      'x of gemv is too long',
      (b) => b.gemv(vector(2), zeros(2, 3), vector(4)),
      'gemv: x has 4 elements beside A 2×3; expected 3',
    ],
    [
      'y of gemv is too short',
      (b) => b.gemv(vector(2), zeros(2, 3), vector(2), { transpose: true }),
      'gemv: y has 2 elements beside A 3×2 (2×3 transposed); expected 3',
    ],
    ['X and Y differ', (b) => b.axpby(zeros(2, 3), 1, zeros(3, 2), 1), 'axpby: Y is 2×3 but X is 3×2'],
    [
      'factors are too few',
      (b) => b.scaleRows(zeros(3, 2), vector(2)),
      'scaleRows: factors has 2 elements beside A 3×2; expected 3',
    ],
    [
      'factors of columns are too many',
      (b) => b.scaleColumns(zeros(3, 2), vector(3)),
      'scaleColumns: factors has 3 elements beside A 3×2; expected 2',
    ],
    ['rows differ', (b) => b.rowDots(vector(3), zeros(3, 2), zeros(3, 3)), 'rowDots: A is 3×2 but B is 3×3'],
    [
      'out is too long',
      (b) => b.rowDots(vector(4), zeros(3, 2), zeros(3, 2)),
      'rowDots: out has 4 elements beside A 3×2; expected 3',
    ],
    ['A of cholesky is not square', (b) => b.cholesky(zeros(3, 2)), 'cholesky: A is 3×2; it must be square'],
    [
      'L is not square',
      (b) => b.choleskySolve(zeros(3, 2), zeros(3, 3), 'rows'),
      'choleskySolve: L is 3×2; it must be square',
    ],
    [
      'rows of B have the wrong length',
      (b) => b.choleskySolve(zeros(3, 3), zeros(3, 4), 'rows'),
      'choleskySolve: L is 3×3, the rows of B 3×4 have 4 elements; expected 3',
    ],
    [
      'columns of B have the wrong length',
      (b) => b.choleskySolve(zeros(3, 3), zeros(4, 3), 'columns'),
      'choleskySolve: L is 3×3, the columns of B 4×3 have 4 elements; expected 3',
    ],
    [
      'the layout is not one',
      (b) => b.choleskySolve(zeros(3, 3), zeros(3, 3), 'diagonal' as 'rows'),
      'choleskySolve: layout is "diagonal"; it must be "rows" or "columns"',
    ],
    ['A of eigh is not square', (b) => b.eigh(vector(3), zeros(3, 2)), 'eigh: A is 3×2; it must be square'],
    [
      'values are too few',
      (b) => b.eigh(vector(2), zeros(3, 3)),
      'eigh: values has 2 elements beside A 3×3; expected 3',
    ],
  ])('says what does not fit when %s', (_, act, message) => {
    expectRefused(() => act(backend), message);
  });

  it('refuses operands of two dtypes', () => {
    const single = Matrix.zeros(2, 2, 'float32');
    expect(() => backend.gemm(zeros(2, 2), zeros(2, 2), single)).toThrow('gemm: C is float64 but B is float32');
    expect(() => backend.syrk(single, zeros(2, 2))).toThrow('syrk: C is float32 but A is float64');
    expect(() => backend.gemv(vector(2), single, vector(2))).toThrow('gemv: y is float64 but A is float32');
    expect(() => backend.rowDots(vector(2), single, single)).toThrow('rowDots: out is float64 but A is float32');
    expect(() => backend.eigh(vector(2), single)).toThrow('eigh: values is float64 but A is float32');
  });

  it('refuses an output that shares storage with an input', () => {
    const parent = zeros(6, 6);
    expect(() => backend.gemm(parent, parent, zeros(6, 6))).toThrow('gemm: C shares storage with A');
    expect(() => backend.gemm(parent.view(0, 3, 0, 3), zeros(3, 3), parent.view(2, 5, 2, 5))).toThrow(
      'gemm: C shares storage with B',
    );
    expect(() => backend.syrk(parent.view(0, 2, 0, 2), parent.view(1, 3, 1, 6))).toThrow(
      'syrk: C shares storage with A',
    );
    expect(() => backend.gemm(parent.view(0, 3, 3, 6), parent.view(0, 3, 0, 4), zeros(4, 3))).toThrow(
      'gemm: C shares storage with A',
    );
    expect(() => backend.gemv(parent.row(3), parent, vector(6))).toThrow('gemv: y shares storage with A');
    expect(() => backend.axpby(parent.view(0, 5), 1, parent.view(1, 6), 1)).toThrow('axpby: Y shares storage with X');
  });

  it('allows windows of one parent that lie side by side', () => {
    const parent = zeros(6, 6).fill(1);
    backend.gemm(parent.view(0, 3, 0, 3), parent.view(0, 3, 3, 6), parent.view(3, 6, 0, 3));
    expect(parent.at(2, 2)).toBe(3);
    backend.gemv(parent.view(5, 6, 0, 5).row(0), parent.view(0, 5, 0, 5), vector(5).fill(1));
    expect([...parent.row(5)]).toEqual([11, 11, 11, 5, 5, 1]);
  });

  it('accepts empty operands everywhere', () => {
    backend.gemm(zeros(0, 3), zeros(0, 2), zeros(2, 3));
    backend.gemm(zeros(3, 0), zeros(3, 2), zeros(2, 0));
    backend.syrk(zeros(0, 0), zeros(0, 5));
    backend.gemv(vector(0), zeros(0, 3), vector(3));
    backend.axpby(zeros(0, 3), 1, zeros(0, 3), 1);
    backend.scaleRows(zeros(3, 0), vector(3));
    backend.rowDots(vector(0), zeros(0, 3), zeros(0, 3));
    backend.cholesky(zeros(0, 0));
    backend.choleskySolve(zeros(0, 0), zeros(4, 0), 'rows');
    backend.choleskySolve(zeros(2, 2), zeros(2, 0), 'columns');
    backend.eigh(vector(0), zeros(0, 0));
    const y = vector(3).fill(2);
    backend.gemv(y, zeros(3, 0), vector(0), { beta: 0.5 });
    expect([...y]).toEqual([1, 1, 1]);
    const out = vector(2).fill(9);
    backend.rowDots(out, zeros(2, 0), zeros(2, 0));
    expect([...out]).toEqual([0, 0]);
    const c = zeros(2, 2).fill(4);
    backend.gemm(c, zeros(2, 0), zeros(0, 2), { beta: 0.5 });
    expect([...c.data]).toEqual([2, 2, 2, 2]);
  });

  it('says how much memory was asked for when there is not that much', () => {
    let error: unknown;
    try {
      backend.matrix(2 ** 25, 2 ** 25);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(MemoryError);
    expect((error as MemoryError).bytes).toBe(2 ** 53);
    expect((error as Error).message).toContain('needs 8388608.00 GiB');
  });

  it('refuses to work after it has been disposed of', async () => {
    const other = await create();
    other.dispose();
    other.dispose();
    expect(() => other.gemm(zeros(1, 1), zeros(1, 1), zeros(1, 1))).toThrow(BackendError);
  });
});
