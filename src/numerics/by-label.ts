/** Instances in the order of their labels: those of one label lie together, so that they are summed up in segments. */

export interface LabelOrder {
  /** Instances in the order of their labels, those of one label in their own order; those without a label are left out. */
  readonly order: Int32Array;
  /** Where those of each label begin, and where the last ones end. */
  readonly starts: Int32Array;
}

/** @param labels below 0 for instances without one */
export function byLabel(labels: Int32Array, categories: number): LabelOrder {
  const starts = new Int32Array(categories + 1);
  for (const label of labels) if (label >= 0) starts[label + 1]++;
  for (let c = 0; c < categories; c++) starts[c + 1] += starts[c];
  const next = starts.slice();
  const order = new Int32Array(starts[categories]);
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) order[next[labels[i]]++] = i;
  return { order, starts };
}

/** The labels of which places [from, to) of such an order are, from `first` on, and where theirs begin there. */
export function segmentsWithin(starts: Int32Array, from: number, to: number): { first: number; starts: Int32Array } {
  let first = 0;
  while (first < starts.length - 2 && starts[first + 1] <= from) first++;
  let last = first;
  while (last < starts.length - 2 && starts[last + 1] < to) last++;
  const here = Int32Array.from(
    { length: last - first + 2 },
    (_, k) => Math.min(to, Math.max(from, starts[first + k])) - from,
  );
  return { first, starts: here };
}
