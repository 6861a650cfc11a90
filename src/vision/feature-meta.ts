/**
 * How a folder of features was made: model, layer, preprocessing, versions. Features with different fingerprints live in
 * different spaces, and mixing them is an error.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { FeatureMismatchError } from './errors.js';
import type { Device, Reduction } from './network.js';
import type { Preprocessing } from './preprocessing.js';

export interface FeatureMeta {
  readonly format: 'bowerbird-features';
  readonly formatVersion: 1;
  /** sha256 over everything that changes what a feature means. */
  readonly fingerprint: string;
  readonly model: {
    /** Name in the registry, or of the file. */
    readonly name: string;
    /** Where it came from: `npm:name@version`, a URL, a path. */
    readonly source: string;
    /** sha256 of the ONNX model, in hexadecimal. */
    readonly sha256: string;
    readonly licence: string;
    /** The joint space of an image-text model. */
    readonly space?: string;
  };
  readonly layer: string;
  readonly reduction: Reduction;
  readonly dimension: number;
  readonly preprocessing: Preprocessing;
  readonly shardSize: number;
  readonly device: Device;
  /** Of features of several networks: columns that belong together. */
  readonly parts?: readonly FeaturePart[];
  readonly versions: Readonly<Record<string, string>>;
}

/** Columns of one network among several. */
export interface FeaturePart {
  readonly name: string;
  readonly width: number;
  readonly space?: string;
}

type Meaning = Pick<FeatureMeta, 'model' | 'layer' | 'reduction' | 'dimension' | 'preprocessing'>;

/** What must be the same for features to be comparable. */
export function fingerprint({ model, layer, reduction, dimension, preprocessing }: Meaning): string {
  const meaning = [model.sha256, layer, reduction, dimension, preprocessing];
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex');
}

export async function readFeatureMeta(folder: string): Promise<FeatureMeta | undefined> {
  const file = join(folder, 'meta.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  let meta: FeatureMeta;
  try {
    meta = JSON.parse(text) as FeatureMeta;
  } catch (error) {
    throw new FormatError(file, undefined, `is not JSON: ${(error as Error).message}`);
  }
  if (meta?.format !== 'bowerbird-features' || meta.formatVersion !== 1 || meta.fingerprint !== fingerprint(meta))
    throw new FormatError(file, undefined, 'does not describe features of this version', 'Extract the features again.');
  return meta;
}

export async function writeFeatureMeta(folder: string, meta: FeatureMeta): Promise<void> {
  await writeFileAtomic(join(folder, 'meta.json'), `${JSON.stringify(meta, null, 2)}\n`);
}

/** @throws FeatureMismatchError naming what differs */
export function requireSameFeatures(a: FeatureMeta, b: FeatureMeta, whereA: string, whereB: string): void {
  if (a.fingerprint === b.fingerprint) return;
  const differences: string[] = [];
  const compare = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      differences.push(`${what} ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
  };
  compare('model', a.model.name, b.model.name);
  compare('model hash', a.model.sha256.slice(0, 12), b.model.sha256.slice(0, 12));
  compare('layer', a.layer, b.layer);
  compare('reduction', a.reduction, b.reduction);
  compare('dimension', a.dimension, b.dimension);
  for (const key of Object.keys(a.preprocessing) as (keyof Preprocessing)[])
    compare(`preprocessing ${key}`, a.preprocessing[key], b.preprocessing[key]);
  throw new FeatureMismatchError(
    `features of ${whereA} and ${whereB} cannot be mixed: ${differences.join('; ')}`,
    'Extract both with the same model, layer and preprocessing, or write to another folder with --out.',
  );
}
