/** Line charts of several series over one x, with intervals where they are known. */
import type { ExperimentPlot } from '../evaluation/index.js';
import { chart, Plot, seriesColours } from './chart.js';
import { powerTick, significant } from './format.js';
import type { Html } from './html.js';

const mostDots = 40;

export function linePlot(plot: ExperimentPlot): Html {
  const colours = seriesColours(plot.series.length);
  const rows = plot.series.flatMap(({ name, points }, i) =>
    [...points]
      .sort((a, b) => a.x - b.x)
      .filter(({ x }) => plot.x.scale === 'linear' || x > 0)
      .map((point) => ({
        ...point,
        name,
        colour: colours[i],
        title: `${name}, ${plot.x.label} ${significant(point.x)}: ${significant(point.y)}${point.low === undefined ? '' : ` (${significant(point.low)}–${significant(point.high!)})`}`,
      })),
  );
  // Dots of a long curve would only thicken it.
  const few = plot.series.every(({ points }) => points.length <= mostDots) ? rows : [];
  const bands = rows.filter(({ low, high }) => low !== undefined && high !== undefined);
  const marks = plot.series.flatMap(({ name, mark }, i) =>
    mark === undefined ? [] : [{ name, mark, colour: colours[i] }],
  );
  return chart(
    ({ narrow }) => ({
      height: narrow ? 260 : 340,
      marginLeft: 52,
      marginRight: 16,
      x: {
        label: plot.x.label,
        type: plot.x.scale,
        ticks: narrow ? 4 : plot.x.scale === 'log' ? 7 : undefined,
        ...(plot.x.scale === 'log' && { tickFormat: powerTick }),
      },
      y: { label: plot.y.label, grid: true, nice: true },
      color: { type: 'identity' },
      marks: [
        Plot.areaY(bands, { x: 'x', y1: 'low', y2: 'high', z: 'name', fill: 'colour', fillOpacity: 0.14 }),
        Plot.ruleX(marks, {
          x: 'mark',
          stroke: 'colour',
          strokeDasharray: '3 4',
          title: (d: { name: string; mark: number }) => `${d.name}: ${significant(d.mark)}`,
        }),
        Plot.lineY(rows, { x: 'x', y: 'y', z: 'name', stroke: 'colour', strokeWidth: 1.8 }),
        Plot.dot(few, { x: 'x', y: 'y', fill: 'colour', r: 3, title: 'title' }),
      ],
    }),
    {
      label: `${plot.title}: ${plot.y.label} against ${plot.x.label}`,
      caption: [
        bands.length > 0 ? 'Bands: 95 % intervals.' : '',
        marks.length > 0 ? 'Dashed lines: the values in use.' : '',
      ]
        .join(' ')
        .trim(),
      legend: plot.series.map(({ name }, i) => ({ name, colour: colours[i] })),
    },
  );
}
