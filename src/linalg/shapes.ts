/**
 * The checks every backend makes before it computes: shapes fit, all operands have one dtype, the output shares no
 * storage with an input. Native code trusts these; nothing else stands between a wrong shape and a wild write.
 */
import { ArgumentError } from '../errors.js';
import type {
  DistanceScores,
  GemmOptions,
  GemvOptions,
  MeasuredRows,
  PeakScores,
  PoweredOptions,
  PowerMixture,
  RowLeaders,
  RowPeaks,
  SparseMatrix,
  SyrkOptions,
} from './backend.js';
import { asRow, Matrix, type Vector } from './matrix.js';
import type { RowBlocks } from './row-blocks.js';

/** C (m×n) ← op(A) (m×k) op(B) (k×n) */
export function checkGemm(c: Matrix, a: Matrix, b: Matrix, options: GemmOptions = {}) {
  const [m, k] = options.transposeA ? [a.cols, a.rows] : [a.rows, a.cols];
  const [kOfB, n] = options.transposeB ? [b.cols, b.rows] : [b.rows, b.cols];
  if (k !== kOfB || c.rows !== m || c.cols !== n)
    throw new ArgumentError(
      `gemm: C ${shape(c)} cannot be the product of A ${shape(a, options.transposeA)} and B ${shape(b, options.transposeB)}`,
    );
  sameDtype('gemm', { C: c, A: a, B: b });
  separate('gemm', 'C', c, { A: a, B: b });
  return { m, n, k, alpha: options.alpha ?? 1, beta: options.beta ?? 0 };
}

/** C (n×n) ← A A' with A n×k, or A'A with A k×n; where β ≠ 0 the old C must be symmetric, its lower triangle is read. */
export function checkSyrk(c: Matrix, a: Matrix, options: SyrkOptions = {}) {
  const [n, k] = options.transpose ? [a.cols, a.rows] : [a.rows, a.cols];
  if (c.rows !== n || c.cols !== n)
    throw new ArgumentError(
      `syrk: C ${shape(c)} cannot hold ${options.transpose ? "A'A" : "AA'"} of A ${shape(a)}; expected ${n}×${n}`,
    );
  sameDtype('syrk', { C: c, A: a });
  separate('syrk', 'C', c, { A: a });
  return { n, k, alpha: options.alpha ?? 1, beta: options.beta ?? 0 };
}

/** y ← op(A) x with A rows×cols */
export function checkGemv(y: Vector, a: Matrix, x: Vector, options: GemvOptions = {}) {
  const [outputs, inputs] = options.transpose ? [a.cols, a.rows] : [a.rows, a.cols];
  length('gemv', 'y', y, outputs, `A ${shape(a, options.transpose)}`);
  length('gemv', 'x', x, inputs, `A ${shape(a, options.transpose)}`);
  sameDtype('gemv', { y, A: a, x });
  separate('gemv', 'y', asRow(y), { A: a, x: asRow(x) });
  return { outputs, inputs, alpha: options.alpha ?? 1, beta: options.beta ?? 0 };
}

/** Y and X may be the same matrix: each element depends on its own place only. */
export function checkAxpby(y: Matrix, x: Matrix): void {
  sameShape('axpby', 'Y', y, 'X', x);
  sameDtype('axpby', { Y: y, X: x });
  const same = y.storage === x.storage && y.storageOffset === x.storageOffset && y.stride === x.stride;
  if (!same) separate('axpby', 'Y', y, { X: x });
}

export function checkScaleRows(a: Matrix, factors: Vector): void {
  length('scaleRows', 'factors', factors, a.rows, `A ${shape(a)}`);
  sameDtype('scaleRows', { A: a, factors });
  separate('scaleRows', 'A', a, { factors: asRow(factors) });
}

export function checkRowDots(out: Vector, a: Matrix, b: Matrix): void {
  sameShape('rowDots', 'A', a, 'B', b);
  length('rowDots', 'out', out, a.rows, `A ${shape(a)}`);
  sameDtype('rowDots', { out, A: a, B: b });
  separate('rowDots', 'out', asRow(out), { A: a, B: b });
}

