import { inMegabytes, type Progress } from '../../progress.js';
import { defineCommand } from '../command.js';
import type { ProgressLine } from '../progress.js';

export default defineCommand({
  name: 'models get',
  summary: 'Fetch a model and check its hash.',
  arguments: [{ name: 'NAME', description: 'a model of "bowerbird models list"' }],
  options: {},
  examples: [
    { command: 'bowerbird models get resnet50', explanation: 'fetches the weights and converts them to ONNX' },
  ],
  async run({ args, print, printJson, progress, signal }) {
    const { findModel, getFile, getModel } = await import('../../vision/index.js');
    const entry = await findModel(args[0]);
    const options = { signal, onNote: progress.note, onProgress: fetchProgress(entry.name, progress) };
    const { path, sha256, bytes } = await getModel(entry, options);
    if (entry.kind === 'text') await getFile(`${entry.name}-tokenizer`, entry.tokenizer, '.json', options);
    printJson({ name: entry.name, path, sha256, bytes });
    print(path);
    return 0;
  },
});

export function fetchProgress(name: string, line: ProgressLine): (progress: Progress) => void {
  const show = line.during(`fetch ${name}`);
  return (progress) => show(inMegabytes(progress));
}
