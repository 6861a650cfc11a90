/** Layers that shift and scale with fixed numbers once a network is trained. */
import { Chain, kerasInput, option, type Translation, unsupported, type Value } from './tensors.js';

/** y = γ (x − mean) / √(variance + ε) + β, channel by channel. */
export function batchNormalization(translation: Translation): Value {
  const [input] = translation.inputs;
  const rank = input.shape.length;
  const given = option<number | number[]>(translation, 'axis', -1);
  const axis = Array.isArray(given) ? given[0] : given;
  if (axis !== -1 && axis !== rank) throw unsupported(translation, `axis ${axis} is not the channels`);
  if (rank === 2) throw unsupported(translation, 'sequences are not translated');
  const { builder } = translation;
  const chain = new Chain(translation, input.tensor);
  const mean = translation.weight('moving_mean');
  const channels = mean.shape[0];
  const constant = (name: string, fallback: number, present: boolean) =>
    builder.floats(
      chain.name(name),
      [channels],
      present ? translation.weight(name).values : new Float32Array(channels).fill(fallback),
    );
  chain.apply(
    'BatchNormalization',
    [
      constant('gamma', 1, option(translation, 'scale', true)),
      constant('beta', 0, option(translation, 'center', true)),
      builder.floats(chain.name('moving_mean'), [channels], mean.values),
      builder.floats(chain.name('moving_variance'), [channels], translation.weight('moving_variance').values),
    ],
    { epsilon: { float: option(translation, 'epsilon', 1e-3) } },
  );
  return chain.end(input.shape);
}

/** y = scale · x + offset, the same or per channel. */
export function rescaling(translation: Translation): Value {
  const input = kerasInput(translation);
  const { builder } = translation;
  const chain = new Chain(translation, input.tensor);
  const numbers = (name: string, fallback: number) => {
    const value = option<number | number[]>(translation, name, fallback);
    const list = Float32Array.from(Array.isArray(value) ? value : [value]);
    return builder.floats(chain.name(name), [list.length], list);
  };
  chain.apply('Mul', [numbers('scale', 1)]).apply('Add', [numbers('offset', 0)]);
  return chain.end(input.shape, 'keras');
}

/** y = x for x ≥ 0, αx below, α learnt per channel (and per pixel unless the axes are shared). */
export function parametricRectifier(translation: Translation): Value {
  const input = kerasInput(translation);
  const { shape, values } = translation.weight('alpha');
  const chain = new Chain(translation, input.tensor);
  chain.apply('PRelu', [translation.builder.floats(chain.name('alpha'), shape, values)]);
  return chain.end(input.shape, 'keras');
}
