/** Pictures in, answers out: category, confidence and runner-up from the classifier of a finished workspace. */
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { type Answers, answerRows, classifyFeatures } from '../fit/index.js';
import { createBackend } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import {
  type DecodeLimits,
  type Picture,
  type PictureFeatures,
  pictureFeatures,
  requireSameFeatures,
} from '../vision/index.js';
import { openClassifier } from './classifier.js';
import { openFeatureModel } from './feature-model.js';
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
  onProgress?(progress: Progress): void;
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
  const files = await pictureFiles(paths);
  const pictures = files.map((file, i) => ({ id: String(i), path: resolve(file) }));
  const { answers, ids, failed } = await classifyPictures(workspace, pictures, options);
  return {
    pictures: answerRows(answers).map(({ row, name, confidence, unlisted, runnerUp, runnerUpConfidence }) => ({
      picture: files[Number(ids[row])],
      category: name,
      ...(confidence !== undefined && { confidence }),
      ...(unlisted !== undefined && { unlisted }),
      runnerUp,
      ...(runnerUpConfidence !== undefined && { runnerUpConfidence }),
    })),
    failed: failed.map(({ id, fault, message }) => ({
      picture: files[Number(id)],
      reason: [fault, message].filter(Boolean).join(': '),
    })),
  };
}

export interface PictureAnswers extends PictureFeatures {
  /** In the order of `ids`. */
  answers: Answers;
}

/** The whole way of pictures that come later, files or contents in memory: features, scores, answers. */
export async function classifyPictures(
  workspace: Workspace,
  pictures: readonly Picture[],
  options: ClassifyOptions & { limits?: Partial<DecodeLimits> } = {},
): Promise<PictureAnswers> {
  const { model: classifier, features: fitted } = await openClassifier(workspace);
  const { model: settings, learner } = workspace.configuration;
  const { signal, onNote, onProgress, limits } = options;
  const network = await openFeatureModel(settings, workspace, { signal, onProgress, note: onNote });
  const { batch, workers, device } = settings;
  const found = await pictureFeatures(pictures, network, { batch, workers, device, limits, signal, onProgress });
  requireSameFeatures(fitted, found.meta, 'the classifier', 'these pictures');
  const backend = await createBackend({ device: learner.device, threads: learner.threads });
  try {
    return { ...found, answers: classifyFeatures(classifier, found.features, backend) };
  } finally {
    backend.dispose();
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
