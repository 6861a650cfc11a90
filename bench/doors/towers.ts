/**
 * A small image-text model: ResNet-50 is its image tower; the text tower adds up GloVe vectors of the words of a text, brings the sum to
 * unit length and takes it to the space of the features by a linear map. The map is a ridge regression from the names of the auxiliary
 * species to the means of their pictures, its penalty the one that predicts a species best that was left out.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchReadyVectors, openVectors } from '../../src/language/index.js';
import { nameWords } from '../../src/language/names/forms.js';
import { type Backend, createBackend, Matrix } from '../../src/linalg/index.js';
import { addModel, findModel, getModel, type ImageModelEntry, loadFeatures } from '../../src/vision/index.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';

export const [imageTower, textTower] = ['doors-image', 'doors-text'];
const space = 'doors';
const tokensOfText = 16;
const penalties = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];

/** Writes the text tower and its tokenizer into a workspace with features, and registers both towers. */
export async function addTowers(folder: string, listed: readonly string[]): Promise<void> {
  const { features, categories } = await loadFeatures(join(folder, 'features', 'auxiliary'));
  const names = [...new Set(categories)];
  const source = await openVectors(await fetchReadyVectors('glove-100'));
  const words = [
    ...new Set([...names, ...listed].flatMap((name) => nameWords(name).map((word) => word.toLowerCase()))),
  ].sort();
  const found = await source.lookup(words);
  await source.close();
  const known = words.filter((word) => found.has(word));
  const table = unitRows(Matrix.from(known.map((word) => Array.from(found.get(word)!))));
  const inputs = unitRows(sumOfWords(names, known, table));
  const means = classMeans(features, categories, names);
  const backend = await createBackend();
  const { map, bias } = await ridge(backend, inputs, means);
  backend.dispose();
  writeFileSync(join(folder, 'tower.onnx'), tower(table, map, bias));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer(known)));
  const image = (await findModel('resnet50')) as ImageModelEntry;
  const { path } = await getModel(image);
  await addModel({ ...image, name: imageTower, source: { type: 'file', path }, space });
  await addModel({
    name: textTower,
    kind: 'text',
    description: 'GloVe and a linear map',
    source: { type: 'file', path: join(folder, 'tower.onnx') },
    licence: 'MIT',
    layer: 'text_embeds',
    reduction: 'flatten',
    space,
    tokenizer: { type: 'file', path: join(folder, 'tokenizer.json') },
    contextLength: tokensOfText,
  });
}

function sumOfWords(
  names: readonly string[],
  words: readonly string[],
  table: Matrix<Float64Array>,
): Matrix<Float64Array> {
  const sums = Matrix.zeros(names.length, table.cols);
  for (const [i, name] of names.entries())
    for (const word of nameWords(name)) {
      const row = words.indexOf(word.toLowerCase());
      if (row >= 0) for (let j = 0; j < table.cols; j++) sums.set(i, j, sums.at(i, j) + table.at(row, j));
    }
  return sums;
}

function unitRows(matrix: Matrix): Matrix<Float64Array> {
  const result = matrix.copy('float64');
  for (let i = 0; i < result.rows; i++) {
    const row = result.row(i);
    const length = Math.hypot(...row) || 1;
    for (let j = 0; j < row.length; j++) row[j] /= length;
  }
  return result;
}

/** Of pictures at unit length. */
function classMeans(features: Matrix, categories: readonly string[], names: readonly string[]): Matrix<Float64Array> {
  const rows = unitRows(features);
  const means = Matrix.zeros(names.length, features.cols);
  for (const [i, category] of categories.entries()) {
    const count = categories.filter((other) => other === category).length;
    const [mean, row] = [means.row(names.indexOf(category)), rows.row(i)];
    for (let j = 0; j < row.length; j++) mean[j] += row[j] / count;
  }
  return means;
}

/** W = X'(XX' + λI)⁻¹(Y − mean); λ by the residuals of leaving one out, (y − ŷ)/(1 − h). */
async function ridge(backend: Backend, x: Matrix<Float64Array>, y: Matrix<Float64Array>) {
  const bias = new Float64Array(y.cols);
  for (let i = 0; i < y.rows; i++) for (let j = 0; j < y.cols; j++) bias[j] += y.at(i, j) / y.rows;
  const centred = y.copy('float64');
  for (let i = 0; i < y.rows; i++) for (let j = 0; j < y.cols; j++) centred.set(i, j, y.at(i, j) - bias[j]);
  const kernel = Matrix.zeros(x.rows, x.rows);
  backend.gemm(kernel, x, x, { transposeB: true });
  let best = { error: Number.POSITIVE_INFINITY, solved: centred };
  for (const penalty of penalties) {
    const system = kernel.copy('float64');
    backend.addDiagonal(system, penalty);
    backend.cholesky(system);
    const hat = kernel.copy('float64');
    backend.choleskySolve(system, hat, 'columns');
    const solved = centred.copy('float64');
    backend.choleskySolve(system, solved, 'columns');
    let error = 0;
    for (let i = 0; i < x.rows; i++)
      // The residual of ridge regression is λ times the dual solution.
      for (let j = 0; j < y.cols; j++) error += ((penalty * solved.at(i, j)) / (1 - hat.at(i, i))) ** 2;
    if (error < best.error) best = { error, solved };
  }
  const map = Matrix.zeros(x.cols, y.cols);
  backend.gemm(map, x, best.solved, { transposeA: true });
  return { map, bias };
}

/** Markers and words that are not known have a row of zeros. */
const markers = ['<pad>', '</s>', '<unk>'];

function tower(table: Matrix<Float64Array>, map: Matrix<Float64Array>, bias: Float64Array): Uint8Array {
  const builder = new OnnxBuilder();
  const rows = new Float32Array((table.rows + markers.length) * table.cols);
  for (let i = 0; i < table.rows; i++) rows.set(table.row(i), (i + markers.length) * table.cols);
  builder.input('input_ids', ['texts', tokensOfText], 'int64');
  const vectors = builder.floats('table', [table.rows + markers.length, table.cols], rows);
  builder.node('Gather', [vectors, 'input_ids'], 'words');
  const axis = builder.integers('axis', [1]);
  const sum = builder.node('ReduceSum', ['words', axis], 'sum', { keepdims: 0 });
  builder.node('Mul', [sum, sum], 'squares');
  builder.node('ReduceSum', ['squares', axis], 'squared_length', { keepdims: 1 });
  builder.node('Add', ['squared_length', builder.scalar('tiny', 1e-12)], 'some_length');
  builder.node('Sqrt', ['some_length'], 'length');
  builder.node('Div', [sum, 'length'], 'unit');
  builder.node('MatMul', ['unit', builder.floats('map', [map.rows, map.cols], Float32Array.from(map.data))], 'mapped');
  builder.node('Add', ['mapped', builder.floats('bias', [bias.length], Float32Array.from(bias))], 'text_embeds');
  builder.output('text_embeds', ['texts', bias.length]);
  return builder.finish('text tower');
}

/** Whole words as SentencePiece unigrams. */
function tokenizer(words: readonly string[]) {
  return {
    added_tokens: markers.map((content, id) => ({ id, content, special: true })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
      pair: [],
      special_tokens: { '</s>': { id: '</s>', ids: [1], tokens: ['</s>'] } },
    },
    model: {
      type: 'Unigram',
      unk_id: 2,
      vocab: [...markers.map((piece) => [piece, 0]), ...words.map((word) => [`▁${word}`, -1])],
    },
  };
}
