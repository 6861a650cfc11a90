/** How a fit went from iteration to iteration: the terms of the objective, and the residuals that end it. */
import { chart, Plot, seriesColours } from './chart.js';
import { powerTick } from './format.js';
import { type Html, html } from './html.js';

type Trace = Readonly<Record<string, readonly number[]>>;

const terms = [
  ['objective', 'objective'],
  ['reconstruction', 'reconstruction'],
  ['transfer', 'transfer'],
  ['nuclear', 'nuclear norm'],
  ['discrepancy', 'mean discrepancy'],
  ['error', 'errors of web pictures'],
] as const;

const residuals = [
  ['webResidual', 'web residual'],
  ['semanticsResidual', 'semantics residual'],
] as const;

export function convergence(trace: Trace): Html | undefined {
  if ((trace.iteration?.length ?? 0) < 2) return undefined;
  return html`<h3>Convergence</h3>${curves(trace, residuals, 'Residuals', 'largest residual, log scale')}
${curves(trace, terms, 'Terms of the objective', 'value, log scale')}`;
}

function curves(
  trace: Trace,
  shown: readonly (readonly [string, string])[],
  what: string,
  axis: string,
): Html | undefined {
  // On a logarithmic scale nothing can be said of a term that is zero throughout.
  const used = shown.filter(([column]) => trace[column]?.some((value) => value > 0));
  if (used.length === 0) return undefined;
  const colours = seriesColours(used.length);
  const step = Math.ceil(trace.iteration.length / 400);
  const rows = used.flatMap(([column, name], s) =>
    trace.iteration.flatMap((iteration, i) =>
      trace[column][i] > 0 && (i % step === 0 || i === trace.iteration.length - 1)
        ? [{ iteration, value: trace[column][i], name, colour: colours[s] }]
        : [],
    ),
  );
  const drawn = chart(
    ({ narrow }) => ({
      height: narrow ? 220 : 260,
      marginLeft: 56,
      x: { label: 'iteration', ticks: narrow ? 4 : 8 },
      y: { label: axis, type: 'log', grid: true, ticks: 5, tickFormat: powerTick },
      color: { type: 'identity' },
      marks: [Plot.lineY(rows, { x: 'iteration', y: 'value', z: 'name', stroke: 'colour', strokeWidth: 1.7 })],
    }),
    {
      label: `${what} over the iterations`,
      legend: used.map(([, name], s) => ({ name, colour: colours[s] })),
    },
  );
  return html`<h4>${what}</h4>${drawn}`;
}
