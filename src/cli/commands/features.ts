/** `bowerbird features`: a vector for every picture of a workspace or a folder. */
import { relative, resolve } from 'node:path';
import { hasCatalog } from '../../catalog/index.js';
import { PartialFailureError, UsageError } from '../../errors.js';
import { defineCommand } from '../command.js';
import { requireQueueAddress } from '../executor.js';
import { queuedShards } from '../queued-features.js';
import { fetchProgress } from './models-get.js';

export default defineCommand({
  name: 'features',
  summary: 'Turn pictures into feature vectors.',
  description:
    'Extracts a feature vector from every picture of a workspace, or of a folder with one sub-folder for each category. ' +
    'Goes on where an earlier run stopped. Pictures that cannot be read are listed in failures.csv, and the exit code is then 3.',
  arguments: [{ name: 'WORKSPACE', description: 'a workspace, or FOLDER/category/picture' }],
  options: {
    model: {
      type: 'string',
      placeholder: 'NAME|FILE.onnx',
      default: 'resnet50',
      description: 'A model of "bowerbird models list", or an ONNX file.',
    },
    layer: { type: 'string', placeholder: 'NAME', description: 'Tensor to take instead of the usual one.' },
    reduce: {
      type: 'choice',
      choices: ['flatten', 'mean', 'first'],
      description: 'How a tensor with positions becomes a vector: all of it, its mean, its first token.',
    },
    preprocessing: {
      type: 'string',
      placeholder: 'NAME|FILE.json',
      description: "Instead of the model's own: imagenet, tensorflow, caffe, clip, unit, or a file.",
    },
    batch: {
      type: 'integer',
      minimum: 1,
      maximum: 1024,
      description: 'Pictures in one call of the network. [default: 8, on a GPU 32; measured where there are many]',
    },
    device: { type: 'choice', choices: ['cpu', 'cuda'], default: 'cpu', description: 'Where the network runs.' },
    workers: { type: 'integer', minimum: 1, maximum: 256, description: 'Networks at work at the same time.' },
    threads: { type: 'integer', minimum: 1, maximum: 256, description: 'Threads inside each network.' },
    'max-pixels': {
      type: 'integer',
      minimum: 1,
      default: 100_000_000,
      description: 'Pictures with more pixels are refused.',
    },
    'shard-size': { type: 'integer', minimum: 1, default: 256, description: 'Pictures in one file of features.' },
    out: {
      type: 'string',
      placeholder: 'FOLDER',
      description: 'Where to write. [default: WORKSPACE/features/MODEL; of other folders FOLDER-features/MODEL]',
    },
    queue: {
      type: 'string',
      placeholder: 'URL',
      description: 'Pictures are read by the machines of "bowerbird worker --queue URL" (redis://…).',
    },
    fresh: { type: 'flag', description: 'Forget what an earlier run left in the folder.' },
  },
  examples: [
    { command: 'bowerbird features birds', explanation: 'ResNet-50 features of all pictures below birds/' },
    {
      command: 'bowerbird features birds --model vgg.onnx --layer fc6 --preprocessing caffe',
      explanation: 'features from a layer of a model file',
    },
  ],
  async run({ args, options, json, print, printJson, progress, signal }) {
    if (options.queue) requireQueueAddress(options.queue);
    if (options.queue && options.device === 'cuda')
      throw new UsageError('--queue and --device cuda exclude each other: workers compute on their processors');
    const { chooseFeature, extractFeatures, featureFolderName, findModel, getModel, openPictures, readPreprocessing } =
      await import('../../vision/index.js');
    const source = await openPictures(args[0], { signal, onProgress: progress.during('open the catalog') });
    try {
      const entry = await findModel(options.model);
      const fetch = { signal, onNote: progress.note, onProgress: fetchProgress(entry.name, progress) };
      const preprocessing = options.preprocessing ? await readPreprocessing(options.preprocessing) : undefined;
      const choice = { layer: options.layer, reduction: options.reduce, preprocessing };
      const model = await chooseFeature(await getModel(entry, fetch), choice);
      if (entry.description === 'a file' && !preprocessing)
        progress.note(`${entry.name}: no preprocessing is known for this file; using imagenet (see --preprocessing)`);
      const folder = options.out ?? resolve(defaultFolder(args[0]), featureFolderName(model, entry.layer));
      if (!hasCatalog(args[0]) && isWithin(folder, args[0]))
        throw new UsageError(
          `${folder} lies among the pictures of ${args[0]}, and would be taken for a category of them`,
          'Name a folder elsewhere with --out.',
        );
      const result = await extractFeatures(source, model, folder, {
        batch: options.batch,
        workers: options.workers,
        threads: options.threads,
        device: options.device,
        shardSize: options['shard-size'],
        limits: { maxPixels: options['max-pixels'] },
        fresh: options.fresh,
        ...(options.queue && {
          elsewhere: queuedShards({
            ...{
              queue: options.queue,
              model,
              folder: source.folder,
              out: folder,
              batch: options.batch,
              progress,
              signal,
            },
            limits: { maxPixels: options['max-pixels'] },
          }),
        }),
        signal,
        onNote: progress.note,
        onProgress: progress.during('features'),
      });
      const { meta, pictures, failures, processed, workers, threads, batch } = result;
      const picturesPerSecond = Math.round(result.picturesPerSecond * 10) / 10;
      printJson({ folder, pictures, failures, processed, picturesPerSecond, workers, threads, batch, meta });
      print(`${pictures} pictures, ${meta.dimension} numbers each (${meta.model.name}, ${meta.layer}): ${folder}`);
      print(
        `${processed} read now, ${picturesPerSecond} pictures/s, ${workers} workers with ${threads} threads, batches of ${batch}`,
      );
      if (failures === 0) return 0;
      if (json) return 3;
      throw new PartialFailureError(
        `${failures} pictures have no features`,
        [],
        `They are listed in ${folder}/failures.csv.`,
      );
    } finally {
      await source.close();
    }
  },
});

/** Beside a folder of pictures, not in it: what lies in it is a category. */
function defaultFolder(pictures: string): string {
  return hasCatalog(pictures) ? resolve(pictures, 'features') : `${resolve(pictures)}-features`;
}

function isWithin(folder: string, other: string): boolean {
  return !/^\.\.([\\/]|$)/.test(relative(resolve(other), resolve(folder)));
}
