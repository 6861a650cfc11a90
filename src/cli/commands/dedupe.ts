/** `bowerbird dedupe`: pictures that are there twice, and training pictures that are in the test set. */
import { writeFileSync } from 'node:fs';
import { dedupe, type MergeRecord, nearbyRows, openFeatureSet, TestLeakError } from '../../crawl/index.js';
import { UsageError } from '../../errors.js';
import type { Backend } from '../../linalg/index.js';
import { defineCommand } from '../command.js';
import type { ProgressLine } from '../progress.js';
import { backendOptions, openBackend } from '../shared-options.js';

export default defineCommand({
  name: 'dedupe',
  summary: 'Remove duplicates and near-duplicates, and find training pictures that are in the test set.',
  description:
    'Compares the kept pictures of a workspace by SHA-256, by perceptual hash verified on the pixels, and, with --features, by the distance of their features; within and across categories. Of two equal pictures the better-ranked stays. Files are not deleted: running it again with other limits starts afresh. Without a workspace it compares the rows of a feature file and reports them.',
  arguments: [
    {
      name: 'WORKSPACE',
      description: 'folder with a catalog; without it --features alone is compared',
      optional: true,
    },
  ],
  options: {
    features: {
      type: 'string',
      placeholder: 'PATH',
      description: 'Features: a folder written by "bowerbird features", or an .npy file with a picture per row.',
    },
    ids: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Ids of the pictures in the rows of an .npy file, one per line.',
    },
    test: {
      type: 'list',
      placeholder: 'DIR,…',
      description: 'Folders of test pictures; a kept picture that is one of them is an error.',
    },
    auxiliary: {
      type: 'list',
      placeholder: 'DIR,…',
      description: 'Folders of auxiliary pictures; kept pictures that repeat them are removed.',
    },
    'test-features': { type: 'string', placeholder: 'PATH', description: 'Features of the test pictures.' },
    'auxiliary-features': { type: 'string', placeholder: 'PATH', description: 'Features of the auxiliary pictures.' },
    radius: {
      type: 'integer',
      default: 10,
      minimum: 0,
      maximum: 20,
      description: 'Most differing bits of two perceptual hashes.',
    },
    likeness: {
      type: 'number',
      default: 0.8,
      minimum: 0,
      maximum: 1,
      description: 'Least correlation of the pixels of two pictures with near hashes.',
    },
    threshold: {
      type: 'number',
      default: 0.5,
      minimum: 0,
      maximum: 1.99,
      description: 'Largest distance of two unit-length feature vectors.',
    },
    components: {
      type: 'integer',
      default: 64,
      minimum: 1,
      description: 'Principal components used to exclude pairs; the result does not depend on it.',
    },
    'memory-limit': { type: 'integer', default: 512, minimum: 16, description: 'MiB for comparing features.' },
    'drop-leaks': { type: 'flag', description: 'Remove pictures that are in the test set instead of failing.' },
    'dry-run': { type: 'flag', description: 'Report, and change nothing.' },
    report: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Write every merge with its explanation as a line of JSON.',
    },
    ...backendOptions,
  },
  examples: [
    {
      command: 'bowerbird dedupe birds --test photos/test --auxiliary photos/train',
      explanation: 'pictures by content, also against two folders',
    },
    {
      command: 'bowerbird dedupe birds --features birds/features/resnet50 --report merges.jsonl',
      explanation: 'also by features',
    },
    {
      command: 'bowerbird dedupe --features vectors.npy --threshold 0.1',
      explanation: 'near-duplicate rows of a file',
    },
  ],
  async run({ args: [workspace], options, print, printJson, progress, signal }) {
    if (workspace === undefined && options.features === undefined)
      throw new UsageError('nothing to compare', 'Name a workspace, or --features FILE.npy.');
    const backend = options.features === undefined ? undefined : await openBackend(options);
    try {
      if (workspace === undefined) {
        const { merges, compared } = await compareRows(options, backend!, progress, signal);
        if (options.report) writeReport(options.report, merges);
        printJson({ compared, removed: merges.length, merges });
        print(`${compared} vectors compared, ${merges.length} are near-duplicates of an earlier one`);
        for (const merge of merges.slice(0, 20)) print(`  ${merge.removed} = ${merge.stays}: ${merge.explanation}`);
        return 0;
      }
      const {
        'test-features': testFeatures,
        'auxiliary-features': auxiliaryFeatures,
        'memory-limit': memoryLimit,
        ...rest
      } = options;
      const summary = await dedupe({
        ...rest,
        workspace,
        testFeatures,
        auxiliaryFeatures,
        memoryLimit,
        dropLeaks: options['drop-leaks'],
        dryRun: options['dry-run'],
        backend,
        signal,
        onProgress: progress.during('compare'),
      });
      if (options.report) writeReport(options.report, summary.merges);
      printJson(summary);
      const { exact, perceptual, features } = summary.removed;
      print(
        `${summary.compared} pictures compared; ${options['dry-run'] ? 'to be removed' : 'removed'}: ${exact} exact, ${perceptual} perceptual, ${features} by features`,
      );
      print(
        `${summary.acrossCategories} of them repeat a picture of another category, ${summary.againstAuxiliary} an auxiliary picture`,
      );
      return 0;
    } catch (error) {
      if (options.report && error instanceof TestLeakError) writeReport(options.report, error.pairs);
      throw error;
    } finally {
      backend?.dispose();
    }
  },
});

interface RowOptions {
  features: string | undefined;
  ids: string | undefined;
  threshold: number;
  components: number;
  'memory-limit': number;
}

async function compareRows(options: RowOptions, backend: Backend, progress: ProgressLine, signal: AbortSignal) {
  const set = await openFeatureSet(options.features!, options.ids);
  try {
    const merges: MergeRecord[] = [];
    const pairs = nearbyRows(set.rows, {
      backend,
      threshold: options.threshold,
      components: options.components,
      memoryLimit: options['memory-limit'],
      signal,
      onProgress: progress.during('compare features'),
    });
    for await (const { row, of, distance } of pairs)
      merges.push({
        removed: set.names[row],
        stays: set.names[of],
        method: 'features',
        explanation: `features are ${distance.toFixed(4)} apart (at most ${options.threshold})`,
      });
    return { merges, compared: set.names.length };
  } finally {
    await set.rows.close();
  }
}

function writeReport(file: string, merges: readonly MergeRecord[]): void {
  writeFileSync(file, merges.map((merge) => `${JSON.stringify(merge)}\n`).join(''));
}
