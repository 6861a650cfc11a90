/** What the demonstration prints at its end: the methods beside one another, and what became of the wrong pictures. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { accuracy, Bootstrap, type CompareTable, rocArea } from '../evaluation/index.js';
import { readNpy } from '../formats/index.js';
import { createBackend } from '../linalg/index.js';
import { createMethod, findMethod } from '../methods/index.js';
import { loadProblem } from '../problem/index.js';
import { layout, type Workspace } from '../workspace/index.js';
import { comparedMethods, demoMethod } from './demo-workspace.js';

export interface MethodRow {
  method: string;
  learnsFrom: string;
  accuracy: number;
  /** 95 % interval over test pictures. */
  low: number;
  high: number;
}

/** The rows of the comparison and, after the first, the same method with the same parameters but without text. */
export async function scoreMethods(
  workspace: Workspace,
  signal: AbortSignal,
): Promise<{ methods: MethodRow[]; testPictures: number }> {
  const file = workspace.path(layout.compare, 'table.json');
  const table = JSON.parse(await readFile(file, 'utf8')) as CompareTable;
  const methods = table.rows.map(({ method, accuracy: { mean, low, high } }) => ({
    method,
    learnsFrom: comparedMethods[method],
    accuracy: mean,
    low,
    high,
  }));
  const first = table.rows.findIndex(({ method }) => method === demoMethod);
  if (first >= 0) methods.splice(first + 1, 0, await withoutText(workspace, table, signal));
  return { testPictures: table.problem.testPictures, methods };
}

async function withoutText(workspace: Workspace, table: CompareTable, signal: AbortSignal): Promise<MethodRow> {
  const { parameters } = table.rows.find(({ method }) => method === demoMethod)!;
  const { webText: _, webTexts: __, ...problem } = await loadProblem(workspace.path(layout.problem), { signal });
  const backend = await createBackend({ device: workspace.configuration.learner.device });
  try {
    const method = createMethod(findMethod(demoMethod), parameters, table.seed);
    await method.fit(problem, { backend, signal });
    const predicted = await method.predict(problem.testFeatures);
    const right = Float64Array.from(predicted, (category, i) => Number(category === problem.testLabels![i]));
    const interval = new Bootstrap(right.length, { seed: table.seed }).ofMean(right);
    return {
      method: `${demoMethod}, no text`,
      learnsFrom: 'everything but the text',
      accuracy: accuracy(predicted, problem.testLabels!),
      ...interval,
    };
  } finally {
    backend.dispose();
  }
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
  const file = workspace.path(layout.run, 'theta.npy');
  if (!existsSync(file)) return undefined;
  const { webKinds } = await loadProblem(workspace.path(layout.problem));
  const weights = Float64Array.from((await readNpy(file)).data as Float64Array);
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
