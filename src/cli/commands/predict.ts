/** `bowerbird predict`: classifies pictures that were not part of a fit. */
import { ProblemError, UsageError } from '../../errors.js';
import {
  type Answers,
  answerRows,
  answerTable,
  classifyFeatures,
  type FitRecord,
  fitMetrics,
  type Model,
  readFitRecord,
  readModel,
  writeAnswers,
} from '../../fit/index.js';
import { csvLines, readNpy, toMatrix } from '../../formats/index.js';
import type { Matrix } from '../../linalg/index.js';
import { percent } from '../../percent.js';
import { type LoadOptions, loadProblem, scaleToUnitLength } from '../../problem/index.js';
import { defineCommand } from '../command.js';
import { backendOptions, openBackend } from '../shared-options.js';

export default defineCommand({
  name: 'predict',
  summary: 'Classify pictures that were not part of a fit.',
  description:
    'Scores features with what a fit has learnt; the category with the highest score is the answer. ' +
    'The features are scaled as those of the fit were; they must come from the same vision model.',
  arguments: [
    { name: 'DIR', description: 'the results folder of a fit' },
    {
      name: 'FEATURES',
      description: 'an .npy file with a picture per row, or a problem whose test pictures are meant',
    },
  ],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'FILE', description: 'Write the predictions to this CSV file.' },
    ...backendOptions,
  },
  examples: [
    {
      command: 'bowerbird predict run new-features.npy --out answers.csv',
      explanation: 'Classify the rows of a file.',
    },
    {
      command: 'bowerbird predict run other.npz --json',
      explanation: 'Classify and score the test pictures of a problem.',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const [folder, source] = args;
    if (/\.(csv|tsv|txt|json|safetensors)$/i.test(source))
      throw new UsageError(
        `${source}: features are read from an .npy file, or from a problem (.npz, .mat, a folder of .npy files)`,
        'In Python: numpy.save("features.npy", array), a picture per row.',
      );
    const record = await readFitRecord(folder);
    const model = await openModel(folder, record);
    const { names, normalize } = model.scorer;
    const scaling = normalize === 'unit' ? 'l2' : 'none';
    const semantics = record.configuration.semantics as string | undefined;
    const backend = await openBackend(options);
    try {
      progress.update({ stage: 'read the features', done: 0 });
      const { features, problem } = source.endsWith('.npy')
        ? { features: await rowsOf(source, scaling), problem: undefined }
        : await testSet(source, { scaling, semantics, signal, web: 'optional' });
      const answers = classifyFeatures(model, features, backend);
      if (options.out) await writeAnswers(options.out, answers);
      const labelled = problem?.testNames.every((name, c) => names[c] === name) ? problem : undefined;
      const metrics = labelled && fitMetrics(labelled, answers);
      printJson({ predictions: answerRows(answers), ...(metrics && { metrics }) });
      if (options.out) print(`${answers.predictions.length} predictions in ${options.out}`);
      else printTable(answers, print);
      if (metrics?.accuracy === undefined) return 0;
      const score = `accuracy ${percent(metrics.accuracy, 2)} %`;
      // Not below the table, which other programs read.
      if (options.out) print(score);
      else progress.note(score);
      return 0;
    } finally {
      backend.dispose();
    }
  },
});

/** The columns of the CSV file, numbers with fewer digits. */
function printTable(answers: Answers, print: (line: string) => void): void {
  const line = csvLines();
  const { header, rows } = answerTable(answers);
  const short = (cell: string | number | undefined) =>
    typeof cell === 'number' && !Number.isInteger(cell) ? cell.toFixed(4) : cell;
  print(line(header));
  for (const row of rows) print(line(row.map(short)));
}

async function openModel(folder: string, { method, scaling, configuration }: FitRecord): Promise<Model> {
  const { centreFeatures } = configuration;
  if (scaling === 'zscore' || centreFeatures)
    throw new UsageError(
      `${folder} was fitted with ${centreFeatures ? 'centred' : 'z-scored'} features, which depend on the pictures of the fit`,
      `Fit ${centreFeatures ? 'without --centre-features' : 'with --scaling l2'} to classify other pictures.`,
    );
  const model = await readModel(folder);
  if (model) return model;
  throw new UsageError(
    `${folder} holds no model: ${method} classifies only the pictures that it was fitted with`,
    'Put the pictures into the problem as test pictures, or fit another method, such as bowerbird, paper or lr.',
  );
}

async function rowsOf(path: string, scaling: 'l2' | 'none'): Promise<Matrix> {
  const features = toMatrix(await readNpy(path), 'float64', { file: path });
  for (let i = 0; i < features.rows; i++) {
    const column = features.row(i).findIndex((value) => !Number.isFinite(value));
    if (column >= 0)
      throw new ProblemError(
        path,
        i,
        `column ${column} is ${features.at(i, column)}; all values must be finite`,
        'Remove the row, or extract its features again.',
      );
  }
  if (scaling === 'l2') scaleToUnitLength(path, features);
  return features;
}

async function testSet(path: string, options: LoadOptions) {
  const problem = await loadProblem(path, options);
  return { features: problem.testFeatures, problem };
}
