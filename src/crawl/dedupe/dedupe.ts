/**
 * Finds duplicates among the kept pictures of a workspace, within and across categories and against auxiliary and test
 * pictures, and marks them. Every mark names the picture that stays and the numbers that decided; nothing is merged over
 * a chain.
 */
import { type DuplicateMark, openCatalog } from '../../catalog/index.js';
import { BowerbirdError, UsageError } from '../../errors.js';
import type { Backend } from '../../linalg/index.js';
import type { Progress } from '../../progress.js';
import { type FeatureSet, openFeatureSet, pickedRows } from './feature-set.js';
import { type Item, keptItems, referenceItems } from './items.js';
import { defaultThreshold, type NearbyOptions, nearbyRows } from './nearby.js';
import { type Merge, type MergeMethod, type SamePictureOptions, samePictures } from './same-pictures.js';

export interface DedupeOptions
  extends SamePictureOptions,
    Pick<NearbyOptions, 'threshold' | 'components' | 'memoryLimit'> {
  workspace: string;
  /** Folders of pictures that the kept ones must not repeat. */
  test?: readonly string[];
  auxiliary?: readonly string[];
  /** Features of the kept pictures (a folder, or .npy with `ids`), of the test and of the auxiliary pictures. */
  features?: string;
  ids?: string;
  testFeatures?: string;
  auxiliaryFeatures?: string;
  /** Needed with features. */
  backend?: Backend;
  /** Remove pictures that repeat a test picture instead of failing. @default false */
  dropLeaks?: boolean;
  /** Change nothing. @default false */
  dryRun?: boolean;
  onProgress?(progress: Progress): void;
}

export interface DedupeSummary {
  compared: number;
  removed: Record<MergeMethod, number>;
  /** Of the removed ones, those whose twin stays in another category. */
  acrossCategories: number;
  againstAuxiliary: number;
  merges: MergeRecord[];
}

export interface MergeRecord {
  removed: string;
  stays: string;
  method: MergeMethod;
  explanation: string;
  removedCategory?: string;
  staysCategory?: string;
}

/** Test pictures are among the training pictures. */
export class TestLeakError extends BowerbirdError {
  readonly pairs: readonly MergeRecord[];

  constructor(pairs: readonly MergeRecord[]) {
    const [first] = pairs;
    super(
      'BOWERBIRD_TEST_LEAK',
      `${first.removed}${first.removedCategory === undefined ? '' : ` (${first.removedCategory})`} is the same picture as the test picture ${first.stays}: ${first.explanation}${pairs.length > 1 ? `; ${pairs.length - 1} more such pairs` : ''}`,
      {
        hint: 'Results measured on these test pictures would be wrong. Remove the pictures, or let --drop-leaks remove them.',
      },
    );
    this.pairs = pairs;
  }
}

export async function dedupe(options: DedupeOptions): Promise<DedupeSummary> {
  const { signal, onProgress } = options;
  const catalog = await openCatalog(options.workspace, { mustExist: true, signal, onProgress });
  try {
    const items: Item[] = [];
    for (const folder of options.test ?? []) items.push(...(await referenceItems(folder, 'test', options.signal)));
    for (const folder of options.auxiliary ?? [])
      items.push(...(await referenceItems(folder, 'auxiliary', options.signal)));
    items.push(...(await keptItems(catalog)));
    const gone = new Uint8Array(items.length);
    const merges: Merge[] = [];
    const during = (stage: string) => (progress: Progress) => options.onProgress?.({ ...progress, stage });
    for await (const merge of samePictures(items, gone, { ...options, onProgress: during('compare pictures') }))
      merges.push(merge);
    for await (const merge of sameFeatures(items, gone, options, during('compare features'))) merges.push(merge);
    const leaks = merges.filter(({ of }) => of.kind === 'test').map(record);
    if (leaks.length > 0 && !options.dropLeaks) throw new TestLeakError(leaks);
    const removals = merges.filter(({ item }) => item.kind === 'web');
    if (!options.dryRun) catalog.markDuplicates(...items.flatMap(unmarked), ...removals.map(mark));
    return summarize(items, removals);
  } finally {
    await catalog.close();
  }
}

