/** `bowerbird export`: the classifier of a workspace for use elsewhere. */
import { UsageError } from '../../errors.js';
import { type ExportFormat, exportFormats } from '../../workspace/names.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'export',
  summary: 'Write the classifier of a finished workspace for use elsewhere, with a model card.',
  description:
    'onnx: features to scores and confidences. onnx-pixels: the same with the network, pixels to scores, and classify.py, which does in Python what ' +
    '"bowerbird classify" does. safetensors: the ' +
    'matrices. problem: the problem file. xlsa17: the MATLAB pair of the zero-shot benchmarks, with the web pictures beside it, where the ' +
    'answers of all test pictures are known. ' +
    'categories.txt, ATTRIBUTION.txt and MODEL_CARD.md always come with it.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Where to. [default: WORKSPACE/export]' },
    as: {
      type: 'list',
      placeholder: 'FORMAT,…',
      description: `Formats: ${exportFormats.join(', ')} (all that are possible).`,
    },
  },
  examples: [
    { command: 'bowerbird export birds', explanation: 'everything into birds/export' },
    { command: 'bowerbird export birds --as onnx --out deploy', explanation: 'features to scores, for onnxruntime' },
  ],
  async run({ args: [folder = '.'], options, print, printJson, progress, signal }) {
    const formats = options.as as readonly ExportFormat[] | undefined;
    for (const format of formats ?? [])
      if (!(exportFormats as readonly string[]).includes(format))
        throw new UsageError(`--as ${format} is not a format`, `Formats are: ${exportFormats.join(', ')}.`);
    const { exportClassifier, openWorkspace } = await import('../../workspace/index.js');
    const workspace = await openWorkspace(folder);
    const out = options.out ?? workspace.path('export');
    const files = await exportClassifier(workspace, out, formats, {
      signal,
      onProgress: progress.during('open the catalog'),
    });
    printJson({ out, files });
    print(`in ${out}: ${files.join(', ')}`);
    return 0;
  },
});
