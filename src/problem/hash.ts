/**
 * A fingerprint of a problem's contents: SHA-256 over every array with its name, type and shape. Equal contents give
 * equal hashes however the matrices lie in memory.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Matrix } from '../linalg/index.js';
import { writtenBlocks } from './blocks.js';
import type { Problem } from './problem.js';

const chunkBytes = 2 ** 26;

/** SHA-256 of the problem's contents, as 64 hexadecimal digits. */
export function problemHash(problem: Problem): string {
  const hash = createHash('sha256');
  addMatrix(hash, 'aux_features', problem.auxiliaryFeatures);
  addNumbers(hash, 'aux_labels', problem.auxiliaryLabels);
  addMatrix(hash, 'aux_semantics', problem.auxiliarySemantics);
  addStrings(hash, 'aux_names', problem.auxiliaryNames);
  addMatrix(hash, 'web_features', problem.webFeatures);
  addNumbers(hash, 'web_labels', problem.webLabels);
  addMatrix(hash, 'web_text', problem.webText);
  addStrings(hash, 'web_texts', problem.webTexts);
  addStrings(hash, 'web_kind', problem.webKinds);
  addNumbers(hash, 'web_vouched', problem.webVouched);
  addMatrix(hash, 'test_features', problem.testFeatures);
  addNumbers(hash, 'test_labels', problem.testLabels);
  addNumbers(hash, 'test_known', problem.testKnown);
  addMatrix(hash, 'test_semantics', problem.testSemantics);
  addStrings(hash, 'test_names', problem.testNames);
  addNumbers(hash, 'test_shares', problem.testShares);
  for (const [name, blocks] of [
    ['feature', problem.featureBlocks],
    ['semantic', problem.semanticBlocks],
  ] as const) {
    const { blocks: names, widths, spaces } = writtenBlocks(blocks);
    addStrings(hash, `${name}_blocks`, names);
    addNumbers(hash, `${name}_widths`, widths);
    addStrings(hash, `${name}_spaces`, spaces);
  }
  hash.update(`generalized ${problem.generalized}\n`);
  const web = problem.validationWeb;
  addMatrix(hash, 'validation_web_features', web?.features);
  addNumbers(hash, 'validation_web_labels', web?.labels);
  addMatrix(hash, 'validation_web_text', web?.text);
  addStrings(hash, 'validation_web_texts', web?.texts);
  addStrings(hash, 'validation_web_kind', web?.kinds);
  addNumbers(hash, 'aux_in_validation_web', web?.auxiliaryUsed);
  return hash.digest('hex');
}

function addMatrix(hash: Hash, name: string, matrix: Matrix | undefined): void {
  if (!matrix) return;
  hash.update(`${name} ${matrix.dtype} ${matrix.rows} ${matrix.cols}\n`);
  if (matrix.contiguous) addBytes(hash, matrix.data.subarray(0, matrix.rows * matrix.cols));
  else for (let i = 0; i < matrix.rows; i++) addBytes(hash, matrix.row(i));
}

function addNumbers(hash: Hash, name: string, values: Int32Array | Uint8Array | Float64Array | undefined): void {
  if (!values) return;
  hash.update(`${name} ${values.BYTES_PER_ELEMENT} ${values.length}\n`);
  addBytes(hash, values);
}

function addStrings(hash: Hash, name: string, values: readonly string[] | undefined): void {
  if (values) hash.update(`${name} ${JSON.stringify(values)}\n`);
}

/** In pieces: one update takes less than 2³¹ bytes. */
function addBytes(hash: Hash, values: ArrayBufferView): void {
  for (let start = 0; start < values.byteLength; start += chunkBytes) {
    const length = Math.min(chunkBytes, values.byteLength - start);
    hash.update(new Uint8Array(values.buffer, values.byteOffset + start, length));
  }
}
