/**
 * Office-Caltech10 with SURF features (Gong et al., CVPR 2012): ten categories in four domains, histograms of 800 visual
 * words. As in the published figures a histogram is divided by its sum, then every word is z-scored within its domain.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { matToArray, readMat, toInt32, toMatrix } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';

export interface Domain {
  features: Matrix<Float64Array>;
  /** 0 … 9. */
  labels: Int32Array;
}

const files = { C: 'Caltech10', A: 'amazon', W: 'webcam', D: 'dslr' } as const;
export type DomainName = keyof typeof files;

export interface Published {
  /** `source-target`, for example `C-A`. */
  tasks: string[];
  published: Record<string, number[]>;
}

export async function readPublished(folder: string): Promise<Published> {
  return JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as Published;
}

export async function loadDomains(folder: string): Promise<Record<DomainName, Domain>> {
  const entries = Object.entries(files).map(async ([name, file]) => [name, await loadDomain(folder, file)] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<DomainName, Domain>;
}

async function loadDomain(folder: string, file: string): Promise<Domain> {
  const variables = await readMat(join(folder, `${file}_SURF_L10.mat`));
  const labels = toInt32(matToArray(variables.get('labels')!)).map((label) => label - 1);
  return { features: zScored(shares(toMatrix(matToArray(variables.get('fts')!)))), labels };
}

/** Every row divided by its sum. */
function shares(histograms: Matrix): Matrix<Float64Array> {
  const result = histograms.copy('float64');
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    const sum = row.reduce((total, value) => total + value, 0) || 1;
    for (let j = 0; j < row.length; j++) row[j] /= sum;
  }
  return result;
}

function zScored(matrix: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = Matrix.zeros(matrix.rows, matrix.cols);
  for (let j = 0; j < matrix.cols; j++) {
    let [mean, squares] = [0, 0];
    for (let i = 0; i < matrix.rows; i++) mean += matrix.at(i, j) / matrix.rows;
    for (let i = 0; i < matrix.rows; i++) squares += (matrix.at(i, j) - mean) ** 2;
    const deviation = Math.sqrt(squares / (matrix.rows - 1)) || 1;
    for (let i = 0; i < matrix.rows; i++) result.set(i, j, (matrix.at(i, j) - mean) / deviation);
  }
  return result;
}
