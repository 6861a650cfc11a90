/**
 * Tensors during translation. Keras keeps channels last (batch, height, width, channels), ONNX first: spatial tensors are
 * always held channels first, and transposed around the few layers whose meaning depends on Keras' order.
 */
import { ModelError, UnsupportedLayerError } from '../errors.js';
import type { Attributes, OnnxBuilder } from '../onnx/build.js';
import type { LayerCall } from './topology.js';
import type { Weight } from './weights.js';

export interface Value {
  readonly tensor: string;
  /** Keras' shape without the batch: [height, width, channels] for a spatial tensor. */
  readonly shape: readonly number[];
}

/** What the translation of one layer call works with. */
export interface Translation {
  readonly call: LayerCall;
  readonly inputs: readonly Value[];
  readonly builder: OnnxBuilder;
  readonly kerasVersion: number;
  /** A weight of this layer by its own name, such as `kernel`. */
  weight(name: string): Weight;
}

export function option<T>(translation: Translation, name: string, fallback: T): T {
  const value = translation.call.config[name];
  return value === undefined || value === null ? fallback : (value as T);
}

export function unsupported(translation: Translation, problem: string): UnsupportedLayerError {
  return new UnsupportedLayerError(translation.call.type, translation.call.name, problem);
}

/** The only input, which must be spatial. */
export function spatialInput(translation: Translation): Value {
  const [input] = translation.inputs;
  if (input.shape.length !== 3)
    throw unsupported(translation, `needs a picture-shaped input, found shape [${input.shape.join(', ')}]`);
  if (option(translation, 'data_format', 'channels_last') !== 'channels_last')
    throw unsupported(translation, 'channels_first is not translated');
  return input;
}

/** The only input in Keras' order of axes. */
export function kerasInput(translation: Translation): Value {
  const [input] = translation.inputs;
  if (input.shape.length !== 3) return input;
  const name = `${translation.call.name}/channels_last`;
  return { ...input, tensor: translation.builder.node('Transpose', [input.tensor], name, { perm: [0, 2, 3, 1] }) };
}

/**
 * Adds the operations of a layer one after another. The last one's output gets the layer's own name, which is how a
 * user asks for it, so the newest operation waits until it is known whether another follows.
 */
export class Chain {
  private readonly translation: Translation;
  private running: string;
  private waiting: { type: string; extra: readonly string[]; attributes: Attributes } | undefined;
  private steps = 0;

  constructor(translation: Translation, start: string) {
    this.translation = translation;
    this.running = start;
  }

  /** `extra` tensors follow the running one as inputs. */
  apply(type: string, extra: readonly string[] = [], attributes: Attributes = {}): this {
    this.settle();
    this.waiting = { type, extra, attributes };
    return this;
  }

  /** Name for a constant or an inner tensor of this layer. */
  name(part: string): string {
    return `${this.translation.call.name}/${part}`;
  }

  /** The tensor that holds the running value, for operations that read it twice. */
  settle(): string {
    if (this.waiting) this.emit(this.name(`step_${++this.steps}`));
    return this.running;
  }

  /** `order` says how the running value holds its channels. */
  end(shape: readonly number[], order: 'onnx' | 'keras' = 'onnx'): Value {
    if (order === 'keras' && shape.length === 3) this.apply('Transpose', [], { perm: [0, 3, 1, 2] });
    this.waiting ??= { type: 'Identity', extra: [], attributes: {} };
    this.emit(this.translation.call.name);
    for (const size of shape)
      if (!(Number.isInteger(size) && size > 0))
        throw new ModelError(
          `layer "${this.translation.call.name}" would have shape [${shape.join(', ')}]`,
          'The input size is too small for this network.',
        );
    return { tensor: this.running, shape };
  }

  private emit(output: string): void {
    const { type, extra, attributes } = this.waiting!;
    this.running = this.translation.builder.node(type, [this.running, ...extra], output, attributes);
    this.waiting = undefined;
  }
}
