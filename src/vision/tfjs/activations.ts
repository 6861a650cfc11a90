/** Activations: f(x) element by element, or softmax over the last axis. */
import { type Chain, option, type Translation, unsupported } from './tensors.js';

/** Adds the activation that a layer's `activation` option names; `channelAxis` is where softmax works. */
export function activate(translation: Translation, chain: Chain, name: string, channelAxis: number): Chain {
  switch (name) {
    case 'linear':
      return chain;
    case 'relu':
      return chain.apply('Relu');
    case 'relu6':
      return clip(translation, chain, 0, 6);
    case 'sigmoid':
      return chain.apply('Sigmoid');
    case 'tanh':
      return chain.apply('Tanh');
    case 'softmax':
      return chain.apply('Softmax', [], { axis: channelAxis });
    case 'elu':
      return chain.apply('Elu', [], { alpha: { float: 1 } });
    case 'selu':
      return chain.apply('Selu');
    case 'softplus':
      return chain.apply('Softplus');
    case 'softsign':
      return chain.apply('Softsign');
    case 'exponential':
      return chain.apply('Exp');
    // max(0, min(1, 0.2 x + 0.5)) until Keras 2, max(0, min(1, x / 6 + 0.5)) since.
    case 'hard_sigmoid':
      return chain.apply('HardSigmoid', [], { alpha: translation.kerasVersion >= 3 ? 1 / 6 : 0.2, beta: 0.5 });
    case 'swish':
    case 'silu':
      return multiplyByOwn(translation, chain, 'Sigmoid');
    default:
      throw unsupported(translation, `activation "${name}" is not translated`);
  }
}

/** x · g(x) */
function multiplyByOwn(translation: Translation, chain: Chain, gate: string): Chain {
  const gated = translation.builder.node(gate, [chain.settle()], chain.name('gate'));
  return chain.apply('Mul', [gated]);
}

function clip(translation: Translation, chain: Chain, low: number, high: number): Chain {
  const { builder } = translation;
  return chain.apply('Clip', [builder.scalar(chain.name('low'), low), builder.scalar(chain.name('high'), high)]);
}

/** ReLU with Keras' options: f(x) = max_value for x ≥ max_value, x above the threshold, slope · (x − threshold) below. */
export function rectify(translation: Translation, chain: Chain): Chain {
  const slope = Number(
    option<number | number[]>(translation, 'negative_slope', option(translation, 'negativeSlope', 0)),
  );
  const threshold = Number(option<number | number[]>(translation, 'threshold', 0));
  const ceiling = option<number | null>(translation, 'max_value', option<number | null>(translation, 'maxValue', null));
  if (threshold !== 0) throw unsupported(translation, `a threshold of ${threshold} is not translated`);
  if (slope !== 0 && ceiling !== null)
    throw unsupported(translation, 'a slope together with a ceiling is not translated');
  if (slope !== 0) return chain.apply('LeakyRelu', [], { alpha: { float: slope } });
  return ceiling === null ? chain.apply('Relu') : clip(translation, chain, 0, Number(ceiling));
}
