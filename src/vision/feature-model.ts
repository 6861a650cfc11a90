/** Settles what exactly is extracted: a model file, the tensor in it, how that becomes a vector, and the preprocessing. */
import { readFile } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { ModelError } from './errors.js';
import type { FeatureModel } from './extract.js';
import type { ModelFile } from './get-model.js';
import { describeSource } from './model-entry.js';
import type { Reduction } from './network.js';
import { resolveLayer } from './onnx/expose.js';
import { type OnnxGraph, readGraph } from './onnx/graph.js';
import { checkPreprocessing, type Preprocessing } from './preprocessing.js';
import type { ViewName } from './views.js';

export interface FeatureChoice {
  /** @default the entry's layer, else the model's only output */
  layer?: string;
  reduction?: Reduction;
  /** @default the entry's; for a bare file the `imagenet` preset at the size the model declares */
  preprocessing?: Preprocessing;
  /** @default the preprocessing's */
  view?: ViewName;
}

export async function chooseFeature(file: ModelFile, choice: FeatureChoice = {}): Promise<FeatureModel> {
  const { entry, path, sha256, bytes } = file;
  if (entry.kind !== 'image')
    throw new UsageError(
      `model "${entry.name}" is a text tower`,
      'Use "bowerbird models embed-names" for names; pictures need an image model.',
    );
  const graph = readGraph({ bytes: await readFile(path), file: path });
  const layer = choice.layer ?? entry.layer;
  if (layer === undefined && graph.outputs.length !== 1)
    throw new ModelError(
      `${path} has ${graph.outputs.length} outputs: ${graph.outputs.map((output) => output.name).join(', ')}`,
      'Say which one with --layer.',
    );
  const bare = entry.source.type === 'file' && entry.source.sha256 === undefined;
  const preprocessing =
    choice.preprocessing ?? (bare ? atDeclaredSize(entry.preprocessing, graph) : entry.preprocessing);
  return {
    name: entry.name,
    source: describeSource(entry.source),
    licence: entry.licence,
    ...(entry.space && { space: entry.space }),
    sha256,
    bytes,
    layer: resolveLayer(graph, layer ?? graph.outputs[0].name),
    network: {
      model: path,
      // An entry's reduction belongs to its own layer.
      reduction: choice.reduction ?? (choice.layer === undefined ? entry.reduction : 'flatten'),
      preprocessing: checkPreprocessing(choice.view ? { ...preprocessing, view: choice.view } : preprocessing),
    },
  };
}

/** The same preprocessing for the input size that a model declares, where it declares one. */
function atDeclaredSize(preprocessing: Preprocessing, graph: OnnxGraph): Preprocessing {
  const shape = graph.inputs[0]?.shape;
  if (shape?.length !== 4) return preprocessing;
  const [height, width] = shape[1] !== 3 && shape[3] === 3 ? shape.slice(1, 3) : shape.slice(2);
  if (typeof height !== 'number' || typeof width !== 'number' || height < 1 || width < 1) return preprocessing;
  const growth = preprocessing.shorterSide / Math.min(...preprocessing.size);
  return { ...preprocessing, size: [height, width], shorterSide: Math.round(Math.min(height, width) * growth) };
}

/** Name of the folder for these features, below `features/`. */
export function featureFolderName(model: FeatureModel, entryLayer: string | undefined): string {
  const safe = (text: string) => text.replace(/[^A-Za-z0-9._-]+/g, '_');
  return model.layer === entryLayer || entryLayer === undefined
    ? safe(model.name)
    : `${safe(model.name)}-${safe(model.layer)}`;
}
