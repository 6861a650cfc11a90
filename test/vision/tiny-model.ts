/** A small convolutional network with made-up weights, quick enough to run on hundreds of pictures in a test. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeatureModel } from '../../src/vision/extract.js';
import { chooseFeature, type FeatureChoice } from '../../src/vision/feature-model.js';
import { getModel } from '../../src/vision/get-model.js';
import type { ImageModelEntry } from '../../src/vision/model-entry.js';
import { checkPreprocessing, presets } from '../../src/vision/preprocessing.js';
import { convert, functionalModel, type LayerSpec, weight } from './keras-json.js';

export const tinyDimension = 24;

export const tinyPreprocessing = checkPreprocessing({ ...presets.tensorflow, size: [48, 48], shorterSide: 56 });

/** Writes `tiny.onnx` into a folder and describes its features. `seed` gives other weights. */
export async function tinyModel(folder: string, seed = 1, choice: FeatureChoice = {}): Promise<FeatureModel> {
  const layers: LayerSpec[] = [
    {
      type: 'Conv2D',
      name: 'stem',
      config: { strides: 2, padding: 'same', activation: 'relu' },
      weights: { kernel: weight([3, 3, 3, 16], seed, 0.4), bias: weight([16], seed + 1, 0.1) },
    },
    {
      type: 'DepthwiseConv2D',
      name: 'depth',
      config: { strides: 2, padding: 'same', use_bias: false },
      weights: { depthwise_kernel: weight([3, 3, 16, 1], seed + 2) },
    },
    {
      type: 'Conv2D',
      name: 'mix',
      config: { activation: 'relu', use_bias: false },
      weights: { kernel: weight([1, 1, 16, 32], seed + 3, 0.5) },
    },
    { type: 'GlobalAveragePooling2D', name: 'mean' },
    {
      type: 'Dense',
      name: 'feature',
      weights: { kernel: weight([32, tinyDimension], seed + 4), bias: weight([tinyDimension], seed + 5) },
    },
  ];
  const path = join(folder, `tiny-${seed}.onnx`);
  await writeFile(path, await convert(functionalModel([48, 48, 3], layers)));
  const entry: ImageModelEntry = {
    name: 'tiny',
    kind: 'image',
    description: 'for tests',
    source: { type: 'file', path },
    licence: 'MIT',
    layer: 'feature',
    reduction: 'flatten',
    preprocessing: tinyPreprocessing,
  };
  return chooseFeature(await getModel(entry), { preprocessing: tinyPreprocessing, ...choice });
}
