/** MODEL_CARD.md: what the classifier was made from, how, how good it was found to be, and what it cannot do. */
import { type FitMetrics, type FitRecord, type Reliability, readFitMetrics, readFitRecord } from '../../fit/index.js';
import { findMethod } from '../../methods/index.js';
import { percent } from '../../percent.js';
import type { Problem } from '../../problem/index.js';
import type { Classifier } from '../classifier.js';
import { readDecisions } from '../decisions.js';
import { type WebPicture, webPictures } from '../pictures.js';
import { layout, type Workspace } from '../workspace.js';

export async function modelCard(workspace: Workspace, classifier: Classifier, problem: Problem): Promise<string> {
  const metrics = await readFitMetrics(workspace.path(layout.run));
  const record = await readFitRecord(workspace.path(layout.run));
  const names = new Set(problem.testNames);
  const { of: decisions } = await readDecisions(workspace);
  const found = (await webPictures(workspace)).filter(({ category }) => names.has(category));
  const pictures = found.filter(({ id }) => decisions.get(id) !== 'drop');
  const sections = [
    `# ${workspace.configuration.name}`,
    `Tells apart ${problem.testNames.length} categories for which no picture was labelled by hand: ${problem.testNames.join(', ')}.`,
    '## What it answers',
    outputSection(classifier),
    '## Data',
    dataSection(problem, pictures, found.length - pictures.length),
    '## Licences',
    licenceSection(pictures, classifier),
    '## How it was made',
    makingSection(workspace, classifier, record),
    '## Measured',
    measuredSection(metrics),
    '## Limits',
    limits(problem, metrics, classifier),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** What the graphs and the file of the classifier give for a picture. */
function outputSection({ model: { scorer, sharpness, strangers } }: Classifier): string {
  const names = `${scorer.names.length} numbers in the order of categories.txt`;
  return list([
    `\`scores\`: ${names}; the largest names the category`,
    ...(sharpness ? [`\`confidences\`: the chance of each category, ${names}`] : []),
    ...(strangers
      ? [
          '`unlisted`: the chance that the picture shows none of the categories; above 0.5, say so. All chances add up to 1',
        ]
      : []),
  ]);
}

function dataSection(problem: Problem, pictures: readonly WebPicture[], dropped: number): string {
  const vouched = problem.webVouched?.reduce((sum, mark) => sum + mark, 0) ?? 0;
  const decided = [
    ...(dropped > 0 ? [`${dropped} others were dropped by hand`] : []),
    ...(vouched > 0 ? [`${vouched} of them vouched for by hand`] : []),
  ];
  const looked = decided.join(', ') || 'not looked over by anybody';
  const sources = [...count(pictures.map(({ source }) => source))].map(([name, n]) => `${name} (${n})`);
  return list([
    `${problem.webLabels.length} web pictures of the ${problem.testNames.length} categories, found by name, ${looked}: ${sources.join(', ') || 'none'}`,
    `${problem.auxiliaryLabels.length} labelled pictures of ${problem.auxiliaryNames.length} other categories`,
    `${problem.testFeatures.rows} pictures to classify, used without their answers`,
    `word vectors of ${problem.testSemantics.cols} dimensions for all names`,
  ]);
}

function licenceSection(pictures: readonly WebPicture[], { features }: Classifier): string {
  const licences = [...count(pictures.map(({ licence }) => licence))].map(([code, n]) => `${code}: ${n} web pictures`);
  return list([
    ...licences,
    `network ${features.model.name}: ${features.model.licence}`,
    'ATTRIBUTION.txt names author, page and licence of every web picture; the classifier holds none of the pictures',
  ]);
}

function makingSection({ configuration }: Workspace, { features, model }: Classifier, record: FitRecord): string {
  const { method, kind } = model;
  const { title, citation } = findMethod(method);
  const parameters = Object.entries(record.parameters).map(([name, value]) => `${name} = ${value}`);
  return list([
    `features: ${features.model.name} (${features.model.source}, sha256 ${features.model.sha256.slice(0, 16)}…), layer ${features.layer}, ${features.dimension} numbers`,
    `preprocessing: ${features.preprocessing.resize} to ${features.preprocessing.size.join('×')}, ${features.preprocessing.channelOrder}, (pixel · ${Number(features.preprocessing.scale.toPrecision(6))} − [${features.preprocessing.mean.join(', ')}])/[${features.preprocessing.deviation.join(', ')}]`,
    `method: ${method}, ${title} (${citation})`,
    `scores: ${kind}`,
    `parameters (${record.parametersFrom}): ${parameters.join(', ') || 'none'}`,
    `semantic vectors: ${configuration.semantics.map(({ kind }) => kind).join(', ')}`,
    `word vectors: ${'train' in configuration.vectors ? `trained on ${configuration.vectors.train.join(', ')}` : configuration.vectors.join(', ')}`,
    `seed ${record.seed}, ${record.backend.description}, problem ${record.inputs.problem.slice(0, 16)}…`,
  ]);
}

function measuredSection(metrics: FitMetrics): string {
  const { calibration } = metrics;
  const lines: string[] = [];
  if (metrics.accuracy === undefined) lines.push('The test pictures came without answers: the accuracy is not known.');
  else {
    lines.push(
      `accuracy on the test pictures ${percent(metrics.accuracy)} %, mean over categories ${percent(metrics.meanCategoryAccuracy!)} %; these answers are those of the fit itself, which saw the test pictures without their labels`,
    );
    if (calibration?.test)
      lines.push(
        `for pictures that come later, measured on test pictures kept from the classifier: ${describe(calibration.test)}`,
      );
  }
  if (calibration) lines.push(`confidence, on the validation categories: ${describe(calibration.validation)}`);
  else lines.push('The confidence is not calibrated: there were no validation categories.');
  const table = Object.entries(metrics.categories ?? {}).map(([name, value]) => `| ${name} | ${percent(value)} % |`);
  const rows = table.length > 0 ? `\n\n| category | accuracy |\n| --- | --- |\n${table.join('\n')}` : '';
  return `${list(lines)}${rows}`;
}

function describe({ pictures, accuracy, meanConfidence, expectedCalibrationError }: Reliability): string {
  return `accuracy ${percent(accuracy)} % with a mean confidence of ${percent(meanConfidence)} % on ${pictures} pictures, expected calibration error ${percent(expectedCalibrationError)} %`;
}

function limits(problem: Problem, metrics: FitMetrics, { model }: Classifier): string {
  const weak = Object.entries(metrics.categories ?? {})
    .filter(([, value]) => value < 0.5)
    .map(([name]) => name);
  return list([
    model.strangers
      ? 'What shows none of the categories is recognized by its likeness to the listed categories and to the auxiliary ones, as learnt on auxiliary categories that played strangers. Things unlike any of these were not rehearsed.'
      : `It answers with one of its ${problem.testNames.length} categories whatever a picture shows; a low confidence is the only sign that it shows something else.`,
    'The confidence was learnt on other categories of the same kind; on pictures of another look (drawings, night pictures, other cameras) it says less.',
    'Web pictures carry the habits of those who publish them: seasons, sexes, regions and poses that are rarely photographed are rarely learnt.',
    ...(weak.length > 0 ? [`Fewer than half of the test pictures were right for: ${weak.join(', ')}.`] : []),
  ]);
}

function count(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
