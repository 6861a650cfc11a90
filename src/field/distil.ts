/**
 * A smaller network learns to answer as the workspace's classifier does, on the workspace's own pictures: ridge regression from its
 * features to the teacher's chances, min Σ wᵢ ‖xᵢW + b − tᵢ‖² + ρ‖W‖², where t are the chances of the categories given that it is
 * one of them and w is the chance that it is. Auxiliary pictures are taught as categories of their own. The ridge, the temperature, and
 * what tells strangers (`StrangerDecision`) are learnt on pictures that the regression has not seen: one half of the pictures and of
 * the auxiliary categories judges what was learnt with the other. So is the loss: it is that of pictures the student has not seen.
 * Labels of test pictures are looked at only to count how many answers are right.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { classifyFeatures, confidences, type Model, type Sharpness } from '../fit/index.js';
import { type Backend, createBackend, Matrix } from '../linalg/index.js';
import { fitLogistic, logisticValues } from '../methods/index.js';
import {
  type LinearModel,
  leastOnLogScale,
  linearDecisions,
  ridgeRegression,
  strangerSigns,
  toUnitRows,
  transposedModel,
} from '../numerics/index.js';
import { doubtAfter, selectRows, unlistedChance } from '../problem/index.js';
import type { Progress } from '../progress.js';
import { type FeatureModel, loadFeatures, type Picture, pictureFeatures } from '../vision/index.js';
import { featureFolder, layout, type PictureSet, type ProblemRows, type Workspace } from '../workspace/index.js';
import type { Loss } from './site.js';

const ridges = [0.1, 1, 10];

/** Pictures as the student sees them, with what it should say of them. */
interface Lessons {
  /** Unit length. */
  features: Matrix<Float64Array>;
  /** Teacher's chances of the categories given that it is one of them; n×C. Rows of auxiliary pictures are zero. */
  targets: Matrix<Float64Array>;
  /** Teacher's chance that it is none; 1 of auxiliary pictures. */
  unlisted: Float64Array;
  /** Index of the auxiliary category, or −1. */
  others: Int32Array;
  otherCount: number;
  /** Index of the right category of test pictures where it is known; −1 of those where it is not, −2 of other pictures. */
  truth: Int32Array;
}

export interface Distilled {
  model: Model;
  loss: Loss;
}

