/** The figure beside a table of methods: a line for each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ResultTable } from '../shared/results.js';

/** The best eight and the paper's learner are named. */
export function draw(name: string, axis: string, { columns, rows }: ResultTable): void {
  const points = rows.flatMap(({ name: method, figures }, rank) =>
    figures.map((figure, k) => ({ method, rank, x: Number(columns[k]), y: figure })),
  );
  const shown = (point: { method: string; rank: number }) => point.rank < 8 || point.method === 'paper';
  const { document } = parseHTML('<html></html>');
  const plot = Plot.plot({
    document,
    width: 760,
    height: 460,
    marginRight: 120,
    style: { background: 'white', color: 'black' },
    x: { label: axis, ticks: columns.map(Number), tickFormat: 'd' },
    y: { label: 'accuracy, %', grid: true },
    color: { scheme: 'dark2' },
    marks: [
      Plot.line(
        points.filter((point) => !shown(point)),
        { x: 'x', y: 'y', z: 'method', stroke: '#ccc' },
      ),
      Plot.line(points.filter(shown), {
        x: 'x',
        y: 'y',
        z: 'method',
        stroke: 'method',
        strokeWidth: (point: { method: string }) => (point.method === 'bowerbird' ? 3 : 1.5),
      }),
      Plot.text(
        points.filter(shown),
        Plot.selectLast({ x: 'x', y: 'y', z: 'method', text: 'method', dx: 6, textAnchor: 'start', fill: 'method' }),
      ),
    ],
  });
  plot.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const folder = new URL('../../docs/figures/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.svg`, folder), `${plot.outerHTML}\n`);
}
