import { defineCommand } from '../command.js';
import { fetchProgress } from './models-get.js';

export default defineCommand({
  name: 'models layers',
  summary: 'List the layers of a model with their shapes.',
  arguments: [{ name: 'FILE', description: 'an ONNX file, or a model of "bowerbird models list"' }],
  options: {},
  examples: [
    { command: 'bowerbird models layers vgg16.onnx', explanation: 'every tensor that "features --layer" can take' },
  ],
  async run({ args, print, printJson, progress, signal }) {
    const { findModel, getModel, listLayers } = await import('../../vision/index.js');
    const entry = await findModel(args[0]);
    const { path } = await getModel(entry, {
      signal,
      onNote: progress.note,
      onProgress: fetchProgress(entry.name, progress),
    });
    const layers = await listLayers(path);
    printJson(layers);
    const width = Math.min(60, Math.max(...layers.map((layer) => layer.name.length)));
    for (const { name, operation, shape, isOutput } of layers)
      print(`${name.padEnd(width)}  [${shape.join(', ')}]  ${operation}${isOutput ? ', output' : ''}`);
    return 0;
  },
});