interface DistilOptions {
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export async function distil(
  workspace: Workspace,
  teacher: Model,
  network: FeatureModel,
  options: DistilOptions,
): Promise<Distilled> {
  const backend = await createBackend({ device: 'auto', threads: workspace.configuration.learner.threads });
  try {
    const lessons = await gather(workspace, teacher, network, backend, options);
    const { ridge, temperature, scores } = chooseRidge(lessons, backend);
    const all = [...lessons.others.keys()];
    const { weights, bias } = transposedModel(fitScores(lessons, all, () => true, ridge, backend));
    const C = teacher.scorer.names.length;
    const sharpness = { temperature, spread: 1, doubt: doubtAfter(all.filter((i) => lessons.others[i] < 0).length) };
    const signs = teacher.strangers && lessons.otherCount > 1 ? crossSigns(lessons, scores, temperature) : undefined;
    const odds = signs && strangerOdds(lessons, signs);
    const model: Model = {
      scorer: {
        ...{ normalize: 'unit', names: teacher.scorer.names },
        ...{ weights: weights.view(0, weights.rows, 0, C).copy('float64'), bias: bias.slice(0, C) },
      },
      method: teacher.method,
      kind: `a ridge regression of ${network.name} on the answers of the workspace's classifier`,
      ...(teacher.sharpness && { sharpness }),
      ...(odds && {
        strangers: {
          ...{ power: 1, candidates: C, weights: scaled(weights, 1 / temperature) },
          bias: bias.map((value) => value / temperature),
          ...odds,
        },
      }),
    };
    const unlisted =
      signs && logisticValues({ weights: odds!.coefficients, intercept: odds!.intercept }, signs).map(logistic);
    return { model, loss: lossOf(lessons, scores, unlisted, teacher.sharpness && sharpness) };
  } finally {
    backend.dispose();
  }
}

/** Features of all pictures by the student's network, and the teacher's opinion of each. */
async function gather(
  workspace: Workspace,
  teacher: Model,
  network: FeatureModel,
  backend: Backend,
  { signal, onProgress }: DistilOptions,
): Promise<Lessons> {
  const { web } = JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
  const { configuration, folder } = workspace;
  const places: Record<PictureSet, string> = {
    test: workspace.path(configuration.test),
    web: folder,
    auxiliary: workspace.path(configuration.auxiliary.folder),
  };
  const known = new Set(teacher.scorer.names);
  const C = known.size;
  const others: string[] = [];
  const pictures: Picture[] = [];
  const opinions: { targets: Float64Array; unlisted: number; other: number; truth: number }[] = [];
  for (const set of ['test', 'web', 'auxiliary'] as const) {
    const found = await loadFeatures(workspace.path(featureFolder(set)));
    const wanted = new Set(set === 'web' ? web : found.ids);
    const { predictions, names, chances, unlisted } = classifyFeatures(teacher, found.features, backend);
    for (const [i, id] of found.ids.entries()) {
      const category = found.categories[i];
      const other = set === 'auxiliary' && !known.has(category);
      if (!wanted.has(id)) continue;
      if (other && !others.includes(category)) others.push(category);
      const none = other ? 1 : (unlisted?.[i] ?? 0);
      const row = chances?.row(i) ?? oneHot(predictions[i], names.length);
      pictures.push({ id: String(pictures.length), path: join(places[set], found.paths[i]) });
      opinions.push({
        targets: Float64Array.from(row, (chance) => (other ? 0 : chance / Math.max(1e-6, 1 - none))),
        unlisted: none,
        other: other ? others.indexOf(category) : -1,
        truth: set === 'test' ? teacher.scorer.names.indexOf(category) : -2,
      });
    }
  }
  const { ids, features } = await pictureFeatures(pictures, network, {
    signal,
    onProgress: (progress) => onProgress?.({ ...progress, stage: `distil to ${network.name}` }),
  });
  const kept = ids.map((id) => opinions[Number(id)]);
  const targets = Matrix.zeros(kept.length, C);
  for (const [i, opinion] of kept.entries()) targets.row(i).set(opinion.targets);
  return {
    features: toUnitRows(features.copy('float64')),
    targets,
    unlisted: Float64Array.from(kept, ({ unlisted }) => unlisted),
    others: Int32Array.from(kept, ({ other }) => other),
    otherCount: others.length,
    truth: Int32Array.from(kept, ({ truth }) => truth),
  };
}

function best(row: ArrayLike<number>): number {
  let place = 0;
  for (let c = 1; c < row.length; c++) if (row[c] > row[place]) place = c;
  return place;
}

function oneHot(category: number, count: number): Float64Array {
  return new Float64Array(count).fill(1, category, category + 1);
}

/** Columns of the categories, then of the auxiliary ones that may be learnt from. */
function fitScores(
  { features, targets, unlisted, others, otherCount }: Lessons,
  rows: readonly number[],
  teaches: (other: number) => boolean,
  ridge: number,
  backend: Backend,
): LinearModel {
  const C = targets.cols;
  const used = rows.filter((i) => others[i] < 0 || teaches(others[i]));
  const wanted = Matrix.zeros(used.length, C + otherCount);
  for (const [k, i] of used.entries()) {
    wanted.row(k).set(targets.row(i));
    if (others[i] >= 0) wanted.set(k, C + others[i], 1);
  }
  const instanceWeights = used.map((i) => (others[i] < 0 ? 1 - unlisted[i] : 1));
  return ridgeRegression(backend, selectRows(features, used), wanted, { ridge, instanceWeights });
}

/** Decision values of each picture by a regression that saw neither it nor, of auxiliary pictures, its category. */
function crossScores(lessons: Lessons, ridge: number, backend: Backend): Matrix<Float64Array> {
  const { features, others, targets, otherCount } = lessons;
  const half = (i: number) => (others[i] < 0 ? i % 2 : others[i] % 2);
  const result = Matrix.zeros(features.rows, targets.cols + otherCount);
  const all = [...others.keys()];
  for (const seen of [0, 1]) {
    const model = fitScores(
      lessons,
      all.filter((i) => half(i) === seen),
      (other) => other % 2 === seen,
      ridge,
      backend,
    );
    const rest = all.filter((i) => half(i) !== seen);
    const values = linearDecisions(backend, model, selectRows(features, rest));
    for (const [k, i] of rest.entries()) result.row(i).set(values.row(k));
  }
  return result;
}

function chooseRidge(lessons: Lessons, backend: Backend) {
  const { targets, unlisted, others } = lessons;
  const C = targets.cols;
  const tried = ridges.map((ridge) => {
    const scores = crossScores(lessons, ridge, backend);
    /** Cross entropy of the student's chances with the teacher's. */
    const loss = (temperature: number) => {
      let sum = 0;
      for (let i = 0; i < scores.rows; i++) {
        if (others[i] >= 0) continue;
        const chances = confidences(scores.row(i).subarray(0, C), { temperature, spread: 1, doubt: 1e-6 });
        for (let c = 0; c < C; c++) sum -= (1 - unlisted[i]) * targets.at(i, c) * Math.log(chances[c]);
      }
      return sum;
    };
    const temperature = leastOnLogScale(loss, 1e-3, 10, 1e-3);
    return { ridge, temperature, scores, loss: loss(temperature) };
  });
  return tried.reduce((best, one) => (one.loss < best.loss ? one : best));
}

/** What the scores of each picture, by the regression that has not seen it, say of whether it shows a category. */
function crossSigns({ others, otherCount, targets }: Lessons, scores: Matrix<Float64Array>, temperature: number) {
  const C = targets.cols;
  const signs = Array.from({ length: scores.rows }, (_, i) => {
    const row = scores.row(i).map((value) => value / temperature);
    // Only auxiliary categories that the regression knew.
    const seen = 1 - (others[i] < 0 ? i % 2 : others[i] % 2);
    const taught = row.subarray(C, C + otherCount).filter((_, k) => k % 2 === seen);
    return strangerSigns(row.subarray(0, C), taught);
  });
  return Matrix.from(signs);
}

/**
 * What the signs count, learnt where the teacher's opinion, or an auxiliary category that was not taught, says what is a
 * stranger; at the share of strangers that the teacher finds among the pictures that may show a category.
 */
function strangerOdds({ unlisted, others }: Lessons, signs: Matrix<Float64Array>) {
  const { weights, intercept } = fitLogistic(signs, unlisted, 5);
  const mean = (of: readonly number[]) => of.reduce((sum, i) => sum + unlisted[i], 0) / of.length;
  const odds = (share: number) => {
    const bounded = Math.min(0.95, Math.max(0.001, share));
    return Math.log(bounded / (1 - bounded));
  };
  const all = [...others.keys()];
  const listed = all.filter((i) => others[i] < 0);
  return { coefficients: weights, intercept: intercept + odds(mean(listed)) - odds(mean(all)) };
}

const logistic = (odds: number) => 1 / (1 + Math.exp(-odds));

/** Of the test pictures, by the regression that has not seen them. */
function lossOf(
  { targets, truth, unlisted: taught }: Lessons,
  scores: Matrix<Float64Array>,
  unlisted: ArrayLike<number> | undefined,
  sharpness: Sharpness | undefined,
): Loss {
  const C = targets.cols;
  const test = [...truth.keys()].filter((i) => truth[i] > -2);
  const known = test.filter((i) => truth[i] >= 0);
  const own = (i: number) => scores.row(i).subarray(0, C);
  const strange = (i: number) => (unlisted?.[i] ?? 0) > unlistedChance;
  const same = test.filter((i) =>
    taught[i] > unlistedChance ? strange(i) : !strange(i) && best(own(i)) === best(targets.row(i)),
  );
  const changes = sharpness
    ? test.map((i) => {
        const now = confidences(own(i), sharpness)[best(own(i))] * (1 - (unlisted?.[i] ?? 0));
        return Math.abs(now - targets.at(i, best(targets.row(i))) * (1 - taught[i]));
      })
    : [];
  const right = (row: (i: number) => ArrayLike<number>) =>
    known.filter((i) => best(row(i)) === truth[i]).length / known.length;
  return {
    pictures: test.length,
    agreement: same.length / test.length,
    ...(changes.length > 0 && { largestConfidenceChange: Math.max(...changes) }),
    ...(known.length > 0 && { accuracyBefore: right((i) => targets.row(i)), accuracyAfter: right(own) }),
  };
}

function scaled(matrix: Matrix<Float64Array>, factor: number): Matrix<Float64Array> {
  const result = matrix.copy('float64');
  for (let i = 0; i < result.data.length; i++) result.data[i] *= factor;
  return result;
}
