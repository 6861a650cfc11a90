/** One fit: scores, convergence, categories, confusion, the map of its semantic space, and the web pictures' weights. */
import type { Backend } from '../linalg/index.js';
import { chart, colours, Plot } from './chart.js';
import { confusionMatrix, confusionOf } from './confusion.js';
import { convergence } from './convergence.js';
import { bytes, percent, seconds, shorten, whole } from './format.js';
import { type Html, html, tiles } from './html.js';
import type { FitFolder } from './read-folder.js';
import { semanticMap } from './semantic-map.js';
import { type GalleryOptions, gallery, weightHistogram } from './weights.js';

export async function fitResults(backend: Backend, fit: FitFolder, options: GalleryOptions): Promise<Html> {
  const { metrics, run, predictions, weights } = fit;
  const pairs = predictions.flatMap(({ name, truth }) => (truth === undefined ? [] : [{ truth, predicted: name }]));
  const map = semanticMap(backend, fit);
  return html`${tiles([
    ...(metrics.accuracy === undefined
      ? [{ label: 'Test pictures', value: whole(predictions.length), note: 'without labels' }]
      : [
          {
            label: 'Accuracy',
            value: `${percent(metrics.accuracy)} %`,
            note: `${whole(predictions.length)} test pictures`,
          },
          { label: 'Mean over categories', value: `${percent(metrics.meanCategoryAccuracy)} %` },
        ]),
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
${metrics.categories && categoryBars(metrics.categories)}
${pairs.length > 0 && html`<h3>Confusion</h3>${confusionMatrix(confusionOf(pairs), 'this fit')}`}
${map && html`<h3>Map of the learnt semantics</h3>${map}`}
${convergence(fit.trace)}
${weights.length > 0 && html`<h3>Weights of the web pictures</h3>${weightHistogram(weights)}<h3>Web pictures trusted most and least</h3>${await gallery(fit, options)}`}`;
}

function categoryBars(categories: Readonly<Record<string, number>>): Html {
  const data = Object.entries(categories)
    .map(([name, share]) => ({ name, accuracy: 100 * share }))
    .sort((a, b) => b.accuracy - a.accuracy || a.name.localeCompare(b.name));
  const height = Math.max(11, Math.min(22, 900 / data.length));
  const drawn = chart(
    ({ narrow }) => {
      const tickFormat = (name: string) => shorten(name, narrow ? 16 : 26);
      return {
        height: data.length * height + 48,
        marginLeft: narrow ? 112 : 180,
        marginRight: 30,
        marginTop: 6,
        x: { label: 'accuracy, %', domain: [0, 100], grid: true, ticks: 5 },
        y: { domain: data.map(({ name }) => name), label: null, padding: 0.25 },
        marks: [
          Plot.axisY({ label: null, tickSize: 0, fontSize: Math.min(12, height), tickFormat }),
          Plot.barX(data, {
            y: 'name',
            x: 'accuracy',
            fill: colours.accent,
            title: (entry: { name: string; accuracy: number }) => `${entry.name}: ${entry.accuracy.toFixed(1)} %`,
          }),
          Plot.text(data, {
            y: 'name',
            x: 'accuracy',
            text: (entry: { accuracy: number }) => entry.accuracy.toFixed(0),
            dx: 5,
            textAnchor: 'start',
            fontSize: Math.min(11, height),
            fill: colours.muted,
          }),
        ],
      };
    },
    { label: 'Accuracy within each category' },
  );
  return html`<h3>Accuracy within each category</h3>${drawn}`;
}
