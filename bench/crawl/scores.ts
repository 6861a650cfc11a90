/** Precision and recall of removed pairs against planted copies. */
import type { MergeRecord } from '../../src/crawl/index.js';
import type { Planted } from './planted.js';

export interface Scores {
  precision: number;
  recall: Map<string, number>;
  /** Pairs that were not planted, nearest first, for looking at. */
  unplanted: MergeRecord[];
}

/** A merge is right when it joins a copy with its original, or two copies of one original. */
export function score(planted: Planted, merges: readonly MergeRecord[]): Scores {
  const root = (id: string) => planted.copies.get(id)?.of ?? id;
  const right = merges.filter(({ removed, stays }) => root(removed) === root(stays));
  // A pair of originals on either side is one that was in the photographs already.
  const removed = new Set(
    right.flatMap((merge) => [merge.removed, merge.stays]).filter((id) => planted.copies.has(id)),
  );
  const recall = new Map<string, number>();
  for (const edit of new Set([...planted.copies.values()].map((copy) => copy.edit))) {
    const all = [...planted.copies].filter(([, copy]) => copy.edit === edit).map(([id]) => id);
    recall.set(edit, all.filter((id) => removed.has(id)).length / all.length);
  }
  return {
    precision: merges.length === 0 ? 1 : right.length / merges.length,
    recall,
    unplanted: merges.filter((merge) => !right.includes(merge)),
  };
}