/** Duplicates of an earlier run took part again; where they are duplicates still, a mark follows. */
function unmarked(item: Item): DuplicateMark[] {
  return item.marked ? [{ id: item.name }] : [];
}

async function* sameFeatures(
  items: Item[],
  gone: Uint8Array,
  options: DedupeOptions,
  onProgress: (progress: Progress) => void,
): AsyncGenerator<Merge> {
  if (options.features === undefined) return;
  if (!options.backend) throw new UsageError('comparing features needs a numerical backend');
  const sets: FeatureSet[] = [];
  try {
    const rows: { item: Item; place: { rows: FeatureSet['rows']; row: number } }[] = [];
    for (const [kind, path] of [
      ['test', options.testFeatures],
      ['auxiliary', options.auxiliaryFeatures],
    ] as const) {
      if (path === undefined) continue;
      const set = await openFeatureSet(path);
      sets.push(set);
      for (const [row, name] of set.names.entries())
        rows.push({
          item: { kind, name, file: name, sha256: '', perceptualHash: '', cropHashes: '' },
          place: { rows: set.rows, row },
        });
    }
    const own = await openFeatureSet(options.features, options.ids);
    sets.push(own);
    const places = new Map(own.names.map((name, row) => [name, row]));
    for (const [index, item] of items.entries()) {
      const row = item.kind === 'web' ? places.get(item.name) : undefined;
      if (row !== undefined && !gone[index]) rows.push({ item, place: { rows: own.rows, row } });
    }
    if (!rows.some(({ item }) => item.kind === 'web'))
      throw new UsageError(
        `${options.features} has features of none of the kept pictures`,
        'Name the rows with --ids, one picture id per line.',
      );
    const { backend, threshold, components, memoryLimit, signal } = options;
    const pairs = nearbyRows(pickedRows(rows.map(({ place }) => place)), {
      backend,
      threshold,
      components,
      memoryLimit,
      signal,
      onProgress,
      isReference: (row) => rows[row].item.kind !== 'web',
    });
    for await (const { row, of, distance } of pairs) {
      const { item } = rows[row];
      if (item.kind !== 'web' && item.kind === rows[of].item.kind) continue;
      yield {
        item,
        of: rows[of].item,
        method: 'features',
        explanation: `features are ${distance.toFixed(4)} apart (at most ${threshold ?? defaultThreshold})`,
      };
    }
  } finally {
    for (const set of sets) await set.rows.close();
  }
}

function mark({ item, of, method, explanation }: Merge): DuplicateMark {
  const where =
    of.kind === 'web'
      ? of.category === item.category
        ? of.name
        : `${of.name} of category ${of.category}`
      : `the ${of.kind} picture ${of.name}`;
  return {
    id: item.name,
    duplicateOf: of.name,
    duplicateBy: method,
    duplicateDetail: `same as ${where}: ${explanation}`,
  };
}

function record({ item, of, method, explanation }: Merge): MergeRecord {
  return {
    removed: item.name,
    stays: of.name,
    method,
    explanation,
    removedCategory: item.category,
    staysCategory: of.category,
  };
}

function summarize(items: readonly Item[], removals: readonly Merge[]): DedupeSummary {
  const count = (method: MergeMethod) => removals.filter((merge) => merge.method === method).length;
  return {
    compared: items.length,
    removed: { exact: count('exact'), perceptual: count('perceptual'), features: count('features') },
    acrossCategories: removals.filter(({ item, of }) => of.kind === 'web' && of.category !== item.category).length,
    againstAuxiliary: removals.filter(({ of }) => of.kind === 'auxiliary').length,
    merges: removals.map(record),
  };
}
