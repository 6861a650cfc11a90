/**
 * A network ready to run in this thread: an onnxruntime session on one model file, cut at the layer wanted, which takes
 * pixels of pictures and gives one feature vector for each.
 */
import { readFile } from 'node:fs/promises';
import { BackendError } from '../errors.js';
import { halfToFloats, realsToHalves } from '../formats/index.js';
import { ModelError } from './errors.js';
import { exposeTensor, resolveLayer } from './onnx/expose.js';
import { readGraph } from './onnx/graph.js';
import { InferenceSession, sessionOptions, Tensor } from './onnxruntime.js';
import { createNormalizer, type Preprocessing } from './preprocessing.js';

export type Device = 'cpu' | 'cuda';
/** How a tensor with more axes than batch × dimension becomes a vector: all of it, its mean over positions, its first token. */
export type Reduction = 'flatten' | 'mean' | 'first';

export interface NetworkOptions {
  /** Path of an ONNX model. */
  readonly model: string;
  /** Name of a tensor or node. @default the model's only output */
  readonly layer?: string;
  readonly reduction: Reduction;
  readonly preprocessing: Preprocessing;
  readonly device: Device;
  /** Threads of this session. */
  readonly threads: number;
}

export class Network {
  readonly dimension: number;
  private readonly session: InferenceSession;
  private readonly options: NetworkOptions;
  private readonly input: PictureInput;
  private readonly normalize: ReturnType<typeof createNormalizer>;
  /** The network's input, kept from batch to batch: making it anew would cost as much as filling it. */
  private values = new Float32Array(0);

  private constructor(session: InferenceSession, options: NetworkOptions, input: PictureInput, dimension: number) {
    this.session = session;
    this.options = options;
    this.input = input;
    this.normalize = createNormalizer(options.preprocessing, input.layout);
    this.dimension = dimension;
  }

  static async open(options: NetworkOptions): Promise<Network> {
    const session = await openSession(options);
    const input = pictureInput(session, options);
    const probe = new Network(session, options, input, 0);
    const blank = new Uint8Array(probe.pixelBytes).fill(128);
    const dimension = (await probe.runOnce(blank, 1)).length;
    return new Network(session, options, input, dimension);
  }

  /** Bytes of one picture: height × width × RGB. */
  get pixelBytes(): number {
    const [height, width] = this.options.preprocessing.size;
    return height * width * 3;
  }

  /** Features of `count` pictures that follow one another in `pixels`: count × dimension. */
  async run(pixels: Uint8Array, count: number): Promise<Float32Array> {
    const { batch } = this.input;
    if (batch === undefined) return this.runOnce(pixels, count);
    const features = new Float32Array(count * this.dimension);
    for (let done = 0; done < count; done += batch) {
      const part = Math.min(batch, count - done);
      const some = pixels.subarray(done * this.pixelBytes, (done + part) * this.pixelBytes);
      features.set(await this.runOnce(some, part), done * this.dimension);
    }
    return features;
  }

  async close(): Promise<void> {
    await this.session.release();
  }

  private async runOnce(pixels: Uint8Array, count: number): Promise<Float32Array> {
    const { name, layout, type } = this.input;
    // A model made for one batch size computes the places that are left too; nobody looks at what comes out of them.
    const rows = this.input.batch ?? count;
    const [height, width] = this.options.preprocessing.size;
    if (this.values.length !== rows * this.pixelBytes) this.values = new Float32Array(rows * this.pixelBytes);
    const { values } = this;
    for (let i = 0; i < count; i++) this.normalize(pixels, i * this.pixelBytes, values, i * this.pixelBytes);
    const shape = layout === 'NCHW' ? [rows, 3, height, width] : [rows, height, width, 3];
    const tensor =
      type === 'float16' ? new Tensor('float16', realsToHalves(values), shape) : new Tensor('float32', values, shape);
    const output = await this.session.run({ [name]: tensor }).catch((error: Error) => {
      throw new ModelError(`${this.options.model} failed: ${error.message}`, undefined, error);
    });
    return reduce(output[this.session.outputNames[0]] as Tensor, rows, count, layout, this.options);
  }
}

