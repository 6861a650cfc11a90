/**
 * What a network wants a picture to look like: size, how to get there, channel order, and the affine map of pixel values
 * value = (pixel · scale − mean) / deviation. Stored with the features, because features made with another preprocessing
 * cannot be compared.
 */
import { readFile } from 'node:fs/promises';
import { ArgumentError, UsageError } from '../errors.js';
import { type ViewName, viewNames } from './views.js';

export interface Preprocessing {
  /** Height and width of the network's input. */
  readonly size: readonly [number, number];
  /**
   * `crop`: scale until the shorter side is `shorterSide`, cut out the middle; `stretch`: scale both sides to `size`
   * whatever the aspect ratio; `pad`: scale until the picture fits, fill the rest with `background`.
   */
  readonly resize: 'crop' | 'stretch' | 'pad';
  /** For `crop`; relative to the shorter side of `size`. @default the shorter side of `size` */
  readonly shorterSide: number;
  readonly kernel: 'nearest' | 'linear' | 'cubic' | 'lanczos3';
  readonly channelOrder: 'RGB' | 'BGR';
  /** Pixels are 0…255. */
  readonly scale: number;
  /** In channel order. */
  readonly mean: readonly [number, number, number];
  readonly deviation: readonly [number, number, number];
  /** Red, green, blue (0…255) behind transparent pixels and around padded pictures. */
  readonly background: readonly [number, number, number];
  /** @default 'plain' */
  readonly view?: ViewName;
}

const common = {
  size: [224, 224],
  resize: 'crop',
  shorterSide: 256,
  kernel: 'linear',
  channelOrder: 'RGB',
  background: [255, 255, 255],
} as const;

/** Preprocessing that many networks share, by name. */
export const presets = {
  /** torchvision, the ONNX model zoo, DINOv2: mean and deviation of ImageNet. */
  imagenet: { ...common, scale: 1 / 255, mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] },
  /** TensorFlow's MobileNet and Inception families: −1…1. */
  tensorflow: { ...common, scale: 1 / 127.5, mean: [1, 1, 1], deviation: [1, 1, 1] },
  /** Caffe and Keras' ResNet and VGG: blue first, mean subtracted, not scaled. */
  caffe: { ...common, channelOrder: 'BGR', scale: 1, mean: [103.939, 116.779, 123.68], deviation: [1, 1, 1] },
  clip: {
    ...common,
    shorterSide: 224,
    kernel: 'cubic',
    scale: 1 / 255,
    mean: [0.48145466, 0.4578275, 0.40821073],
    deviation: [0.26862954, 0.26130258, 0.27577711],
  },
  /** 0…1, nothing else. */
  unit: { ...common, scale: 1 / 255, mean: [0, 0, 0], deviation: [1, 1, 1] },
} as const satisfies Record<string, Preprocessing>;

