/** The tensors of a model, with the shapes that onnxruntime infers for them. */
import { readFile } from 'node:fs/promises';
import type { InferenceSession as Session } from 'onnxruntime-common';
import { ModelError } from './errors.js';
import { exposeAll } from './onnx/expose.js';
import { readGraph } from './onnx/graph.js';
import { InferenceSession } from './onnxruntime.js';

export interface ModelLayer {
  /** Name of the tensor, which is what `--layer` takes. */
  readonly name: string;
  /** The operation that writes it, or `input`. */
  readonly operation: string;
  /** Numbers, names of free sizes, or nothing where the shape is not known before running. */
  readonly shape: readonly (number | string)[];
  readonly type: string;
  readonly isOutput: boolean;
}

export async function listLayers(file: string): Promise<ModelLayer[]> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new ModelError(`${file} cannot be read: ${error.message}`, undefined, error);
  });
  const graph = readGraph({ bytes, file });
  const outputs = new Set(graph.outputs.map((output) => output.name));
  const operations = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node.type] as const)));
  let session: InferenceSession;
  try {
    session = await InferenceSession.create(await exposeAll(graph), {
      graphOptimizationLevel: 'disabled',
      logSeverityLevel: 4,
    });
  } catch (error) {
    throw new ModelError(`${file} cannot be loaded: ${(error as Error).message}`, undefined, error);
  }
  const describe = (operation: (name: string) => string) => (value: Session.ValueMetadata) => ({
    name: value.name,
    operation: operation(value.name),
    shape: value.isTensor ? value.shape.map((size) => (size === '' ? '?' : size)) : [],
    type: value.isTensor ? value.type : 'not a tensor',
    isOutput: outputs.has(value.name),
  });
  const layers = [
    ...session.inputMetadata.map(describe(() => 'input')),
    ...session.outputMetadata.map(describe((name) => operations.get(name) ?? '')),
  ];
  await session.release();
  return layers;
}