export function checkScaleColumns(a: Matrix, factors: Float64Array): void {
  length('scaleColumns', 'factors', factors, a.cols, `A ${shape(a)}`);
}

/** Returns the order of A. */
export function checkCholesky(a: Matrix): number {
  return order('cholesky', a);
}

/** L n×n; B count×n for `rows`, n×count for `columns`. */
export function checkCholeskySolve(l: Matrix, b: Matrix, layout: 'rows' | 'columns') {
  if (layout !== 'rows' && layout !== 'columns')
    throw new ArgumentError(`choleskySolve: layout is "${layout}"; it must be "rows" or "columns"`);
  const n = order('choleskySolve', l, 'L');
  const [count, length] = layout === 'rows' ? [b.rows, b.cols] : [b.cols, b.rows];
  if (length !== n)
    throw new ArgumentError(
      `choleskySolve: L is ${shape(l)}, the ${layout} of B ${shape(b)} have ${length} elements; expected ${n}`,
    );
  sameDtype('choleskySolve', { L: l, B: b });
  separate('choleskySolve', 'B', b, { L: l });
  return { n, count };
}

/** Returns the order of A; whether its elements are finite is for `checkFinite` to say. */
export function checkEigh(values: Vector, a: Matrix): number {
  const n = order('eigh', a);
  length('eigh', 'values', values, n, `A ${shape(a)}`);
  sameDtype('eigh', { values, A: a });
  separate('eigh', 'values', asRow(values), { A: a });
  return n;
}

/** Values that are not finite have no eigendecomposition and can keep an iteration going for ever. */
export function checkFinite(operation: string, a: Matrix): void {
  const { data, stride, rows: n } = a;
  for (let i = 0; i < n; i++)
    for (let at = i * stride, end = at + i; at <= end; at++)
      if (!Number.isFinite(data[at]))
        throw new ArgumentError(
          `${operation}: A is ${data[at]} at row ${i}, column ${at - i * stride}; it must be finite`,
        );
}

/** `3×4`, or `4×3 (3×4 transposed)`. */
function shape(matrix: Pick<Matrix, 'rows' | 'cols'>, transposed = false): string {
  const plain = `${matrix.rows}×${matrix.cols}`;
  return transposed ? `${matrix.cols}×${matrix.rows} (${plain} transposed)` : plain;
}

function order(operation: string, a: Matrix, name = 'A'): number {
  if (a.rows !== a.cols) throw new ArgumentError(`${operation}: ${name} is ${shape(a)}; it must be square`);
  return a.rows;
}

function sameShape(operation: string, nameA: string, a: Matrix, nameB: string, b: Matrix): void {
  if (a.rows !== b.rows || a.cols !== b.cols)
    throw new ArgumentError(`${operation}: ${nameA} is ${shape(a)} but ${nameB} is ${shape(b)}`);
}

function length(operation: string, name: string, vector: Vector, expected: number, beside: string): void {
  const found = lengthOf(vector);
  if (found !== expected)
    throw new ArgumentError(`${operation}: ${name} has ${found} elements beside ${beside}; expected ${expected}`);
}

function lengthOf(vector: Vector): number {
  return vector instanceof Matrix ? vector.rows * vector.cols : vector.length;
}

function sameDtype(operation: string, operands: Record<string, Vector>): void {
  let first: string | undefined;
  for (const name in operands) {
    if (first === undefined) first = name;
    else if (dtype(operands[name]) !== dtype(operands[first]))
      throw new ArgumentError(
        `${operation}: ${first} is ${dtype(operands[first])} but ${name} is ${dtype(operands[name])}`,
        'All operands of one call have one dtype; Matrix.copy converts.',
      );
  }
}

function dtype(operand: Vector): string {
  if (operand instanceof Matrix) return operand.dtype;
  return operand instanceof Float64Array ? 'float64' : 'float32';
}

