/**
 * A fingerprint of a problem's contents: SHA-256 over every array with its name, type and shape. Equal contents give
 * equal hashes however the matrices lie in memory.
 */
import { createHash, type Hash } from 'node:crypto';
import { Matrix } from '../linalg/index.js';
import { writtenBlocks } from './blocks.js';
import type { Problem } from './problem.js';
import type { FeatureRows, StreamedRows } from './streamed.js';

const chunkBytes = 2 ** 26;

/** SHA-256 of the problem's contents, as 64 hexadecimal digits. */
export function problemHash(problem: Problem): string {
  const hash = createHash('sha256');
  for (const [name, content] of contentsOf(problem)) add(hash, name, content);
  return hash.digest('hex');
}

/** The same where features stay in their file. Each row is read once, so that mistakes in any of them are found here. */
export async function streamedHash(
  problem: Problem,
  { auxiliaryRows, webRows, testRows }: StreamedRows,
  signal?: AbortSignal,
): Promise<string> {
  const streamed = new Map([
    ['aux_features', auxiliaryRows],
    ['web_features', webRows],
    ['test_features', testRows],
  ]);
  const hash = createHash('sha256');
  for (const [name, content] of contentsOf(problem)) {
    const rows = streamed.get(name);
    if (rows) await addRows(hash, name, rows, signal);
    else add(hash, name, content);
  }
  return hash.digest('hex');
}

type Content = Matrix | Int32Array | Uint8Array | Float64Array | readonly string[] | boolean | undefined;

function* contentsOf(problem: Problem): Generator<[name: string, content: Content]> {
  yield ['aux_features', problem.auxiliaryFeatures];
  yield ['aux_labels', problem.auxiliaryLabels];
  yield ['aux_semantics', problem.auxiliarySemantics];
  yield ['aux_names', problem.auxiliaryNames];
  yield ['web_features', problem.webFeatures];
  yield ['web_labels', problem.webLabels];
  yield ['web_text', problem.webText];
  yield ['web_texts', problem.webTexts];
  yield ['web_kind', problem.webKinds];
  yield ['web_vouched', problem.webVouched];
  yield ['test_features', problem.testFeatures];
  yield ['test_labels', problem.testLabels];
  yield ['test_known', problem.testKnown];
  yield ['test_semantics', problem.testSemantics];
  yield ['test_names', problem.testNames];
  yield ['test_shares', problem.testShares];
  for (const [name, blocks] of [
    ['feature', problem.featureBlocks],
    ['semantic', problem.semanticBlocks],
  ] as const) {
    const { blocks: names, widths, spaces } = writtenBlocks(blocks);
    yield [`${name}_blocks`, names];
    yield [`${name}_widths`, widths];
    yield [`${name}_spaces`, spaces];
  }
  yield ['generalized', problem.generalized];
  const web = problem.validationWeb;
  yield ['validation_web_features', web?.features];
  yield ['validation_web_labels', web?.labels];
  yield ['validation_web_text', web?.text];
  yield ['validation_web_texts', web?.texts];
  yield ['validation_web_kind', web?.kinds];
  yield ['aux_in_validation_web', web?.auxiliaryUsed];
}

function add(hash: Hash, name: string, content: Content): void {
  if (content === undefined) return;
  if (content instanceof Matrix) addMatrix(hash, name, content);
  else if (ArrayBuffer.isView(content)) addNumbers(hash, name, content);
  else hash.update(`${name} ${JSON.stringify(content)}\n`);
}

/** Rows that are read together take about so many bytes. */
const blockBytes = 2 ** 22;

async function addRows(hash: Hash, name: string, source: FeatureRows, signal?: AbortSignal): Promise<void> {
  const { rows, cols, dtype } = source;
  hash.update(`${name} ${dtype} ${rows} ${cols}\n`);
  const step = Math.max(1, Math.min(rows, Math.floor(blockBytes / (8 * Math.max(1, cols)))));
  const room = Matrix.zeros(step, cols, dtype);
  for (let start = 0; start < rows; start += step) {
    signal?.throwIfAborted();
    const block = room.view(0, Math.min(step, rows - start));
    await source.read(block, start, start + block.rows);
    addElements(hash, block);
  }
}

function addMatrix(hash: Hash, name: string, matrix: Matrix): void {
  hash.update(`${name} ${matrix.dtype} ${matrix.rows} ${matrix.cols}\n`);
  addElements(hash, matrix);
}

function addElements(hash: Hash, matrix: Matrix): void {
  if (matrix.contiguous) addBytes(hash, matrix.data.subarray(0, matrix.rows * matrix.cols));
  else for (let i = 0; i < matrix.rows; i++) addBytes(hash, matrix.row(i));
}

function addNumbers(hash: Hash, name: string, values: Int32Array | Uint8Array | Float64Array): void {
  hash.update(`${name} ${values.BYTES_PER_ELEMENT} ${values.length}\n`);
  addBytes(hash, values);
}

/** In pieces: one update takes less than 2³¹ bytes. */
function addBytes(hash: Hash, values: ArrayBufferView): void {
  for (let start = 0; start < values.byteLength; start += chunkBytes) {
    const length = Math.min(chunkBytes, values.byteLength - start);
    hash.update(new Uint8Array(values.buffer, values.byteOffset + start, length));
  }
}
