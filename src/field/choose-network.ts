/**
 * Which network a site gets: the workspace's own in the precision asked for, or, within a budget, in the form whose answers are most
 * like its own; where none of them fits, the smallest built-in network, which learns from it.
 */
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import type { Model } from '../fit/index.js';
import type { Progress } from '../progress.js';
import { chooseFeature, type FeatureModel, findModel, getModel } from '../vision/index.js';
import { openFeatureModel, pixelModel, soleNetwork, type Workspace } from '../workspace/index.js';
import { distil } from './distil.js';
import { measureLoss, type Sample, testSample, writeNetwork } from './network.js';
import { type Loss, type Precision, precisions } from './site.js';

/** The smallest built-in network that needs no more than the npm registry. */
const smallNetwork = 'mobilenet-v2-0.35';

/** What answers in the page. */
export interface Chosen {
  network: FeatureModel;
  model: Model;
  /** The two as one file. */
  graph: Uint8Array;
  precision: Precision;
  distilled: boolean;
  /** Absent where the network is the workspace's own, unchanged. */
  loss?: Loss;
}

export interface NetworkWish {
  precision?: Precision;
  budget?: {
    /** Bytes of the whole site without the engine. */
    bytes: number;
    /** Of them, what everything but network, classifier and features of the gallery takes. */
    others: number;
    /** Pictures of the gallery, a byte of each for every feature. */
    gallery: number;
  };
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  onNote?(message: string): void;
}

/** @param scratch a folder for files that are not needed afterwards */
export async function chooseNetwork(
  workspace: Workspace,
  model: Model,
  scratch: string,
  wish: NetworkWish,
): Promise<Chosen> {
  const { signal, onProgress, onNote, budget } = wish;
  const full = await openFeatureModel(soleNetwork(workspace), workspace, { signal, onProgress, note: onNote });
  const forms = budget && wish.precision === undefined ? precisions : [wish.precision ?? 'float16'];
  const own = await ownForms(workspace, full, model, forms, scratch, wish);
  if (own.best) return own.best;
  const { bytes } = budget!;
  if (full.name !== smallNetwork) {
    onNote?.(
      `${full.name} takes ${megabytes(own.least)} at least, more than ${megabytes(bytes)}: ${smallNetwork} learns from it instead`,
    );
    const small = await chooseFeature(await getModel(await findModel(smallNetwork), { signal, onNote }));
    const other = await distilled(workspace, small, model, forms, scratch, wish);
    if (other.best) return other.best;
    own.least = other.least;
  }
  throw new UsageError(
    `no form of the site is smaller than ${megabytes(own.least)}; the budget is ${megabytes(bytes)}`,
    'Give a larger --budget, or show fewer pictures with --licences.',
  );
}

interface Fitting {
  best?: Chosen;
  /** Bytes of the smallest form. */
  least: number;
}

/** The workspace's own network in the form whose answers are most like its own. */
async function ownForms(
  workspace: Workspace,
  full: FeatureModel,
  model: Model,
  forms: readonly Precision[],
  scratch: string,
  { budget, signal, onProgress }: NetworkWish,
): Promise<Fitting> {
  let best: Chosen | undefined;
  let least = Number.POSITIVE_INFINITY;
  let sample: Sample | undefined;
  for (const precision of forms) {
    const network = await writeNetwork(full, precision, join(scratch, `own-${precision}.onnx`));
    const graph = await pixelModel(network, model, { features: true });
    const size = sizeWith(graph, model, budget);
    least = Math.min(least, size);
    if (budget && size > budget.bytes) continue;
    const chosen = { network, model, graph, precision, distilled: false };
    // Nothing is lost.
    if (precision === 'float32') return { best: chosen, least };
    sample ??= await testSample(workspace);
    const loss = await measureLoss(sample, model, network, { signal, onProgress });
    if (!best?.loss || loss.agreement > best.loss.agreement) best = { ...chosen, loss };
  }
  return { best, least };
}

/** A smaller network in the finest form that fits, taught in that form. */
async function distilled(
  workspace: Workspace,
  small: FeatureModel,
  teacher: Model,
  forms: readonly Precision[],
  scratch: string,
  { budget, signal, onProgress }: NetworkWish,
): Promise<Fitting> {
  let least = Number.POSITIVE_INFINITY;
  for (const precision of forms) {
    const network = await writeNetwork(small, precision, join(scratch, `small-${precision}.onnx`));
    // The classifier of the teacher is at least as large as a student's of fewer features.
    const size = network.bytes + sizeWith(new Uint8Array(0), teacher, budget);
    least = Math.min(least, size);
    if (budget && size > budget.bytes) continue;
    const { model, loss } = await distil(workspace, teacher, network, { signal, onProgress });
    const graph = await pixelModel(network, model, { features: true });
    return { best: { network, model, graph, precision, distilled: true, loss }, least };
  }
  return { least };
}

function sizeWith(graph: Uint8Array, { scorer: { map, weights } }: Model, budget: NetworkWish['budget']): number {
  return graph.length + (budget ? budget.others + budget.gallery * (map ?? weights).rows : 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