function separate(operation: string, outputName: string, output: Matrix, inputs: Record<string, Matrix>): void {
  for (const name in inputs)
    if (overlap(output, inputs[name]))
      throw new ArgumentError(
        `${operation}: ${outputName} shares storage with ${name}`,
        'Write the result to a matrix of its own.',
      );
}

function overlap(a: Matrix, b: Matrix): boolean {
  if (a.storage !== b.storage || a.rows * a.cols === 0 || b.rows * b.cols === 0) return false;
  const startA = a.storageOffset;
  const startB = b.storageOffset;
  if (startA + (a.rows - 1) * a.stride + a.cols <= startB || startB + (b.rows - 1) * b.stride + b.cols <= startA)
    return false;
  if (a.rows === 1 || b.rows === 1 || a.stride !== b.stride) return sharesRow(a, startA, b, startB);
  // Two windows onto one parent matrix: they are apart when their columns are.
  const shift = (((startB - startA) % a.stride) + a.stride) % a.stride;
  return shift < a.cols || shift + b.cols > a.stride;
}

/** Whether some row of A meets some row of B, found by walking the rows of the matrix with fewer of them. */
function sharesRow(a: Matrix, startA: number, b: Matrix, startB: number): boolean {
  if (a.rows > b.rows) return sharesRow(b, startB, a, startA);
  for (let i = 0; i < a.rows; i++) {
    const begin = startA + i * a.stride - startB;
    const end = begin + a.cols;
    // Row r of B covers [r·stride, r·stride + cols).
    const first = Math.max(0, Math.ceil((begin - b.cols + 1) / b.stride));
    if (first < b.rows && first * b.stride < end) return true;
  }
  return false;
}

/** Segments of the rows of A, one for each row of `perSegment`, and a float64 value for each row of A. */
export function checkSegments(
  operation: string,
  a: Matrix,
  perSegment: Matrix,
  starts: Int32Array,
  values: Vector,
): void {
  if (perSegment.cols !== a.cols || perSegment.dtype !== a.dtype)
    throw new ArgumentError(
      `${operation}: ${a.rows}×${a.cols} ${a.dtype} rows with ${perSegment.rows}×${perSegment.cols} ${perSegment.dtype} rows`,
    );
  const ordered = starts.every((start, c) => start >= 0 && (c === 0 || start >= starts[c - 1]));
  if (starts.length !== perSegment.rows + 1 || !ordered || starts[0] !== 0 || starts[starts.length - 1] !== a.rows)
    throw new ArgumentError(
      `${operation}: ${perSegment.rows} segments of ${a.rows} rows need ${perSegment.rows + 1} ascending starts from 0 to ${a.rows}`,
    );
  if (lengthOf(values) !== a.rows || dtype(values) !== 'float64')
    throw new ArgumentError(`${operation}: ${lengthOf(values)} ${dtype(values)} values for ${a.rows} rows`);
}

export function checkSquare(operation: string, a: Matrix): void {
  if (a.rows !== a.cols) throw new ArgumentError(`${operation}: A is ${shape(a)}, not square`);
}

export function checkSameShape(operation: string, a: Matrix, b: Matrix): void {
  if (a.rows !== b.rows || a.cols !== b.cols)
    throw new ArgumentError(`${operation}: A is ${shape(a)}, B is ${shape(b)}`);
  sameDtype(operation, { A: a, B: b });
}

export function checkCopy(target: Matrix, source: Matrix): void {
  if (target.rows !== source.rows || target.cols !== source.cols)
    throw new ArgumentError(`copy: the target is ${shape(target)}, the source ${shape(source)}`);
}

/** As many rows as the target has, all of which the source has. */
export function checkCopyRows(target: Matrix, source: Matrix, rows: Int32Array): void {
  sameDtype('copyRows', { target, source });
  if (target.rows !== rows.length || target.cols !== source.cols)
    throw new ArgumentError(`copyRows: ${rows.length} rows of ${shape(source)} do not fill ${shape(target)}`);
  const wrong = rows.findIndex((row) => row < 0 || row >= source.rows);
  if (wrong >= 0) throw new ArgumentError(`copyRows: place ${wrong} names row ${rows[wrong]} of ${source.rows}`);
  separate('copyRows', 'target', target, { source });
}

