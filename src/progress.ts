/** How far something is: the one shape in which everything that takes longer than moments reports it. */
export interface Progress {
  /** What is being done, where there are several things to do. */
  stage?: string;
  done: number;
  /** Absent where it is not known. */
  total?: number;
  /** A few words, such as a unit or a name. */
  detail?: string;
  /** Numbers worth watching, by name, such as a rate or a loss. */
  figures?: Readonly<Record<string, number>>;
  /** What is under way within it side by side; each has its `stage`. */
  parts?: readonly Progress[];
}

/** Of bytes, as people read them. */
export function inMegabytes({ done, total, ...rest }: Progress): Progress {
  return { ...rest, done: Math.round(done / 1e6), total: total && Math.round(total / 1e6), detail: 'MB' };
}
