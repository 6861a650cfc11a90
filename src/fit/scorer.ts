/**
 * A fitted classifier as a few matrices, whatever method it came from: x̂ = x/‖x‖ where features are scaled to unit
 * length, then the method's formula (`LinearDecision`). With it go its file and, where it was learnt, how sharply its
 * scores decide.
 */
import { ArgumentError, FormatError } from '../errors.js';
import { openSafetensors, toMatrix, writeSafetensors } from '../formats/index.js';
import type { Backend } from '../linalg/index.js';
import { Matrix } from '../linalg/index.js';
import type { LinearDecision } from '../problem/index.js';
import { type Answers, answersOf } from './answers.js';
import { chancesOf, type Sharpness } from './calibration.js';

export interface LinearScorer extends LinearDecision {
  /** Whether features are brought to unit length first. */
  readonly normalise: 'unit' | 'none';
  readonly names: readonly string[];
}

/** What classifies pictures that were not part of the fit. */
export interface Model {
  readonly scorer: LinearScorer;
  readonly method: string;
  /** How the scorer came about, in words. */
  readonly kind: string;
  /** Absent where no confidence could be learnt. */
  readonly sharpness?: Sharpness;
  /** Fingerprint of how the features were made, where that is known. */
  readonly features?: string;
}

/** n×C scores of features as the network gives them; the largest one decides. */
export function scorePictures(scorer: LinearScorer, features: Matrix, backend: Backend): Matrix<Float64Array> {
  const d = (scorer.map ?? scorer.weights).rows;
  if (features.cols !== d)
    throw new ArgumentError(`the classifier takes ${d} features a picture, these have ${features.cols}`);
  let current = features.copy('float64');
  if (scorer.normalise === 'unit') unitRows(current);
  if (scorer.power !== undefined) {
    const { power } = scorer;
    for (let i = 0; i < current.data.length; i++)
      current.data[i] = Math.sign(current.data[i]) * Math.abs(current.data[i]) ** power;
    unitRows(current);
  }
  if (scorer.map) current = product(backend, current, scorer.map);
  if (scorer.unitSemantics) unitRows(current);
  const scores = product(backend, current, scorer.weights);
  for (let i = 0; i < scores.rows; i++) {
    const row = scores.row(i);
    for (let c = 0; c < row.length; c++) row[c] += scorer.bias[c];
  }
  return scores;
}

/** What a model says about pictures, from their features as the network gives them. */
export function classifyFeatures({ scorer, sharpness }: Model, features: Matrix, backend: Backend): Answers {
  const scores = scorePictures(scorer, features, backend);
  return answersOf(scores, scorer.names, sharpness && { chances: { listed: chancesOf(scores, sharpness) } });
}

/** Rows without length stay as they are. */
function unitRows(matrix: Matrix): void {
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    let squares = 0;
    for (let j = 0; j < row.length; j++) squares += row[j] * row[j];
    const length = Math.sqrt(squares) || 1;
    for (let j = 0; j < row.length; j++) row[j] /= length;
  }
}

function product(backend: Backend, a: Matrix<Float64Array>, b: Matrix<Float64Array>): Matrix<Float64Array> {
  const result = Matrix.zeros(a.rows, b.cols);
  backend.gemm(result, a, b);
  return result;
}

const format = 'bowerbird-model-1';

export async function saveModel(path: string, model: Model): Promise<void> {
  const { scorer, method, kind, sharpness, features } = model;
  const { map, weights, bias, names, normalise, power, unitSemantics = false } = scorer;
  const metadata = {
    ...{ format, method, kind, normalise, names: JSON.stringify(names), unitSemantics: String(unitSemantics) },
    ...(power !== undefined && { power: String(power) }),
    ...(sharpness && { temperature: String(sharpness.temperature), spread: String(sharpness.spread) }),
    ...(features !== undefined && { features }),
  };
  const vector = { shape: [bias.length], dtype: 'float64' as const, data: bias };
  await writeSafetensors(path, { ...(map && { map }), weights, bias: vector }, { metadata });
}

/** @throws FormatError for a file that is no model of this version */
export async function loadModel(path: string): Promise<Model> {
  const file = await openSafetensors(path);
  try {
    const { metadata, names: arrays } = file;
    const { method, kind, temperature, spread, features } = metadata;
    if (metadata.format !== format)
      throw new FormatError(
        path,
        undefined,
        `is not a saved model (format "${metadata.format ?? 'none'}"; "${format}" was expected)`,
        'If an earlier version of bowerbird wrote it, fit again.',
      );
    const matrix = async (name: string) => toMatrix(await file.read(name), 'float64', { name, file: path });
    const scorer: LinearScorer = {
      ...(arrays.includes('map') && { map: await matrix('map') }),
      weights: await matrix('weights'),
      bias: Float64Array.from((await file.read('bias')).data as Float64Array),
      normalise: metadata.normalise === 'unit' ? 'unit' : 'none',
      unitSemantics: metadata.unitSemantics === 'true',
      ...(metadata.power !== undefined && { power: Number(metadata.power) }),
      names: JSON.parse(metadata.names) as string[],
    };
    return {
      ...{ scorer, method, kind },
      ...(temperature !== undefined && { sharpness: { temperature: Number(temperature), spread: Number(spread) } }),
      ...(features !== undefined && { features }),
    };
  } finally {
    await file.close();
  }
}
