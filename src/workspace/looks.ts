/**
 * Several networks, layers and views as one set of features. Every look at a picture is a unit vector; the views of one
 * network are averaged or stand beside each other, networks stand beside each other, a block for each.
 */
import { createHash } from 'node:crypto';
import { Matrix } from '../linalg/index.js';
import {
  describeFeatures,
  type FeatureMeta,
  type FeatureModel,
  type FeaturePart,
  type ViewName,
} from '../vision/index.js';
import type { ModelSettings } from './configuration.js';
import { openFeatureModel } from './feature-model.js';
import type { Workspace } from './workspace.js';

export interface Look {
  readonly settings: ModelSettings;
  readonly view: ViewName;
  /** The network it belongs to. */
  readonly network: number;
}

export function looksOf({ configuration: { networks } }: Workspace): Look[] {
  return networks.flatMap((settings, network) =>
    (settings.views ?? ['plain']).map((view) => ({ settings, view, network })),
  );
}

type OpenContext = Parameters<typeof openFeatureModel>[2];

export async function openLooks(workspace: Workspace, context?: OpenContext): Promise<FeatureModel[]> {
  const models: FeatureModel[] = [];
  for (const { settings, view } of looksOf(workspace))
    models.push(await openFeatureModel(settings, workspace, context, view));
  return models;
}

/** What the features of several looks are, as if of one network. */
export function combinedMeta(looks: readonly Look[], metas: readonly FeatureMeta[]): FeatureMeta {
  const parts = partsOf(looks, metas);
  const meaning = metas.map(({ fingerprint }, k) => [
    fingerprint,
    looks[k].network,
    looks[k].settings.combine ?? 'mean',
  ]);
  const { reduction, preprocessing, shardSize, device } = metas[0];
  return describeFeatures({
    ...{ reduction, preprocessing, shardSize, device },
    model: {
      name: parts.map(({ name }) => name).join(' + '),
      source: [...new Set(metas.map(({ model }) => model.source))].join(', '),
      licence: [...new Set(metas.map(({ model }) => model.licence))].join(', '),
      sha256: createHash('sha256').update(JSON.stringify(meaning)).digest('hex'),
    },
    layer: metas.map(({ layer }) => layer).join(' + '),
    dimension: parts.reduce((sum, { width }) => sum + width, 0),
    parts,
  });
}

/** Numbers of the looks of each network. */
function byNetwork(looks: readonly Look[]): number[][] {
  const networks = [...new Set(looks.map(({ network }) => network))];
  return networks.map((network) => looks.flatMap((look, k) => (look.network === network ? [k] : [])));
}

const isBeside = ({ settings }: Look) => settings.combine === 'concatenate';

function partsOf(looks: readonly Look[], metas: readonly FeatureMeta[]): FeaturePart[] {
  return byNetwork(looks).map((own) => {
    const { model, dimension } = metas[own[0]];
    const beside = isBeside(looks[own[0]]);
    const views = own.map((k) => looks[k].view).join(', ');
    return {
      name: views === 'plain' ? model.name : `${model.name} (${views})`,
      width: beside ? dimension * own.length : dimension,
      ...(model.space && !beside && { space: model.space }),
    };
  });
}

/** @param features of each look, rows of the same pictures in the same order */
export function combineLooks(looks: readonly Look[], features: readonly Matrix[]): Matrix<Float32Array> {
  // Looks of a group are averaged, groups stand beside each other.
  const groups = byNetwork(looks).flatMap((own) => (isBeside(looks[own[0]]) ? own.map((k) => [k]) : [own]));
  const width = groups.reduce((sum, [first]) => sum + features[first].cols, 0);
  const result = Matrix.zeros(features[0].rows, width, 'float32');
  for (let i = 0; i < result.rows; i++) {
    let at = 0;
    for (const group of groups) {
      const part = result.row(i).subarray(at, at + features[group[0]].cols);
      for (const look of group) addUnit(part, features[look].row(i));
      toUnit(part);
      at += part.length;
    }
  }
  return result;
}

/** Blocks of a combined feature, each times its scale, in place. */
export function scaleParts(features: Matrix, parts: readonly FeaturePart[], scales: readonly number[]): Matrix {
  for (let i = 0; i < features.rows; i++) {
    const row = features.row(i);
    let at = 0;
    for (const [k, { width }] of parts.entries()) {
      for (let j = at; j < at + width; j++) row[j] *= scales[k];
      at += width;
    }
  }
  return features;
}

/**
 * How much each block tells of known categories, the most telling one 1: √(η_k / max η), η the share of the variance of the
 * pictures that lies between their categories, less what chance puts there.
 */
export function explainedScales(features: Matrix, labels: Int32Array, parts: readonly FeaturePart[]): number[] {
  const categories = Math.max(...labels) + 1;
  const counts = new Float64Array(categories);
  for (const label of labels) counts[label]++;
  const sums = Matrix.zeros(categories, features.cols);
  const squares = new Float64Array(features.cols);
  for (let i = 0; i < features.rows; i++) {
    const [row, sum] = [features.row(i), sums.row(labels[i])];
    for (let j = 0; j < row.length; j++) {
      sum[j] += row[j];
      squares[j] += row[j] * row[j];
    }
  }
  const shares: number[] = [];
  let at = 0;
  for (const { width } of parts) {
    let [between, total] = [0, 0];
    for (let j = at; j < at + width; j++) {
      let [all, own] = [0, 0];
      for (let c = 0; c < categories; c++) {
        all += sums.at(c, j);
        if (counts[c] > 0) own += sums.at(c, j) ** 2 / counts[c];
      }
      const mean = all ** 2 / features.rows;
      between += own - mean;
      total += squares[j] - mean;
    }
    const chance = ((categories - 1) * (total - between)) / Math.max(1, features.rows - categories);
    shares.push(total > 0 ? (between - chance) / total : 0);
    at += width;
  }
  const most = Math.max(...shares, 1e-12);
  return shares.map((share) => Math.sqrt(Math.max(share, 1e-4 * most) / most));
}

function addUnit(target: Float32Array, vector: ArrayLike<number>): void {
  let squares = 0;
  for (let j = 0; j < vector.length; j++) squares += vector[j] * vector[j];
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let j = 0; j < target.length; j++) target[j] += factor * vector[j];
}

function toUnit(row: Float32Array): void {
  let squares = 0;
  for (const value of row) squares += value * value;
  const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let j = 0; j < row.length; j++) row[j] *= factor;
}
