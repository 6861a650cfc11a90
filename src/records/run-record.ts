/** What is told of a fit to the tools in which people keep their experiments. */
export interface RunRecord {
  /** Of the experiment: the workspace. */
  readonly experiment: string;
  /** Of this run. */
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, number>>;
  /** Numbers by iteration. */
  readonly curves: Readonly<Record<string, readonly number[]>>;
  readonly tags: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly ended: number;
}

/** Metrics at step 0, then curves step by step; what is no finite number is left out. */
export function* measurements({ metrics, curves }: RunRecord): Iterable<{ key: string; value: number; step: number }> {
  for (const [key, value] of Object.entries(metrics)) if (Number.isFinite(value)) yield { key, value, step: 0 };
  for (const [key, values] of Object.entries(curves))
    for (const [step, value] of values.entries()) if (Number.isFinite(value)) yield { key, value, step };
}
