/**
 * The architecture of a network in TensorFlow.js layers format (Keras JSON): nested models are opened up into one list
 * of layer calls in an order in which every call follows the ones it reads from.
 */
import { FormatError } from '../../errors.js';
import { UnsupportedLayerError } from '../errors.js';

type LayerConfig = Readonly<Record<string, unknown>>;

/** One use of one layer. */
export interface LayerCall {
  readonly type: string;
  /** Unique over the whole network: the layer's own name, with the enclosing models' names in front where it is not. */
  readonly name: string;
  /** The layer's own name and those of the enclosing models, outermost first, for finding its weights. */
  readonly path: readonly string[];
  readonly config: LayerConfig;
  /** Names of the calls whose results this one reads. */
  readonly inputs: readonly string[];
}

export interface Topology {
  readonly calls: readonly LayerCall[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Major version of the Keras that wrote the file; a few activations changed with version 3. */
  readonly kerasVersion: number;
}

interface LayerJson {
  class_name: string;
  name?: string;
  config: LayerConfig & { name?: string; layers?: LayerJson[] };
  inbound_nodes?: unknown[];
}

type TensorReference = [layer: string, node: number, tensor: number];

export function readTopology(json: unknown, file: string): Topology {
  const document = (json ?? {}) as { modelTopology?: Record<string, unknown> };
  const topology = document.modelTopology;
  if (!topology)
    throw new FormatError(file, undefined, 'holds no "modelTopology"', 'Give a TensorFlow.js layers model.');
  const root = (topology.model_config ?? topology) as LayerJson;
  if (!root.class_name || !root.config)
    throw new FormatError(
      file,
      undefined,
      'its topology is not a Keras model',
      'Graph models (tf.GraphModel) are not read; only layers models are.',
    );
  const calls: LayerCall[] = [];
  const inputs: string[] = [];
  const outputs = openModel(root, [], undefined, { calls, inputs, names: new Set(), file });
  return { calls, inputs, outputs, kerasVersion: Number.parseInt(String(topology.keras_version ?? '2'), 10) || 2 };
}

interface Opening {
  calls: LayerCall[];
  inputs: string[];
  names: Set<string>;
  file: string;
}

/** Adds the calls of one model, given the calls its inputs stand for, and returns the calls its outputs stand for. */
function openModel(
  model: LayerJson,
  path: readonly string[],
  given: readonly string[] | undefined,
  opening: Opening,
): string[] {
  const layers = Array.isArray(model.config) ? (model.config as LayerJson[]) : model.config.layers;
  if (!Array.isArray(layers)) throw new UnsupportedLayerError(model.class_name, layerName(model));
  return model.class_name === 'Sequential'
    ? openSequential(layers, path, given, opening)
    : openFunctional(model, layers, path, given, opening);
}

function openSequential(
  layers: readonly LayerJson[],
  path: readonly string[],
  given: readonly string[] | undefined,
  opening: Opening,
): string[] {
  let current = given ? [...given] : undefined;
  for (const layer of layers) {
    if (layer.class_name === 'InputLayer') {
      current ??= addCall(layer, path, [], opening);
      continue;
    }
    if (!current && !isModel(layer)) {
      // A first layer may carry the input's shape itself.
      const shape = layer.config.batch_input_shape;
      if (!shape) throw new FormatError(opening.file, undefined, `layer "${layerName(layer)}" says no input shape`);
      const input = {
        class_name: 'InputLayer',
        config: { name: `${layerName(layer)}_input`, batch_input_shape: shape },
      };
      current = addCall(input, path, [], opening);
    }
    current = isModel(layer)
      ? openModel(layer, [...path, layerName(layer)], current, opening)
      : addCall(layer, path, current!, opening);
  }
  if (!current) throw new FormatError(opening.file, undefined, `model "${path.join('/')}" has no layers`);
  return current;
}

function openFunctional(
  model: LayerJson,
  layers: readonly LayerJson[],
  path: readonly string[],
  given: readonly string[] | undefined,
  opening: Opening,
): string[] {
  const { input_layers, output_layers } = model.config as { input_layers?: unknown; output_layers?: unknown };
  const inputNames = references(input_layers).map(([layer]) => layer);
  const results = new Map<string, string[]>();
  const byName = new Map(layers.map((layer) => [layerName(layer), layer]));
  inputNames.forEach((name, i) => {
    if (given) results.set(`${name}#0`, [given[i]]);
  });
  const resolve = ([name, node, tensor]: TensorReference): string => {
    const key = `${name}#${node}`;
    if (!results.has(key)) results.set(key, callNode(name, node));
    const outputs = results.get(key)!;
    if (tensor >= outputs.length)
      throw new FormatError(opening.file, undefined, `layer "${name}" has no output ${tensor}`);
    return outputs[tensor];
  };
  const callNode = (name: string, node: number): string[] => {
    const layer = byName.get(name);
    if (!layer) throw new FormatError(opening.file, undefined, `layer "${name}" is read but not defined`);
    if (layer.class_name === 'InputLayer') return addCall(layer, path, [], opening);
    const inbound = layer.inbound_nodes?.[node];
    if (inbound === undefined) throw new FormatError(opening.file, undefined, `layer "${name}" has no call ${node}`);
    const inputs = references(inbound).map(resolve);
    return isModel(layer) ? openModel(layer, [...path, name], inputs, opening) : addCall(layer, path, inputs, opening);
  };
  // In file order first, so that the list reads like the file and recursion stays shallow.
  for (const layer of layers) {
    const name = layerName(layer);
    const nodes = layer.class_name === 'InputLayer' ? 1 : (layer.inbound_nodes?.length ?? 0);
    for (let node = 0; node < nodes; node++) if (!isUnusedInput(layer, inputNames, given)) resolve([name, node, 0]);
  }
  return references(output_layers).map(resolve);
}

function isUnusedInput(layer: LayerJson, inputNames: readonly string[], given: readonly string[] | undefined): boolean {
  return layer.class_name === 'InputLayer' && given !== undefined && !inputNames.includes(layerName(layer));
}

function addCall(layer: LayerJson, path: readonly string[], inputs: readonly string[], opening: Opening): string[] {
  const own = layerName(layer);
  let name = opening.names.has(own) ? [...path, own].join('/') : own;
  for (let copy = 2; opening.names.has(name); copy++) name = `${[...path, own].join('/')}#${copy}`;
  opening.names.add(name);
  opening.calls.push({ type: layer.class_name, name, path: [...path, own], config: layer.config, inputs });
  if (layer.class_name === 'InputLayer') opening.inputs.push(name);
  return [name];
}

/** The tensor references in a node, an input list or an output list, as Keras 1, 2 and 3 write them. */
function references(json: unknown): TensorReference[] {
  if (Array.isArray(json)) {
    if (typeof json[0] === 'string') return [[json[0], Number(json[1] ?? 0), Number(json[2] ?? 0)]];
    return json.flatMap(references);
  }
  if (typeof json !== 'object' || json === null) return [];
  const { keras_history, config, args, kwargs } = json as Record<string, unknown>;
  if (keras_history) return references(keras_history);
  return [config, args, kwargs].flatMap(references);
}

function isModel(layer: LayerJson): boolean {
  return ['Sequential', 'Model', 'Functional'].includes(layer.class_name);
}

function layerName(layer: LayerJson): string {
  return layer.name ?? layer.config.name ?? layer.class_name;
}
