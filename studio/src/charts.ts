/** Charts of the comparison page, as options for Observable Plot. */
import * as Plot from '@observablehq/plot';
import type { CompareView, CurveView, MethodRowView, RunsCompared } from '../../src/studio/api.js';

export function seriesColour(index: number): string {
  return `var(--series-${(index % 8) + 1})`;
}

const percentTick = (share: number) => `${Number((100 * share).toFixed(1))}`;

/** Around all values, never narrower than a few per cent, and within 0 to 1. */
export function shareDomain(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.02, 0.06 * (high - low));
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

/** Accuracy of every method with its interval, best on top. */
export function methodChart(rows: readonly MethodRowView[], best: string, width: number): Plot.PlotOptions {
  const longest = Math.max(...rows.map(({ method }) => method.length));
  const colour = (row: MethodRowView) => (row.method === best ? 'var(--accent)' : 'var(--muted)');
  return {
    ...{ height: 60 + 24 * rows.length, marginLeft: Math.min(width * 0.4, 18 + 7.2 * longest), marginRight: 16 },
    x: {
      ...{ label: 'accuracy, %', tickFormat: percentTick, grid: true, ticks: width < 500 ? 5 : 8 },
      domain: shareDomain(rows.flatMap(({ accuracy }) => [accuracy.low, accuracy.high])),
    },
    y: { domain: rows.map(({ method }) => method), label: null, tickSize: 0 },
    marks: [
      Plot.ruleY(rows, {
        ...{ y: 'method', strokeWidth: 2.5, stroke: colour },
        x1: (row: MethodRowView) => row.accuracy.low,
        x2: (row: MethodRowView) => row.accuracy.high,
      }),
      Plot.dot(rows, { y: 'method', x: (row: MethodRowView) => row.accuracy.mean, r: 4.5, fill: colour }),
    ],
  };
}

/** On a logarithmic axis only powers of ten get a word. */
function powerTick(value: number): string {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9 ? String(Number(value.toPrecision(1))) : '';
}

type Trials = NonNullable<CompareView['trials']>;

/** Parameters whose values span orders of magnitude want a logarithmic axis. */
export function spansMagnitudes(values: readonly number[]): boolean {
  return values.every((value) => value > 0) && Math.max(...values) / Math.min(...values) > 20;
}

/** Accuracy on the validation categories against one parameter, a dot for each trial and the best of each value. */
export function trialChart({ points }: Trials, parameter: string): Plot.PlotOptions {
  const shown = points.filter(({ values }) => values[parameter] !== undefined);
  const values = shown.map((point) => point.values[parameter]);
  const numeric = values.every((value): value is number => typeof value === 'number');
  const type = numeric ? (spansMagnitudes(values as number[]) ? 'log' : 'linear') : 'point';
  const at = (point: Trials['points'][number]) => point.values[parameter];
  return {
    ...{ height: 190, marginLeft: 44 },
    x: { label: parameter, type, ticks: 5, ...(type === 'log' && { tickFormat: powerTick }) },
    y: {
      ...{ label: 'validation accuracy, %', tickFormat: percentTick, grid: true, ticks: 4 },
      domain: shareDomain(shown.map(({ accuracy }) => accuracy)),
    },
    marks: [Plot.dot(shown, { x: at, y: 'accuracy', r: 3.5, fill: 'var(--accent)', fillOpacity: 0.65 })],
  };
}

export function curveChart({ x, y, series }: CurveView, width: number): Plot.PlotOptions {
  const points = series.flatMap(({ name, points: own }, s) =>
    own.map((point) => ({ ...point, name, colour: seriesColour(s) })),
  );
  return {
    ...{ height: 260, marginLeft: 50 },
    color: { type: 'identity' },
    x: { label: x.label, type: x.log ? 'log' : 'linear', ticks: width < 500 ? 4 : 8 },
    y: { label: y.label, grid: true, ticks: 5, nice: true },
    marks: [
      Plot.areaY(
        points.filter(({ low, high }) => low !== undefined && high !== undefined),
        { x: 'x', y1: 'low', y2: 'high', z: 'name', fill: 'colour', fillOpacity: 0.14 },
      ),
      Plot.lineY(points, { x: 'x', y: 'y', z: 'name', stroke: 'colour', strokeWidth: 1.8 }),
      Plot.dot(points, { x: 'x', y: 'y', fill: 'colour', r: 2.6 }),
    ],
  };
}

export const traceSeries = [
  ['objective', 'objective'],
  ['webResidual', 'web residual'],
  ['semanticsResidual', 'semantics residual'],
] as const;

/** The objective and the residuals that end the fit, on a logarithmic scale. */
export function traceChart(trace: Record<string, number[]>, width: number): Plot.PlotOptions {
  const points = traceSeries.flatMap(([column, name], s) =>
    (trace[column] ?? []).flatMap((value, i) =>
      value > 0 ? [{ iteration: trace.iteration[i], value, name, colour: seriesColour(s) }] : [],
    ),
  );
  return {
    ...{ height: 240, marginLeft: 56 },
    color: { type: 'identity' },
    x: { label: 'iteration', ticks: width < 500 ? 4 : 8 },
    y: { label: 'value, log scale', type: 'log', grid: true, ticks: 5, tickFormat: powerTick },
    marks: [Plot.lineY(points, { x: 'iteration', y: 'value', z: 'name', stroke: 'colour', strokeWidth: 1.8 })],
  };
}

/** Weights of the same web pictures in two fits. */
export function weightChart({ weights }: RunsCompared): Plot.PlotOptions {
  const top = Math.max(1, ...weights.flatMap(({ first, second }) => [first, second]));
  return {
    ...{ height: 300, marginLeft: 44 },
    x: { label: 'trust in the first', domain: [0, top] },
    y: { label: 'trust in the second', domain: [0, top], grid: true },
    marks: [
      Plot.line(
        [
          [0, 0],
          [top, top],
        ],
        { stroke: 'var(--line)' },
      ),
      Plot.dot(weights, { x: 'first', y: 'second', r: 2.6, fill: 'var(--accent)', fillOpacity: 0.5 }),
    ],
  };
}
