/** Pictures in, answers out: category, confidence and runner-up from the classifier of a finished workspace. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { type Answers, answerRows, classifyFeatures } from '../fit/index.js';
import { createBackend, Matrix } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import {
  type DecodeLimits,
  type Picture,
  type PictureFeatures,
  pictureFeatures,
  requireSameFeatures,
} from '../vision/index.js';
import type { ProblemRows } from './assemble.js';
import { openClassifier } from './classifier.js';
import { combinedMeta, combineLooks, looksOf, openLooks, scaleParts } from './looks.js';
import { layout, type Workspace } from './workspace.js';

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
  const { learner } = workspace.configuration;
  const found = await lookAt(workspace, pictures, options);
  requireSameFeatures(fitted, found.meta, 'the classifier', 'these pictures');
  const backend = await createBackend({ device: learner.device, threads: learner.threads });
  try {
    return { ...found, answers: classifyFeatures(classifier, found.features, backend) };
  } finally {
    backend.dispose();
  }
}

/** Features as the classifier expects them, of one look or of several. */
async function lookAt(
  workspace: Workspace,
  pictures: readonly Picture[],
  { signal, onNote, onProgress, limits }: ClassifyOptions & { limits?: Partial<DecodeLimits> },
): Promise<PictureFeatures> {
  const looks = looksOf(workspace);
  const models = await openLooks(workspace, { signal, onProgress, note: onNote });
  const found: PictureFeatures[] = [];
  for (const [k, model] of models.entries()) {
    const { batch, workers, device } = looks[k].settings;
    found.push(await pictureFeatures(pictures, model, { batch, workers, device, limits, signal, onProgress }));
  }
  if (found.length === 1) return found[0];
  const failed = new Map(found.flatMap((one) => one.failed.map((failure) => [failure.id, failure])));
  const ids = found[0].ids.filter((id) => !failed.has(id));
  const rows = found.map(({ features, ids: own }) => {
    const kept = Matrix.zeros(ids.length, features.cols, 'float32');
    for (const [i, id] of ids.entries()) kept.row(i).set(features.row(own.indexOf(id)));
    return kept;
  });
  const meta = combinedMeta(
    looks,
    found.map((one) => one.meta),
  );
  const { featureScales } = JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
  const features = combineLooks(looks, rows);
  scaleParts(features, meta.parts!, featureScales ?? meta.parts!.map(() => 1));
  return { meta, ids, features, failed: [...failed.values()] };
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
