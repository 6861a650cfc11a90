/** `bowerbird export`: the classifier of a workspace for use elsewhere. */
import { UsageError } from '../../errors.js';
import type { SiteSummary } from '../../field/index.js';
import { type Precision, precisions } from '../../field/names.js';
import { percent } from '../../percent.js';
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
    'categories.txt, ATTRIBUTION.txt and MODEL_CARD.md always come with it. With --web, instead, a folder that any web host can ' +
    'serve: a page that names pictures on a phone, without a network (docs/field.md).',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Where to. [default: WORKSPACE/export]' },
    as: {
      type: 'list',
      placeholder: 'FORMAT,…',
      description: `Formats: ${exportFormats.join(', ')} (all that are possible).`,
    },
    web: { type: 'flag', description: 'Write a site that works offline. [default of --out: WORKSPACE/site]' },
    precision: {
      type: 'choice',
      choices: precisions,
      description: 'With --web: how weights are stored; the loss is measured and printed. [default: float16]',
    },
    budget: {
      type: 'string',
      placeholder: 'SIZE',
      description:
        'With --web: most bytes of the site without onnxruntime, such as 12MB; the best precision that fits is taken, or a smaller network learns from the workspace.',
    },
    licences: {
      type: 'list',
      placeholder: 'CODE,…',
      description: 'With --web: licences under which pictures are shown. [default: cc0,pdm,cc-by,cc-by-sa]',
    },
    'own-pictures': {
      type: 'string',
      placeholder: 'CODE NAME',
      description: 'With --web: licence and author of the pictures in your own folders; they are not shown otherwise.',
    },
  },
  examples: [
    { command: 'bowerbird export birds', explanation: 'everything into birds/export' },
    { command: 'bowerbird export birds --as onnx --out deploy', explanation: 'features to scores, for onnxruntime' },
    {
      command: 'bowerbird export birds --web --own-pictures "cc-by Ada Lane" --out site',
      explanation: 'a page for phones; your own pictures are shown under CC BY',
    },
  ],
  async run({ args: [folder = '.'], options, print, printJson, progress, signal }) {
    for (const name of ['precision', 'budget', 'licences', 'own-pictures'] as const)
      if (options[name] !== undefined && !options.web) throw new UsageError(`--${name} is for --web`);
    if (options.web) {
      if (options.as) throw new UsageError('--web writes a site, --as other formats; give one of them');
      const own = ownPictures(options['own-pictures']);
      const [{ exportSite }, { openWorkspace }, { parseLicences }] = await Promise.all([
        import('../../field/index.js'),
        import('../../workspace/index.js'),
        import('../../crawl/index.js'),
      ]);
      const licences = options.licences && parseLicences(options.licences);
      if (own) parseLicences([own.licence]);
      const workspace = await openWorkspace(folder);
      const out = options.out ?? workspace.path('site');
      const summary = await exportSite(workspace, out, {
        ...{
          precision: options.precision as Precision | undefined,
          budget: bytesOf(options.budget),
          licences,
          own,
          signal,
        },
        onProgress: progress.during('export'),
        onNote: (message) => progress.note(message),
      });
      printJson({ out, ...summary });
      for (const line of siteLines(out, summary)) print(line);
      return 0;
    }
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

/** `cc-by Ada Lane`: a licence, then whoever is to be named. */
function ownPictures(given: string | undefined) {
  if (given === undefined) return undefined;
  const [, licence, author] = /^(\S+)\s+(.+)$/.exec(given.trim()) ?? [];
  if (!licence)
    throw new UsageError(
      `--own-pictures "${given}" is not a licence and a name`,
      'For example: --own-pictures "cc-by Ada Lane".',
    );
  return { licence: licence.toLowerCase(), author };
}

/** `12MB`, `800 kB`, `1.5GB`; a million bytes are a megabyte. */
function bytesOf(size: string | undefined): number | undefined {
  if (size === undefined) return undefined;
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([kMG]?)B$/i.exec(size.trim()) ?? [];
  const factor = { '': 1, k: 1e3, m: 1e6, g: 1e9 }[unit?.toLowerCase() ?? '-'];
  if (!number || !factor) throw new UsageError(`--budget ${size} is not a size`, 'For example: --budget 12MB.');
  return Number(number) * factor;
}

function siteLines(out: string, summary: SiteSummary): string[] {
  const { bytes, engineBytes, modelBytes, network, precision, distilled, loss, pictures } = summary;
  const megabytes = (size: number) => `${(size / 1e6).toFixed(1)} MB`;
  const before = distilled ? "the workspace's network" : 'full precision';
  return [
    `in ${out}: ${megabytes(bytes)} (${network} and classifier as ${precision} ${megabytes(modelBytes)}, ${pictures} pictures), and ${megabytes(engineBytes)} of onnxruntime, of which a browser fetches one variant`,
    ...(loss
      ? [`on ${loss.pictures} test pictures ${percent(loss.agreement)} % of the answers are those of ${before}`]
      : []),
    ...(loss?.accuracyBefore !== undefined
      ? [`right: ${percent(loss.accuracyAfter!)} % in this form, ${percent(loss.accuracyBefore)} % with ${before}`]
      : []),
    `to look at it here: npx serve ${out}`,
  ];
}
