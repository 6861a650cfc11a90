/** What the demonstration prints at its end: the methods beside one another, and what became of the wrong pictures. */
import { readFile } from 'node:fs/promises';
import { Bootstrap, type CompareTable } from '../evaluation/index.js';
import { fit, readWeightValues, rocArea, type StrangerScores } from '../fit/index.js';
import { loadProblem } from '../problem/index.js';
import { layout, type Workspace } from '../workspace/index.js';
import { comparedMethods, demoMethod } from './demo-workspace.js';

export interface MethodRow {
  method: string;
  learnsFrom: string;
  accuracy: number;
  /** 95 % interval over the pictures of listed species. */
  low: number;
  high: number;
  /** Share of the strangers that were said to be none of the listed species; absent for a method that never says so. */
  recognized?: number;
  /** Share of the other pictures that were said to be so. */
  mistaken?: number;
}

/** The rows of the comparison and, after the first, the same method with the same parameters but without text. */
export async function scoreMethods(
  workspace: Workspace,
  signal: AbortSignal,
): Promise<{ methods: MethodRow[]; testPictures: number; strangers: number }> {
  const file = workspace.path(layout.compare, 'table.json');
  const table = JSON.parse(await readFile(file, 'utf8')) as CompareTable;
  const methods = table.rows.map(({ method, accuracy: { mean, low, high }, strangers }) => ({
    method,
    learnsFrom: comparedMethods[method],
    accuracy: mean,
    low,
    high,
    ...recognition(strangers),
  }));
  const first = table.rows.findIndex(({ method }) => method === demoMethod);
  if (first >= 0) methods.splice(first + 1, 0, await withoutText(workspace, table, signal));
  const strangers = table.rows[0]?.strangers?.pictures ?? 0;
  return { testPictures: table.problem.testPictures, strangers, methods };
}

function recognition(strangers: StrangerScores | undefined): Pick<MethodRow, 'recognized' | 'mistaken'> {
  const { recognized, mistaken } = strangers ?? {};
  return { ...(recognized !== undefined && { recognized }), ...(mistaken !== undefined && { mistaken }) };
}

async function withoutText(workspace: Workspace, table: CompareTable, signal: AbortSignal): Promise<MethodRow> {
  const { parameters } = table.rows.find(({ method }) => method === demoMethod)!;
  const { webText: _, webTexts: __, ...problem } = await loadProblem(workspace.path(layout.problem), { signal });
  const { device } = workspace.configuration.learner;
  const { predictions, metrics } = await fit(problem, demoMethod, { parameters, seed: table.seed, device, signal });
  const listed = [...problem.testLabels!.keys()].filter((i) => problem.testLabels![i] >= 0);
  const right = Float64Array.from(listed, (i) => Number(predictions[i] === problem.testLabels![i]));
  const interval = new Bootstrap(right.length, { seed: table.seed }).ofMean(right);
  return {
    method: `${demoMethod}, no text`,
    learnsFrom: 'everything but the text',
    accuracy: metrics.accuracy!,
    ...interval,
    ...recognition(metrics.strangers),
  };
}

export interface WeightScores {
  method: string;
  right: number;
  wrong: number;
  /** Shares of the planted wrong pictures, and of the right ones, with less than half the average weight. */
  wrongLow: number;
  rightLow: number;
  /** How often a right picture outweighs a wrong one. */
  area: number;
}

/** In the fit of the workspace's own method; undefined where it gives no weights. */
export async function scoreWeights(workspace: Workspace): Promise<WeightScores | undefined> {
  const weights = await readWeightValues(workspace.path(layout.run));
  if (!weights) return undefined;
  const { webKinds } = await loadProblem(workspace.path(layout.problem));
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const right = webKinds!.map((kind) => kind === 'clean');
  const low = (among: boolean) => {
    const chosen = [...weights].filter((_, i) => right[i] === among);
    return chosen.filter((weight) => weight < mean / 2).length / chosen.length;
  };
  return {
    method: workspace.configuration.learner.method,
    right: right.filter(Boolean).length,
    wrong: right.filter((one) => !one).length,
    wrongLow: low(false),
    rightLow: low(true),
    area: rocArea(weights, right),
  };
}
