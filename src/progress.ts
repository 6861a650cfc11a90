/** How far something is: the one shape in which everything that takes longer than moments reports it. */
export interface Progress {
  /** What is being done, where there are several things to do. */
  stage?: string;
  done: number;
  /** Absent where it is not known. */
  total?: number;
  /** `total` is the most there can be: the work may well end before, and how long it takes cannot be said. */
  atMost?: boolean;
  /** What is counted: `pictures`, `rounds`, `MB`. */
  unit?: string;
  /** A few words, such as a rate or a name. */
  detail?: string;
  /** Numbers worth watching, by name, such as a rate or a loss. */
  figures?: Readonly<Record<string, number>>;
  /** What is under way within it side by side; each has its `stage`. */
  parts?: readonly Progress[];
}

/** Of bytes, as people read them. */
export function inMegabytes({ done, total, ...rest }: Progress): Progress {
  return { ...rest, done: Math.round(done / 1e6), total: total && Math.round(total / 1e6), unit: 'MB' };
}

/** `12 of 40 pictures`, `12 of at most 40 pictures`, `12 pictures`; nothing where nothing was counted yet. */
export function countText({ done, total, atMost, unit }: Progress): string {
  if (total === undefined && done === 0) return '';
  const count = total === undefined ? `${done}` : `${done} of ${atMost ? 'at most ' : ''}${total}`;
  return unit ? `${count} ${unit}` : count;
}