/** A preset's name or the path of a JSON file with the fields of `Preprocessing` (those left out are `imagenet`'s). */
export async function readPreprocessing(nameOrFile: string): Promise<Preprocessing> {
  if (Object.hasOwn(presets, nameOrFile)) return presets[nameOrFile as keyof typeof presets];
  if (!nameOrFile.endsWith('.json'))
    throw new UsageError(
      `preprocessing "${nameOrFile}" is not known`,
      `Give one of ${Object.keys(presets).join(', ')}, or a .json file with the fields of one.`,
    );
  let fields: unknown;
  try {
    fields = JSON.parse(await readFile(nameOrFile, 'utf8'));
  } catch (error) {
    throw new UsageError(`${nameOrFile} cannot be read as JSON: ${(error as Error).message}`);
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new UsageError(`${nameOrFile} must hold one JSON object with the fields of a preprocessing`);
  return checkPreprocessing({ ...presets.imagenet, ...fields }, nameOrFile);
}

/** Checks every field and returns them in a fixed order, so that equal preprocessing is equal text. */
export function checkPreprocessing(given: Preprocessing, where = 'preprocessing'): Preprocessing {
  const unknown = Object.keys(given).filter((key) => !fieldNames.includes(key));
  if (unknown.length > 0)
    throw new ArgumentError(`${where}: unknown field "${unknown[0]}"`, `Fields: ${fieldNames.join(', ')}.`);
  const fail = (field: keyof Preprocessing, expected: string) =>
    new ArgumentError(`${where}: "${field}" is ${JSON.stringify(given[field])}; expected ${expected}`);
  const numbers = (field: 'mean' | 'deviation' | 'background', expected: string, ok: (value: number) => boolean) => {
    const value = given[field];
    if (!Array.isArray(value) || value.length !== 3 || !value.every((one) => Number.isFinite(one) && ok(one)))
      throw fail(field, expected);
    return [...value] as unknown as [number, number, number];
  };
  const choice = <T>(field: keyof Preprocessing, choices: readonly T[]): T => {
    if (!choices.includes(given[field] as T)) throw fail(field, `one of ${choices.join(', ')}`);
    return given[field] as T;
  };
  const side = (value: unknown) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 4096;
  if (!Array.isArray(given.size) || given.size.length !== 2 || !given.size.every(side))
    throw fail('size', '[height, width], whole numbers from 1 to 4096');
  const least = Math.min(...given.size);
  const shorterSide = given.shorterSide ?? least;
  if (!side(shorterSide) || shorterSide < least) throw fail('shorterSide', `a whole number from ${least} to 4096`);
  if (!Number.isFinite(given.scale) || given.scale === 0) throw fail('scale', 'a number other than 0');
  return {
    size: [given.size[0], given.size[1]],
    resize: choice('resize', ['crop', 'stretch', 'pad'] as const),
    shorterSide,
    kernel: choice('kernel', ['nearest', 'linear', 'cubic', 'lanczos3'] as const),
    channelOrder: choice('channelOrder', ['RGB', 'BGR'] as const),
    scale: given.scale,
    mean: numbers('mean', 'three numbers', () => true),
    deviation: numbers('deviation', 'three numbers other than 0', (value) => value !== 0),
    background: numbers('background', 'three numbers from 0 to 255', (value) => value >= 0 && value <= 255),
    // Left out where it is plain, so that features of before keep their fingerprints.
    ...(given.view && given.view !== 'plain' && { view: choice('view', viewNames) }),
  };
}

const fieldNames = [
  'size',
  'resize',
  'shorterSide',
  'kernel',
  'channelOrder',
  'scale',
  'mean',
  'deviation',
  'background',
  'view',
];

/**
 * Writes pixels (height × width × RGB, 0…255) into a network's input. A table of the 256 possible values of each channel
 * makes this one look-up for each element.
 */
export function createNormalizer(preprocessing: Preprocessing, layout: 'NCHW' | 'NHWC') {
  const { scale, mean, deviation, channelOrder } = preprocessing;
  const [height, width] = preprocessing.size;
  const pixels = height * width;
  // The bits of the values, which JavaScript copies without converting them.
  const tables = [0, 1, 2].map((channel) => {
    const values = Float32Array.from(
      { length: 256 },
      (_, pixel) => (pixel * scale - mean[channel]) / deviation[channel],
    );
    return new Int32Array(values.buffer);
  });
  const [pixelStep, channelStep] = layout === 'NCHW' ? [1, pixels] : [3, 1];
  // Of red, green and blue: the table, and how far from the pixel's first value theirs is.
  const [red, green, blue] = channelOrder === 'RGB' ? tables : tables.toReversed();
  const [toRed, toBlue] = channelOrder === 'RGB' ? [0, 2 * channelStep] : [2 * channelStep, 0];
  return (bytes: Uint8Array, from: number, target: Float32Array, to: number): void => {
    const values = new Int32Array(target.buffer, target.byteOffset, target.length);
    const begin = bytes.byteOffset + from;
    const end = from + pixels * 3;
    let read = from;
    let write = to;
    if (begin % 4 === 0) {
      // Four pixels are three words, which are read more quickly than twelve bytes.
      const words = new Int32Array(bytes.buffer, begin, 3 * (pixels >> 2));
      for (let k = 0; k < words.length; k += 3) {
        const [first, second, third] = [words[k], words[k + 1], words[k + 2]];
        values[write + toRed] = red[first & 255];
        values[write + channelStep] = green[(first >> 8) & 255];
        values[write + toBlue] = blue[(first >> 16) & 255];
        write += pixelStep;
        values[write + toRed] = red[first >>> 24];
        values[write + channelStep] = green[second & 255];
        values[write + toBlue] = blue[(second >> 8) & 255];
        write += pixelStep;
        values[write + toRed] = red[(second >> 16) & 255];
        values[write + channelStep] = green[second >>> 24];
        values[write + toBlue] = blue[third & 255];
        write += pixelStep;
        values[write + toRed] = red[(third >> 8) & 255];
        values[write + channelStep] = green[(third >> 16) & 255];
        values[write + toBlue] = blue[third >>> 24];
        write += pixelStep;
      }
      read += 4 * words.length;
    }
    for (; read < end; read += 3) {
      values[write + toRed] = red[bytes[read]];
      values[write + channelStep] = green[bytes[read + 1]];
      values[write + toBlue] = blue[bytes[read + 2]];
      write += pixelStep;
    }
  };
}
