/** How far something is, as everything that takes longer than moments reports it. */
export interface Progress {
  /** What is being done, where there are several things to do. */
  stage?: string;
  done: number;
  /** Absent where it is not known. */
  total?: number;
  /** A few words, such as a unit or a name. */
  detail?: string;
}
