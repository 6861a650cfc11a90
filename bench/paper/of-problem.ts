/** What the parts of the page share: the result of each problem, its column, and the table of claims. */
import type { ExperimentResult, ExperimentTable } from '../../src/evaluation/index.js';
import { type CubProblemName, twinOf } from '../shared/cub-problems.js';

export interface PaperOfProblem {
  name: CubProblemName;
  result: ExperimentResult;
  /** Of all fits together. */
  seconds: number;
}

/** Name of a problem in the head of a table. */
export function columnOf({ name }: PaperOfProblem): string {
  return `${twinOf(name) ?? name}, ${twinOf(name) ? 'words' : 'attributes'}`;
}

export function tableOf(result: ExperimentResult, title: string): ExperimentTable | undefined {
  return result.tables.find((table) => table.title === title);
}

export const claimTitle = 'What the paper says, and what is found here';

/** Setting, claim, reason, points in the paper, points here, verdict. */
export function claimRows({ result }: PaperOfProblem): ExperimentTable['rows'] {
  return tableOf(result, claimTitle)?.rows ?? [];
}
