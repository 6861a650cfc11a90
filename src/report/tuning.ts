/** A search for parameters: how good it got, and how much each parameter matters. */
import type { FitJob, FitOutcome } from '../evaluation/index.js';
import { percent } from '../percent.js';
import { chart, colours, Plot } from './chart.js';
import { powerTick, seconds, significant, whole } from './format.js';
import { details, facts, type Html, html, table, tiles } from './html.js';
import type { TuneFolder } from './read-folder.js';

interface Trial {
  job: FitJob;
  outcome: FitOutcome;
  accuracy: number;
  number: number;
}

const shownTrials = 10;

export function tuning({ trials, chosen }: TuneFolder): Html {
  const finished = trials.flatMap((line) => ('outcome' in line ? [trialOf(line.job, line.outcome)] : []));
  // A first look at a share of the pictures is no score to choose by.
  const full = finished.filter(({ job }) => job.change === undefined).sort((a, b) => a.number - b.number);
  const looks = finished.filter(({ job }) => job.change !== undefined);
  const failures = trials.flatMap((line) => ('failure' in line ? [line.failure] : []));
  const { validation } = chosen;
  return html`${tiles([
    { label: 'Best on validation', value: `${percent(chosen.validationAccuracy)} %`, note: chosen.trial },
    {
      label: 'Trials',
      value: whole(chosen.trials),
      note: `${chosen.stoppedTrials} stopped early, ${chosen.failedTrials} failed`,
    },
    {
      label: 'Validation categories',
      value: whole(validation.categories),
      note: `${whole(validation.testPictures)} test, ${whole(validation.webPictures)} web pictures`,
    },
    { label: 'Time in fits', value: seconds(finished.reduce((sum, { outcome }) => sum + outcome.seconds, 0)) },
  ])}
${validation.kind === 'synthetic' && html`<p class="notice">Web pictures of the validation categories were missing. Auxiliary pictures with ${percent(validation.noise, 0)} % wrong labels took their place; they do not look like web pictures, so the chosen parameters are less certain.</p>`}
<h3>Chosen parameters</h3>
${facts(Object.entries(chosen.parameters).map(([name, value]) => [name, typeof value === 'number' ? significant(value) : String(value)]))}
<h3>Best so far</h3>
${progressChart(full)}
${sensitivity(full, looks, chosen.trial)}
${topTrials(full, chosen.trial)}
${failures.length > 0 && details(`Failed trials: ${failures.length}`, html`<ul>${failures.map(({ id, message }) => html`<li><code>${id}</code>: ${message}</li>`)}</ul>`)}`;
}

function trialOf(job: FitJob, outcome: FitOutcome): Trial {
  const number = Number(/(\d+)$/.exec(job.id)?.[1] ?? 0);
  return { job, outcome, number, accuracy: 100 * (outcome.meanCategoryAccuracy ?? Number.NaN) };
}

function progressChart(full: readonly Trial[]): Html {
  let best = Number.NEGATIVE_INFINITY;
  const data = full.map(({ accuracy, job }, i) => {
    best = Math.max(best, accuracy);
    return { order: i + 1, accuracy, best, title: `${job.id}: ${accuracy.toFixed(1)} %` };
  });
  return chart(
    ({ narrow }) => ({
      height: narrow ? 220 : 260,
      marginLeft: 48,
      x: { label: 'full trial', ticks: narrow ? 4 : 8 },
      y: { label: 'validation accuracy, %', grid: true, nice: true, ...domainOf(full) },
      marks: [
        Plot.dot(data, { x: 'order', y: 'accuracy', fill: colours.muted, fillOpacity: 0.7, r: 3.5, title: 'title' }),
        Plot.lineY(data, { x: 'order', y: 'best', stroke: colours.accent, strokeWidth: 2, curve: 'step-after' }),
      ],
    }),
    {
      label: 'Validation accuracy of each trial and the best so far',
      caption: 'Dots: trials on all validation pictures, in the order they were drawn. Line: the best so far.',
    },
  );
}

