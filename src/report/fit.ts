/** One fit: scores, categories, strangers, confusion, the map of its semantic space, convergence, the web pictures' weights. */
import {
  type AccuracyEstimate,
  accuracyIntervals,
  answerRows,
  type FitMetrics,
  type Interval,
  noneOfThese,
  type StrangerScores,
  verdict,
} from '../fit/index.js';
import type { Backend } from '../linalg/index.js';
import { percent } from '../percent.js';
import { categoryBars } from './category-accuracy.js';
import { confusionMatrix, confusionOf } from './confusion.js';
import { convergence } from './convergence.js';
import { bytes, seconds, whole } from './format.js';
import { type Html, html, tiles } from './html.js';
import type { FitFolder } from './read-folder.js';
import { semanticMap } from './semantic-map.js';
import { strangerSection } from './strangers.js';
import { type GalleryOptions, gallery, weightHistogram } from './weights.js';

export async function fitResults(backend: Backend, folder: FitFolder, options: GalleryOptions): Promise<Html> {
  const { fit, run } = folder;
  const { metrics, predictions, web = [] } = fit;
  const answers = answerRows(fit, fit.labels);
  const intervals = accuracyIntervals(metrics);
  const pairs = answers.flatMap(({ truth, ...answer }) =>
    truth === undefined ? [] : [{ truth, predicted: verdict(answer) }],
  );
  const map = semanticMap(backend, fit);
  const strangers = await strangerSection(fit, answers, folder.path, options);
  return html`${tiles([
    ...(metrics.accuracy === undefined
      ? [{ label: 'Test pictures', value: whole(predictions.length), note: 'without labels' }]
      : [
          {
            label: 'Accuracy',
            value: `${percent(metrics.accuracy)} %`,
            note: accuracyNote(metrics, predictions.length, intervals.accuracy),
          },
          {
            label: 'Mean over categories',
            value: `${percent(metrics.meanCategoryAccuracy)} %`,
            note: between(intervals.meanCategoryAccuracy),
          },
        ]),
    ...(metrics.estimate ? [estimateTile(metrics.estimate)] : []),
    ...(metrics.harmonic === undefined
      ? []
      : [
          {
            label: 'Harmonic mean',
            value: `${percent(metrics.harmonic)} %`,
            note: `${percent(metrics.unseen)} % of listed, ${percent(metrics.seen)} % of auxiliary categories`,
          },
        ]),
    ...(fit.unlisted
      ? [
          {
            label: 'None of these',
            value: whole(answers.filter((answer) => verdict(answer) === noneOfThese).length),
            note: strangerNote(metrics.strangers) ?? 'pictures that probably show no listed category',
          },
        ]
      : []),
    ...(metrics.confidence
      ? [
          {
            label: 'Mean confidence',
            value: `${percent(metrics.confidence.meanConfidence)} %`,
            note: `calibration error ${percent(metrics.confidence.expectedCalibrationError)} %`,
          },
        ]
      : []),
    ...(metrics.thetaArea === undefined
      ? []
      : [
          { label: 'Weights against the truth', value: metrics.thetaArea.toFixed(3), note: 'area under the ROC curve' },
        ]),
    ...(run.iterations === undefined
      ? []
      : [
          {
            label: 'Iterations',
            value: whole(run.iterations),
            note: run.converged ? 'converged' : 'stopped before convergence',
          },
        ]),
    ...Object.entries(run.trusts ?? {}).map(([kind, trust]) => ({
      label: `Trust in ${kind}`,
      value: `${percent(trust, 0)} %`,
      note: 'of what distinguishes the looks of categories',
    })),
    ...(run.seconds === undefined
      ? []
      : [
          {
            label: 'Time',
            value: seconds(run.seconds),
            note: run.peakMemoryBytes ? `${bytes(run.peakMemoryBytes)} at most` : undefined,
          },
        ]),
  ])}
${(run.warnings ?? []).map((warning) => html`<p class="notice">${warning}</p>`)}
${strangers}
${metrics.categories && categoryBars(metrics.categories, intervals.categories)}
${pairs.length > 0 && html`<h3>Confusion</h3>${confusionMatrix(confusionOf(pairs), 'this fit')}`}
${map && html`<h3>Map of pictures and categories</h3>${map}`}
${convergence(fit.trace ?? {})}
${web.length > 0 && html`<h3>Weights of the web pictures</h3>${weightHistogram(web)}<h3>Web pictures trusted most and least</h3>${await gallery(web, folder.path, options)}`}`;
}

/** On how many pictures, and between which bounds it lies at 95 %. */
function accuracyNote(
  { strangers, answered = 0 }: FitMetrics,
  pictures: number,
  interval: Interval | undefined,
): string {
  const scored = pictures - (strangers?.pictures ?? 0) - answered;
  const kind = strangers ? 'pictures of listed categories' : 'test pictures';
  return [`${whole(scored)} ${kind}`, between(interval)].filter(Boolean).join(', ');
}

function between(interval: Interval | undefined): string | undefined {
  return interval && `between ${percent(interval.low)} and ${percent(interval.high)} %`;
}

function estimateTile({ accuracy, low, high, checked, answered, moreToHalve }: AccuracyEstimate) {
  return {
    label: 'Right by what people said',
    value: `${percent(low, 0)} to ${percent(high, 0)} %`,
    note: `about ${percent(accuracy)} %, from ${whole(checked)} pictures checked at random and ${whole(answered)} answered; ${whole(moreToHalve)} more checks would halve the interval`,
  };
}

function strangerNote(strangers: StrangerScores | undefined): string | undefined {
  if (strangers?.recognized === undefined) return undefined;
  const others = strangers.mistaken === undefined ? '' : `, and ${percent(strangers.mistaken)} % of the others`;
  return `${percent(strangers.recognized)} % of ${whole(strangers.pictures)} strangers${others}`;
}
