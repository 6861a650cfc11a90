/** Pictures in, answers out: category, confidence and runner-up from the classifier of a finished workspace. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { answerRows, classifyFeatures } from '../fit/index.js';
import { readCsv } from '../formats/index.js';
import { createBackend } from '../linalg/index.js';
import { extractFeatures, loadFeatures, requireSameFeatures } from '../vision/index.js';
import { openClassifier } from './classifier.js';
import { openFeatureModel } from './feature-model.js';
import { listSource } from './pictures.js';
import type { StageProgress } from './stage.js';
import type { Workspace } from './workspace.js';

export interface ClassifiedPicture {
  picture: string;
  category: string;
  /** Chance that the category is right, learnt on validation categories; absent where there were none. */
  confidence?: number;
  /** Chance that it shows none of the categories, where the model tells. */
  unlisted?: number;
  runnerUp: string;
  runnerUpConfidence?: number;
}

export interface ClassifyResult {
  pictures: ClassifiedPicture[];
  failed: { picture: string; reason: string }[];
}

export interface ClassifyOptions {
  signal?: AbortSignal;
  onProgress?(progress: StageProgress): void;
  onNote?(message: string): void;
}

/**
 * @param paths pictures, or folders of pictures at any depth
 * @example
 * const { pictures } = await classify(await openWorkspace('birds'), ['garden.jpg']);
 * console.log(pictures[0].category, pictures[0].confidence);
 */
export async function classify(
  workspace: Workspace,
  paths: readonly string[],
  options: ClassifyOptions = {},
): Promise<ClassifyResult> {
  const { model: classifier, features: fitted } = await openClassifier(workspace);
  const files = await pictureFiles(paths);
  const { model: settings, learner } = workspace.configuration;
  const model = await openFeatureModel(settings, workspace, { ...options, note: options.onNote });
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-classify-'));
  const backend = await createBackend({ device: learner.device, threads: learner.threads });
  try {
    const source = listSource(
      '',
      files.map((file, i) => ({ id: String(i), path: resolve(file) })),
    );
    const { meta, pictures: count } = await extractFeatures(source, model, folder, {
      ...{ batch: settings.batch, workers: settings.workers, device: settings.device },
      signal: options.signal,
      onNote: options.onNote,
      onProgress: ({ done, total }) => options.onProgress?.({ done, total }),
    });
    requireSameFeatures(fitted, meta, 'the classifier', 'these pictures');
    const { rows } = await readCsv(join(folder, 'failures.csv'));
    const failed = rows.map(([id, , ...reason]) => ({
      picture: files[Number(id)],
      reason: reason.filter(Boolean).join(': '),
    }));
    if (count === 0) return { pictures: [], failed };
    const { ids, features } = await loadFeatures(folder);
    const answers = answerRows(classifyFeatures(classifier, features, backend));
    const order = [...ids.keys()].sort((a, b) => Number(ids[a]) - Number(ids[b]));
    const pictures = order.map((i): ClassifiedPicture => {
      const { name, confidence, unlisted, runnerUp, runnerUpConfidence } = answers[i];
      return {
        picture: files[Number(ids[i])],
        category: name,
        ...(confidence !== undefined && { confidence }),
        ...(unlisted !== undefined && { unlisted }),
        runnerUp,
        ...(runnerUpConfidence !== undefined && { runnerUpConfidence }),
      };
    });
    return { pictures, failed };
  } finally {
    backend.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

const suffixes = new Set(['.jpg', '.jpeg', '.jpe', '.png', '.gif', '.webp', '.tif', '.tiff', '.avif', '.heic', '.bmp']);

/** A file is taken for a picture whatever its name; in a folder only those with a picture's suffix. */
async function pictureFiles(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (!found) throw new UsageError(`there is no picture or folder ${path}`);
    if (!found.isDirectory()) {
      files.push(path);
      continue;
    }
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const inside = entries
      .filter((entry) => !entry.isDirectory() && suffixes.has(extname(entry.name).toLowerCase()))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    if (inside.length === 0) throw new UsageError(`${path} holds no pictures`);
    files.push(...inside);
  }
  return files;
}
