/**
 * A scorer as nodes of an ONNX graph. Only operators that mean the same in every opset since 9 are used, so that the
 * nodes can follow any network: lengths are computed by a product with ones, not by a reduction.
 */
import type { LinearScorer, Sharpness } from '../../fit/index.js';
import type { Matrix } from '../../linalg/index.js';
import { OnnxBuilder } from '../../vision/index.js';

/** Adds the nodes that turn `features` (n×d) into `scores` and, where it is calibrated, `confidences` (n×C). */
export function addScorer(
  builder: OnnxBuilder,
  features: string,
  scorer: LinearScorer,
  sharpness: Sharpness | undefined,
): void {
  const { map, weights, bias, names } = scorer;
  const d = (map ?? weights).rows;
  let current = features;
  if (scorer.normalise === 'unit') current = addUnitLength(builder, current, d, 'scorer/features');
  if (scorer.power !== undefined) {
    builder.scalar('scorer/power', scorer.power);
    const signs = builder.node('Sign', [current], 'scorer/signs');
    const sizes = builder.node('Abs', [current], 'scorer/sizes');
    const raised = builder.node('Pow', [sizes, 'scorer/power'], 'scorer/raised');
    current = addUnitLength(builder, builder.node('Mul', [signs, raised], 'scorer/powers'), d, 'scorer/powered');
  }
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
  const scaled = builder.node('Mul', ['scores', 'scorer/sharpness'], 'scorer/scaled');
  builder.node('Softmax', [scaled], 'confidences', { axis: 1 });
  builder.output('confidences', ['pictures', names.length]);
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
export function scorerModel(scorer: LinearScorer, sharpness: Sharpness | undefined): Uint8Array {
  const builder = new OnnxBuilder();
  builder.input('features', ['pictures', (scorer.map ?? scorer.weights).rows]);
  addScorer(builder, 'features', scorer, sharpness);
  return builder.finish('bowerbird classifier');
}