async function openSession(options: NetworkOptions): Promise<InferenceSession> {
  const { model, layer, device, threads } = options;
  const bytes = await readFile(model).catch((error: Error) => {
    throw new ModelError(`${model} cannot be read: ${error.message}`, undefined, error);
  });
  const graph = readGraph({ bytes, file: model });
  if (layer === undefined && graph.outputs.length !== 1)
    throw new ModelError(
      `${model} has ${graph.outputs.length} outputs: ${graph.outputs.map((output) => output.name).join(', ')}`,
      'Say which one with --layer.',
    );
  const tensor = resolveLayer(graph, layer ?? graph.outputs[0].name);
  const cut = await exposeTensor(graph, tensor);
  const engine = sessionOptions(device, threads);
  try {
    return await InferenceSession.create(cut, {
      ...engine,
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
      // Waiting threads must not take the processors that decode the next pictures.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
  } catch (error) {
    const problem = (error as Error).message;
    if (device === 'cuda')
      throw new BackendError(
        `onnxruntime has no CUDA here: ${problem}`,
        'Run "node node_modules/onnxruntime-node/script/install.js --onnxruntime-node-install=cuda12" once where the network allows it, with CUDA 12 and cuDNN 9 installed, or use --device cpu.',
        error,
      );
    throw new ModelError(`${model} cannot be loaded: ${problem}`, undefined, error);
  }
}

interface PictureInput {
  name: string;
  type: 'float32' | 'float16';
  layout: 'NCHW' | 'NHWC';
  /** Where the model was made for one batch size only. */
  batch: number | undefined;
}

function pictureInput(session: InferenceSession, options: NetworkOptions): PictureInput {
  const { model, preprocessing } = options;
  if (session.inputMetadata.length !== 1)
    throw new ModelError(
      `${model} takes ${session.inputMetadata.length} inputs (${session.inputNames.join(', ')}), a picture network takes one`,
      'Text towers are for "bowerbird models embed-names".',
    );
  const [input] = session.inputMetadata;
  if (!input.isTensor || input.shape.length !== 4 || (input.type !== 'float32' && input.type !== 'float16'))
    throw new ModelError(
      `${model}: input "${input.name}" is ${input.isTensor ? `${input.type}[${input.shape.join(', ')}]` : 'no tensor'}, expected pictures as float32 or float16`,
    );
  const layout = input.shape[1] !== 3 && input.shape[3] === 3 ? 'NHWC' : 'NCHW';
  const wanted = layout === 'NCHW' ? [3, ...preprocessing.size] : [...preprocessing.size, 3];
  if (input.shape.slice(1).some((size, i) => typeof size === 'number' && size > 0 && size !== wanted[i]))
    throw new ModelError(
      `${model}: input "${input.name}" has shape [${input.shape.join(', ')}], the preprocessing makes ${wanted.join('×')}`,
      'Give a preprocessing with the size this model wants.',
    );
  const [batch] = input.shape;
  return {
    name: input.name,
    type: input.type,
    layout,
    batch: typeof batch === 'number' && batch > 0 ? batch : undefined,
  };
}

/** Rows of `tensor` as vectors; only the first `count` of its `rows` are real pictures. */
function reduce(
  tensor: Tensor,
  rows: number,
  count: number,
  layout: 'NCHW' | 'NHWC',
  options: NetworkOptions,
): Float32Array {
  const { dims } = tensor;
  if (dims[0] !== rows || dims.length < 2)
    throw new ModelError(
      `layer "${options.layer ?? 'output'}" of ${options.model} has shape [${dims.join(', ')}] for ${rows} pictures; the first axis must be the pictures`,
    );
  const data = floats(tensor, options);
  const length = data.length / rows;
  if (dims.length === 2 || options.reduction === 'flatten') return data.slice(0, count * length);
  // Positions × channels: tokens and NHWC maps have channels last, NCHW maps first.
  const channelsFirst = dims.length === 4 && layout === 'NCHW';
  const channels = channelsFirst ? dims[1] : dims[dims.length - 1];
  const positions = length / channels;
  const [channelStep, positionStep] = channelsFirst ? [positions, 1] : [1, channels];
  const used = options.reduction === 'first' ? 1 : positions;
  const result = new Float32Array(count * channels);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < channels; c++) {
      let sum = 0;
      for (let p = 0; p < used; p++) sum += data[i * length + c * channelStep + p * positionStep];
      result[i * channels + c] = sum / used;
    }
  return result;
}

function floats(tensor: Tensor, options: NetworkOptions): Float32Array {
  if (tensor.type === 'float32') return tensor.data as Float32Array;
  if (tensor.type === 'float64') return Float32Array.from(tensor.data as Float64Array);
  if (tensor.type === 'float16') {
    const values = new Float32Array(tensor.size);
    const { buffer, byteOffset } = tensor.data as Uint16Array;
    halfToFloats(new Uint16Array(buffer, byteOffset, tensor.size), values);
    return values;
  }
  throw new ModelError(`layer "${options.layer ?? 'output'}" of ${options.model} holds ${tensor.type}, not reals`);
}
