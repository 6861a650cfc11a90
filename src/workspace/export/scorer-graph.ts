/**
 * A scorer as nodes of an ONNX graph. Only operators that mean the same in every opset since 9 are used, so that the
 * nodes can follow any network: lengths are computed by a product with ones, not by a reduction.
 */
import type { Model } from '../../fit/index.js';
import type { Matrix } from '../../linalg/index.js';
import type { StrangerDecision } from '../../problem/index.js';
import { OnnxBuilder } from '../../vision/index.js';
import type { GraphMetadata } from './metadata.js';

/** What a model is to its graph. */
export type ExportedModel = Pick<Model, 'scorer' | 'sharpness' | 'strangers'>;

/**
 * Adds the nodes that turn `features` (n×d) into `scores` and, where they are known, `confidences` (both n×C) and the chance
 * that a picture shows none of the categories, `unlisted` (n×1).
 */
export function addScorer(builder: OnnxBuilder, features: string, model: ExportedModel): void {
  const { scorer, sharpness, strangers } = model;
  const { map, weights, bias, names } = scorer;
  const d = (map ?? weights).rows;
  const scaled = scorer.normalize === 'unit' ? addUnitLength(builder, features, d, 'scorer/features') : features;
  let current = scorer.power === undefined ? scaled : addPower(builder, scaled, d, scorer.power, 'scorer');
  if (map) {
    builder.floats('scorer/map', [map.rows, map.cols], values(map));
    current = builder.node('MatMul', [current, 'scorer/map'], 'scorer/semantics');
  }
  if (scorer.unitSemantics) current = addUnitLength(builder, current, weights.rows, 'scorer/direction');
  builder.floats('scorer/weights', [weights.rows, weights.cols], values(weights));
  builder.floats('scorer/bias', [1, bias.length], Float32Array.from(bias));
  const products = builder.node('MatMul', [current, 'scorer/weights'], 'scorer/products');
  builder.node('Add', [products, 'scorer/bias'], 'scores');
  builder.output('scores', ['pictures', names.length]);
  if (!sharpness) return;
  builder.scalar('scorer/sharpness', 1 / (sharpness.temperature * sharpness.spread));
  builder.scalar('scorer/certainty', 1 - sharpness.doubt);
  builder.scalar('scorer/doubt', sharpness.doubt / names.length);
  const sharp = builder.node('Mul', ['scores', 'scorer/sharpness'], 'scorer/sharp');
  const chances = builder.node('Softmax', [sharp], 'scorer/chances', { axis: 1 });
  const certain = builder.node('Mul', [chances, 'scorer/certainty'], 'scorer/certain');
  const listed = builder.node('Add', [certain, 'scorer/doubt'], strangers ? 'scorer/listed' : 'confidences');
  if (strangers) {
    const raised = addPower(builder, scaled, d, strangers.power, 'strangers');
    builder.node('Sigmoid', [addStrangerOdds(builder, raised, strangers)], 'unlisted');
    builder.scalar('strangers/one', 1);
    const rest = builder.node('Sub', ['strangers/one', 'unlisted'], 'strangers/rest');
    builder.node('Mul', [listed, rest], 'confidences');
  }
  builder.output('confidences', ['pictures', names.length]);
  if (strangers) builder.output('unlisted', ['pictures', 1]);
}

function addPower(builder: OnnxBuilder, input: string, d: number, power: number, name: string): string {
  builder.scalar(`${name}/power`, power);
  const signs = builder.node('Sign', [input], `${name}/signs`);
  const sizes = builder.node('Abs', [input], `${name}/sizes`);
  const raised = builder.node('Pow', [sizes, `${name}/power`], `${name}/raised`);
  return addUnitLength(builder, builder.node('Mul', [signs, raised], `${name}/powers`), d, `${name}/powered`);
}

