/** `bowerbird demo`: generates a problem with known truth, learns from it, and says how well that went. */
import { accuracy, rocArea } from '../../evaluation/metrics.js';
import { Bowerbird, type LearnerOptions } from '../../learner/index.js';
import type { Backend } from '../../linalg/backend.js';
import { generateProblem, type Problem, validationSplit } from '../../problem/index.js';
import { defineCommand } from '../command.js';
import { backendOptions, openBackend } from '../shared-options.js';
import { tableLines } from '../table.js';

/** Noise, wrong labels and shift as in a crawl that went badly, so that the methods differ. */
const problemOptions = {
  auxiliaryCategories: 40,
  testCategories: 15,
  dimensions: 128,
  semanticDimensions: 30,
  auxiliaryPerCategory: 20,
  webPerCategory: 20,
  testPerCategory: 20,
  wrong: 0.6,
  noise: 2,
  offset: 0.7,
  shift: 1,
} as const;

/** Parameters tried on the validation categories. */
const zeroShotChoices = [30, 100, 300].map((lambda1) => ({ special: 'ours-zsl', lambda1, lambda2: 0.001 }) as const);
const choices = [30, 100, 300].flatMap((lambda1) =>
  [0.03, 0.1, 0.3].map((lambda4) => ({ lambda1, lambda4, lambda2: 0.001 })),
);

interface Row {
  method: string;
  accuracy: number;
  seconds: number;
}

export default defineCommand({
  name: 'demo',
  summary: 'Generate a problem, fit it, and print the accuracy.',
  description:
    'Generates pictures of categories nobody has labelled, web pictures that are mostly wrong and clean pictures of ' +
    'other categories, and compares learning from each alone with learning from all.',
  arguments: [],
  options: {
    seed: { type: 'integer', default: 1, minimum: 0, description: 'Seed of the generated problem.' },
    ...backendOptions,
  },
  examples: [
    { command: 'bowerbird demo', explanation: 'Takes a few seconds.' },
    { command: 'bowerbird demo --seed 2 --json', explanation: 'Another problem, the result as JSON.' },
  ],
  async run({ options, print, printJson, progress, signal }) {
    const problem = generateProblem({ ...problemOptions, seed: options.seed });
    const backend = await openBackend(options);
    try {
      const rows: Row[] = [];
      const measure = async (method: string, predict: () => Promise<Int32Array>) => {
        const begun = performance.now();
        const predicted = await predict();
        const seconds = (performance.now() - begun) / 1000;
        rows.push({ method, accuracy: accuracy(predicted, problem.testLabels!), seconds });
      };
      const validation = validationSplit(problem);
      /** The setting that is best on the validation categories, fitted to the problem; test labels play no part. */
      const learn = async (settings: readonly Partial<LearnerOptions>[], stage: string) => {
        const scores: number[] = [];
        for (const setting of settings) {
          progress.update({ stage, done: scores.length, total: settings.length });
          const trial = await new Bowerbird(setting).fit(validation, { backend, signal });
          scores.push(accuracy(await trial.predict(validation.testFeatures), validation.testLabels!));
        }
        const best = settings[scores.indexOf(Math.max(...scores))];
        return new Bowerbird(best).fit(problem, { backend, signal });
      };
      let learner = new Bowerbird();
      await measure('web pictures alone (ridge regression)', async () => ridgeOnWeb(problem, backend));
      await measure('names alone (zero-shot)', async () =>
        (await learn(zeroShotChoices, 'zero-shot')).predict(problem.testFeatures),
      );
      await measure('both (bowerbird)', async () => {
        learner = await learn(choices, 'bowerbird');
        return learner.predict(problem.testFeatures);
      });
      const clean = problem.webKinds!.map((kind) => kind === 'clean');
      const area = rocArea(learner.theta_, clean);
      printJson({ seed: options.seed, backend: backend.description, methods: rows, weightRocArea: area });
      printResults(problem, backend, rows, area, print);
    } finally {
      backend.dispose();
    }
    return 0;
  },
});

function printResults(
  problem: Problem,
  backend: Backend,
  rows: readonly Row[],
  area: number,
  print: (line: string) => void,
): void {
  const wrong = problem.webKinds!.filter((kind) => kind !== 'clean').length;
  print(
    `A generated problem: ${problem.testNames.length} categories nobody has labelled, ${problem.webFeatures.rows} web ` +
      `pictures (${wrong} of them wrong), ${problem.auxiliaryFeatures.rows} clean pictures of ` +
      `${problem.auxiliaryNames.length} other categories.`,
  );
  print(`Computed on ${backend.device}: ${backend.description}\n`);
  const columns = [
    { title: 'learning from' },
    { title: 'accuracy', align: 'right' },
    { title: 'seconds', align: 'right' },
  ] as const;
  const lines = rows.map((row) => [row.method, `${(100 * row.accuracy).toFixed(1)} %`, row.seconds.toFixed(2)]);
  for (const line of tableLines(columns, lines)) print(line);
  print(`\nA right web picture outweighs a wrong one in ${(100 * area).toFixed(0)} of 100 pairs.`);
  print('Parameters were chosen on auxiliary categories held out for that, without looking at test labels.');
}

/** Least squares on the web pictures as they are labelled: W = (X'X + λI)⁻¹X'Y, the largest entry of x'W wins. */
function ridgeOnWeb(problem: Problem, backend: Backend, penalty = 1): Int32Array {
  const { webFeatures, webLabels, testFeatures } = problem;
  const { cols: d, dtype } = webFeatures;
  const gram = backend.matrix(d, d, dtype);
  backend.syrk(gram, webFeatures, { transpose: true });
  for (let j = 0; j < d; j++) gram.set(j, j, gram.at(j, j) + penalty);
  const targets = backend.matrix(webFeatures.rows, problem.testNames.length, dtype);
  webLabels.forEach((label, i) => {
    targets.set(i, label, 1);
  });
  const weights = backend.matrix(d, problem.testNames.length, dtype);
  backend.gemm(weights, webFeatures, targets, { transposeA: true });
  backend.cholesky(gram);
  backend.choleskySolve(gram, weights, 'columns');
  const scores = backend.matrix(testFeatures.rows, problem.testNames.length, dtype);
  backend.gemm(scores, testFeatures, weights);
  return Int32Array.from({ length: scores.rows }, (_, i) => {
    const row = scores.row(i);
    let best = 0;
    for (let c = 1; c < row.length; c++) if (row[c] > row[best]) best = c;
    return best;
  });
}