/** One number for each row, one for each column, and labels that name columns. */
export function checkPowerSums(
  out: Float64Array,
  products: Matrix,
  { lengths, squares, scales, shifts, labels }: PowerMixture,
  own: Float64Array | undefined,
): void {
  const beside = `products ${shape(products)}`;
  for (const [name, values] of Object.entries({ out, own, lengths }))
    if (values) length('logPowerSums', name, values, products.rows, beside);
  for (const [name, values] of Object.entries({ squares, scales, shifts }))
    length('logPowerSums', name, values, products.cols, beside);
  if (own && !labels) throw new ArgumentError('logPowerSums: distances at the labels need labels');
  if (!labels) return;
  if (labels.length !== products.rows)
    throw new ArgumentError(`logPowerSums: ${labels.length} labels beside ${beside}; expected ${products.rows}`);
  const wrong = labels.findIndex((label) => label < -1 || label >= products.cols);
  if (wrong >= 0) throw new ArgumentError(`logPowerSums: label ${labels[wrong]} of row ${wrong} beside ${beside}`);
}

/** Target may be the scores themselves. */
export function checkSoftmax(
  target: Matrix,
  scores: Matrix,
  offsets: Float64Array,
  weights: Float64Array,
  counts: Float64Array,
): void {
  sameShape('softmaxRows', 'target', target, 'scores', scores);
  sameDtype('softmaxRows', { target, scores });
  length('softmaxRows', 'weights', weights, scores.rows, `scores ${shape(scores)}`);
  for (const [name, values] of Object.entries({ offsets, counts }))
    length('softmaxRows', name, values, scores.cols, `scores ${shape(scores)}`);
}

export function checkScores(products: Matrix, { lengths, squares, factors, constants }: DistanceScores): void {
  const beside = `products ${shape(products)}`;
  length('scoreRows', 'lengths', lengths, products.rows, beside);
  for (const [name, values] of Object.entries({ squares, factors, constants }))
    length('scoreRows', name, values, products.cols, beside);
}

export function checkPeaks(out: RowPeaks, products: Matrix, scores: PeakScores): void {
  const beside = `products ${shape(products)}`;
  const { labels, own, inverses, lengths, squares, factors, constants } = scores;
  if (products.cols === 0) throw new ArgumentError(`peaksOfRows: nothing stands out in ${beside}`);
  for (const [name, values] of Object.entries({ ...out, lengths, ...(labels && { labels }) }))
    if (values.length !== products.rows)
      throw new ArgumentError(`peaksOfRows: ${values.length} ${name} beside ${beside}; expected ${products.rows}`);
  for (const [name, values] of Object.entries({ squares, factors, constants, inverses }))
    length('peaksOfRows', name, values, products.cols, beside);
  if (labels) length('peaksOfRows', 'own', own ?? new Float64Array(0), 3 * products.rows, beside);
}

export function checkLeaders({ columns, leads }: RowLeaders, scores: Matrix, offsets: Float64Array): void {
  const beside = `scores ${shape(scores)}`;
  if (scores.cols === 0) throw new ArgumentError(`leadersOfRows: nothing leads in ${beside}`);
  if (columns.length !== scores.rows)
    throw new ArgumentError(`leadersOfRows: ${columns.length} columns beside ${beside}; expected ${scores.rows}`);
  length('leadersOfRows', 'leads', leads, scores.rows, beside);
  length('leadersOfRows', 'offsets', offsets, scores.cols, beside);
}

export function checkUnitRows(a: Matrix, largests: Float64Array, lengths: Float64Array): void {
  for (const [name, values] of Object.entries({ largests, lengths }))
    length('unitRows', name, values, a.rows, `A ${shape(a)}`);
}