/** The log odds of `StrangerDecision`, n×1. */
function addStrangerOdds(builder: OnnxBuilder, input: string, strangers: StrangerDecision): string {
  const { weights, bias, candidates, coefficients, intercept } = strangers;
  const columns = (name: string, from: number, to: number) => {
    const part = weights.view(0, weights.rows, from, to);
    builder.floats(`${name}/weights`, [part.rows, part.cols], values(part));
    builder.floats(`${name}/bias`, [1, part.cols], Float32Array.from(bias.subarray(from, to)));
    const products = builder.node('MatMul', [input, `${name}/weights`], `${name}/products`);
    return builder.node('Add', [products, `${name}/bias`], `${name}/scores`);
  };
  const listed = columns('strangers/listed', 0, candidates);
  const known = columns('strangers/known', candidates, weights.cols);
  const best = addMaximum(builder, listed, candidates, 'strangers/best');
  const all = addLogSumExp(builder, listed, best, candidates, 'strangers/all');
  const others = weights.cols - candidates;
  const bestKnown = addMaximum(builder, known, others, 'strangers/known-best');
  const allKnown = addLogSumExp(builder, known, bestKnown, others, 'strangers/known-all');
  // The second: the largest once the best is moved out of the way.
  builder.scalar('strangers/one-less', 1);
  builder.scalar('strangers/far', 1e6);
  const below = builder.node('Sub', [best, listed], 'strangers/below');
  const other = builder.node('Sign', [below], 'strangers/other');
  const isBest = builder.node('Sub', ['strangers/one-less', other], 'strangers/is-best');
  const away = builder.node('Mul', [isBest, 'strangers/far'], 'strangers/away');
  const rest = builder.node('Sub', [listed, away], 'strangers/others');
  const second = addMaximum(builder, rest, candidates, 'strangers/second');
  const gap = builder.node('Sub', [best, second], 'strangers/gap');
  builder.scalar('strangers/intercept', intercept);
  return [all, gap, allKnown, best].reduce((sum, sign, k) => {
    builder.scalar(`strangers/coefficient-${k}`, coefficients[k]);
    const part = builder.node('Mul', [sign, `strangers/coefficient-${k}`], `strangers/part-${k}`);
    return builder.node('Add', [sum, part], `strangers/sum-${k}`);
  }, 'strangers/intercept');
}

/** The largest of each row, n×1: a pooling over all columns. */
function addMaximum(builder: OnnxBuilder, input: string, columns: number, name: string): string {
  builder.integers(`${name}/picture`, [-1, 1, columns, 1]);
  builder.integers(`${name}/column`, [-1, 1]);
  const picture = builder.node('Reshape', [input, `${name}/picture`], `${name}/pictures`);
  const pooled = builder.node('GlobalMaxPool', [picture], `${name}/pooled`);
  return builder.node('Reshape', [pooled, `${name}/column`], `${name}/largest`);
}

function addLogSumExp(builder: OnnxBuilder, input: string, most: string, columns: number, name: string): string {
  builder.floats(`${name}/ones`, [columns, 1], new Float32Array(columns).fill(1));
  const below = builder.node('Sub', [input, most], `${name}/below`);
  const powers = builder.node('Exp', [below], `${name}/exponentials`);
  const sum = builder.node('MatMul', [powers, `${name}/ones`], `${name}/sum`);
  return builder.node('Add', [builder.node('Log', [sum], `${name}/log`), most], `${name}/total`);
}

function addUnitLength(builder: OnnxBuilder, input: string, columns: number, name: string): string {
  builder.floats(`${name}/ones`, [columns, 1], new Float32Array(columns).fill(1));
  builder.scalar(`${name}/least`, 1e-20);
  const squares = builder.node('Mul', [input, input], `${name}/squares`);
  const sums = builder.node('MatMul', [squares, `${name}/ones`], `${name}/sums`);
  const length = builder.node('Sqrt', [sums], `${name}/length`);
  const safe = builder.node('Max', [length, `${name}/least`], `${name}/safe`);
  return builder.node('Div', [input, safe], `${name}/unit`);
}

function values(matrix: Matrix): Float32Array {
  return matrix.copy('float32').data;
}

/** Features in, scores out. */
export function scorerModel(model: ExportedModel, metadata: GraphMetadata = {}): Uint8Array {
  const { map, weights } = model.scorer;
  const builder = new OnnxBuilder();
  builder.input('features', ['pictures', (map ?? weights).rows]);
  addScorer(builder, 'features', model);
  return builder.finish('bowerbird classifier', metadata);
}