/** Left to the data, unless all trials are equally good: an axis needs an extent. */
function domainOf(trials: readonly Trial[]): { domain?: [number, number] } {
  const accuracies = trials.map(({ accuracy }) => accuracy);
  const [low, high] = [Math.min(...accuracies), Math.max(...accuracies)];
  return low === high ? { domain: [low - 1, high + 1] } : {};
}

/** Validation accuracy against each parameter by itself. */
function sensitivity(full: readonly Trial[], looks: readonly Trial[], chosen: string): Html | undefined {
  const names = [...new Set(full.flatMap(({ job }) => Object.keys(job.parameters)))].filter((name) =>
    full.every(({ job }) => typeof job.parameters[name] === 'number' || job.parameters[name] === undefined),
  );
  if (names.length === 0 || full.length < 3) return undefined;
  const charts = names.map((name) => {
    const pick = (trials: readonly Trial[]) =>
      trials.flatMap(({ job, accuracy }) => {
        const x = job.parameters[name];
        return typeof x === 'number'
          ? [{ x, y: accuracy, id: job.id, title: `${name} ${significant(x)}: ${accuracy.toFixed(1)} % (${job.id})` }]
          : [];
      });
    const rows = pick(full);
    const values = rows.map(({ x }) => x);
    const spread = Math.max(...values) / Math.min(...values);
    const scale = values.every((x) => x > 0) && spread > 30 ? 'log' : 'linear';
    return chart(
      () => ({
        width: 400,
        height: 220,
        marginLeft: 44,
        x: {
          label: name,
          type: scale,
          ticks: 4,
          ...(scale === 'log' && { tickFormat: powerTick }),
        },
        y: { label: 'accuracy, %', grid: true, nice: true, ticks: 5, ...domainOf([...full, ...looks]) },
        marks: [
          Plot.dot(pick(looks), { x: 'x', y: 'y', stroke: colours.muted, strokeOpacity: 0.6, r: 3, title: 'title' }),
          Plot.dot(
            rows.filter(({ id }) => id !== chosen),
            { x: 'x', y: 'y', fill: colours.accent, fillOpacity: 0.75, r: 3.5, title: 'title' },
          ),
          Plot.dot(
            rows.filter(({ id }) => id === chosen),
            { x: 'x', y: 'y', fill: colours.second, r: 6, symbol: 'star', title: 'title' },
          ),
        ],
      }),
      { label: `Validation accuracy against ${name}` },
    );
  });
  return html`<h3>Sensitivity to each parameter</h3><div class="legend"><span><i style="background:${colours.accent}"></i>full trials</span>${
    looks.length > 0 && html`<span><i style="border:2px solid ${colours.muted}"></i>first looks</span>`
  }<span><i style="background:${colours.second}"></i>chosen</span></div><div class="pair">${charts}</div>
<p class="caption">Every trial draws all parameters anew, so each panel also shows the scatter due to the others.</p>`;
}

function topTrials(full: readonly Trial[], chosen: string): Html {
  const best = [...full].sort((a, b) => b.accuracy - a.accuracy || a.number - b.number).slice(0, shownTrials);
  const names = [...new Set(best.flatMap(({ job }) => Object.keys(job.parameters)))];
  return html`<h3>Best trials</h3>${table<Trial>(
    [
      { head: 'Trial', cell: ({ job }) => job.id },
      { head: 'Validation %', cell: ({ accuracy }) => accuracy.toFixed(1), numeric: true },
      ...names.map((name) => ({
        head: name,
        numeric: true,
        cell: ({ job }: Trial) => {
          const value = job.parameters[name];
          return typeof value === 'number' ? significant(value) : String(value ?? '–');
        },
      })),
      { head: 'Time', cell: ({ outcome }) => seconds(outcome.seconds), numeric: true },
    ],
    best,
    { emphasize: ({ job }) => job.id === chosen },
  )}`;
}