/** A row of S for each row of the target, and entries that name rows of the source. */
export function checkSparse(target: Matrix, sparse: SparseMatrix, source: Matrix): void {
  sameDtype('addSparse', { target, source });
  if (target.cols !== source.cols)
    throw new ArgumentError(`addSparse: target is ${shape(target)}, source is ${shape(source)}`);
  checkEntries('addSparse', sparse, target.rows, source.rows);
  separate('addSparse', 'target', target, { source });
}

/** Sparse matrices that were looked through, by their columns: nobody may change them, and many passes use one. */
const lookedThrough = new WeakMap<Int32Array, Omit<SparseMatrix, 'columns'> & { rows: number; sources: number }>();

/** Whether the entries of a sparse matrix lie within so many rows and columns. */
export function checkEntries(operation: string, sparse: SparseMatrix, rows: number, sources: number): void {
  const { starts, columns, values } = sparse;
  const last = lookedThrough.get(columns);
  if (last?.starts === starts && last.values === values && last.rows === rows && last.sources === sources) return;
  lookThrough(operation, sparse, rows, sources);
  lookedThrough.set(columns, { starts, values, rows, sources });
}

function lookThrough(
  operation: string,
  { starts, columns, values }: SparseMatrix,
  rows: number,
  sources: number,
): void {
  const last = starts[starts.length - 1];
  const ascending = starts.every((start, i) => start >= (i === 0 ? 0 : starts[i - 1]));
  if (starts.length !== rows + 1 || !ascending || starts[0] !== 0 || last > columns.length || last > values.length)
    throw new ArgumentError(
      `${operation}: ${rows} rows need ${rows + 1} ascending starts from 0 to at most ${Math.min(columns.length, values.length)} entries`,
    );
  const wrong = columns.findIndex((column) => column < 0 || column >= sources);
  if (wrong >= 0) throw new ArgumentError(`${operation}: entry ${wrong} names row ${columns[wrong]} of ${sources}`);
}

export function checkEnergy(chances: Matrix, scores: Matrix, weights: Float64Array): void {
  sameShape('energyOfRows', 'chances', chances, 'scores', scores);
  sameDtype('energyOfRows', { chances, scores });
  length('energyOfRows', 'weights', weights, scores.rows, `scores ${shape(scores)}`);
}

/** As many others for each row as the lists have room for, which is returned. */
export function checkNearest(
  nearest: Int32Array,
  cosines: Float64Array,
  a: RowBlocks,
  squaredLengths: Float64Array,
  among?: MeasuredRows,
): number {
  length('nearestRows', 'squaredLengths', squaredLengths, a.rows, `A ${shape(a)}`);
  if (among) {
    const { rows, squaredLengths: lengths } = among;
    length('nearestRows', 'squaredLengths of the others', lengths, rows.rows, `others ${shape(rows)}`);
    if (rows.cols !== a.cols || rows.dtype !== a.dtype)
      throw new ArgumentError(
        `nearestRows: A is ${shape(a)} in ${a.dtype}, the others are ${shape(rows)} in ${rows.dtype}`,
      );
  }
  const most = among ? among.rows.rows : Math.max(0, a.rows - 1);
  const count = a.rows === 0 ? 0 : nearest.length / a.rows;
  if (!Number.isInteger(count) || count > most || cosines.length !== nearest.length)
    throw new ArgumentError(
      `nearestRows: ${nearest.length} places and ${cosines.length} cosines for ${a.rows} rows; expected as many of both, the same for each row, and at most ${most}`,
    );
  return count;
}

/** A centre of as many columns, and an order of rows that there are. */
export function checkPowered(a: Matrix, { centre, order: chosen }: PoweredOptions): void {
  if (centre) length('visitPowered', 'centre', centre, a.cols, `A ${shape(a)}`);
  const wrong = chosen?.findIndex((row) => row < 0 || row >= a.rows) ?? -1;
  if (wrong >= 0) throw new ArgumentError(`visitPowered: place ${wrong} names row ${chosen![wrong]} of ${a.rows}`);
}
