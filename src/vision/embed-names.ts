/**
 * Names as semantic vectors, from the text tower of a CLIP-type model: each name is put into every template, the unit
 * vectors of the texts are averaged, and the mean is brought to unit length again (Radford et al. 2021, section 3.1.4).
 */
import { readFile } from 'node:fs/promises';
import { ArgumentError, UsageError } from '../errors.js';
import { Matrix } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import { ModelError } from './errors.js';
import { getFile, type ModelFile, type RegistryOptions } from './get-model.js';
import { exposeTensor, resolveLayer } from './onnx/expose.js';
import { readGraph } from './onnx/graph.js';
import { InferenceSession, Tensor } from './onnxruntime.js';
import { readTokenizer, type Tokenizer } from './tokenizer.js';

export interface EmbedNamesOptions extends RegistryOptions {
  /** Each holds `{}`, where the name goes. @default ['a photo of a {}.'] */
  templates?: readonly string[];
  /** Texts in one call of the network. @default 32 */
  batch?: number;
  onName?: (progress: Progress) => void;
}

/**
 * One unit vector for each name, as rows; of a name in several spellings, such as the common and the scientific one, the
 * mean over all of them.
 * @example const vectors = await embedNames(['Yellow Warbler'], await getModel(await findModel('clip-vit-b32-text')));
 */
export async function embedNames(
  names: readonly (string | readonly string[])[],
  file: ModelFile,
  options: EmbedNamesOptions = {},
): Promise<Matrix<Float32Array>> {
  const { entry } = file;
  const { templates = ['a photo of a {}.'], batch = 32, signal, onName } = options;
  if (entry.kind !== 'text')
    throw new UsageError(
      `model "${entry.name}" is for pictures`,
      'Names need a text tower, such as clip-vit-b32-text.',
    );
  if (names.length === 0) throw new ArgumentError('embedNames: there are no names');
  for (const template of templates)
    if (!template.includes('{}')) throw new UsageError(`template "${template}" has no {} for the name`);
  const vocabulary = await getFile(`${entry.name}-tokenizer`, entry.tokenizer, '.json', options);
  const tower = await TextTower.open(file, await readTokenizer(vocabulary.path), entry.contextLength, entry.layer);
  try {
    const texts = names.map((spellings) =>
      [spellings].flat().flatMap((name) => templates.map((template) => template.replaceAll('{}', name))),
    );
    const all = texts.flat();
    // Names that are done, by the number of texts that are.
    const ends: number[] = [];
    for (const own of texts) ends.push((ends.at(-1) ?? 0) + own.length);
    const vectors: Float32Array[] = [];
    for (let done = 0; done < all.length; done += batch) {
      signal?.throwIfAborted();
      vectors.push(...(await tower.embed(all.slice(done, done + batch))));
      onName?.({ done: ends.filter((end) => end <= vectors.length).length, total: names.length, unit: 'names' });
    }
    const result = Matrix.zeros(names.length, vectors[0].length, 'float32');
    texts.forEach((own, i) => {
      const row = result.row(i);
      for (let t = ends[i] - own.length; t < ends[i]; t++) {
        const vector = unit(vectors[t]);
        for (let j = 0; j < row.length; j++) row[j] += vector[j] / own.length;
      }
      row.set(unit(row));
    });
    return result;
  } finally {
    await tower.close();
  }
}

class TextTower {
  private readonly session: InferenceSession;
  private readonly tokenizer: Tokenizer;
  private readonly length: number;
  private readonly file: ModelFile;

  private constructor(session: InferenceSession, tokenizer: Tokenizer, length: number, file: ModelFile) {
    this.session = session;
    this.tokenizer = tokenizer;
    this.length = length;
    this.file = file;
  }

  static async open(file: ModelFile, tokenizer: Tokenizer, length: number, layer?: string): Promise<TextTower> {
    const graph = readGraph({ bytes: await readFile(file.path), file: file.path });
    const tensor = resolveLayer(graph, layer ?? graph.outputs[0]?.name ?? '');
    try {
      const session = await InferenceSession.create(await exposeTensor(graph, tensor), { logSeverityLevel: 3 });
      return new TextTower(session, tokenizer, length, file);
    } catch (error) {
      throw new ModelError(`${file.path} cannot be loaded: ${(error as Error).message}`, undefined, error);
    }
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const shape = [texts.length, this.length];
    const encoded = texts.map((text) => this.tokenizer.encodeFixed(text, this.length));
    const tokens = encoded.flatMap((one) => one.tokens);
    const mask = encoded.flatMap(({ used }) => Array.from({ length: this.length }, (_, i) => (i < used ? 1 : 0)));
    const feeds: Record<string, Tensor> = {};
    for (const input of this.session.inputMetadata) {
      if (!input.isTensor || (input.type !== 'int64' && input.type !== 'int32'))
        throw new ModelError(`${this.file.path}: input "${input.name}" is not a list of whole numbers`);
      const values = /mask/i.test(input.name) ? mask : tokens;
      feeds[input.name] =
        input.type === 'int64'
          ? new Tensor('int64', BigInt64Array.from(values, BigInt), shape)
          : new Tensor('int32', Int32Array.from(values), shape);
    }
    const output = await this.session.run(feeds).catch((error: Error) => {
      throw new ModelError(`${this.file.path} failed: ${error.message}`, undefined, error);
    });
    const tensor = output[this.session.outputNames[0]] as Tensor;
    if (tensor.dims.length !== 2 || tensor.dims[0] !== texts.length || tensor.type !== 'float32')
      throw new ModelError(
        `${this.file.path} gave ${tensor.type}[${tensor.dims.join(', ')}] for ${texts.length} texts, expected one float32 vector for each`,
        'Name the layer that holds the text embedding.',
      );
    const [, dimension] = tensor.dims;
    const data = tensor.data as Float32Array;
    return texts.map((_, i) => data.slice(i * dimension, (i + 1) * dimension));
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (!(length > 0)) throw new ModelError('the text tower gave a vector without length');
  return vector.map((value) => value / length);
}
