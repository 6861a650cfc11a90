/** Accuracy within each category: bars for one method, pairs of dots for two. */
import type { CompareRow } from '../evaluation/index.js';
import type { Interval } from '../fit/index.js';
import { chart, colours, Plot } from './chart.js';
import { shorten } from './format.js';
import { type Html, html } from './html.js';

/** Of more categories only the hardest are drawn. */
const mostCategories = 80;

function omission(count: number): string | undefined {
  return count > mostCategories ? `The ${mostCategories} hardest of ${count} categories.` : undefined;
}

/** Accuracy within each category, of the best method and the reference. */
export function categoryPairs(best: CompareRow | undefined, reference: CompareRow | undefined): Html | undefined {
  if (!best || !reference) return undefined;
  const all = Object.keys(best.categories)
    .map((name) => ({
      name,
      best: 100 * best.categories[name],
      reference: 100 * (reference.categories[name] ?? Number.NaN),
    }))
    .sort((a, b) => b.best - a.best || a.name.localeCompare(b.name));
  const data = all.slice(-mostCategories);
  const two = best !== reference;
  const height = Math.max(10, Math.min(22, 900 / data.length));
  const drawn = chart(
    ({ narrow }) => ({
      height: data.length * height + 52,
      marginLeft: narrow ? 122 : 184,
      marginTop: 8,
      marginRight: 16,
      x: { label: 'accuracy, %', domain: [0, 100], grid: true, ticks: 5 },
      y: {
        domain: data.map(({ name }) => name),
        label: null,
        tickSize: 0,
        tickFormat: (n: string) => shorten(n, narrow ? 16 : 26),
      },
      marks: [
        Plot.axisY({
          label: null,
          tickSize: 0,
          fontSize: Math.min(12, height),
          tickFormat: (n: string) => shorten(n, narrow ? 16 : 26),
        }),
        ...(two
          ? [
              Plot.ruleY(data, { y: 'name', x1: 'reference', x2: 'best', stroke: colours.muted, strokeOpacity: 0.6 }),
              Plot.dot(data, {
                y: 'name',
                x: 'reference',
                fill: colours.second,
                r: 3.5,
                title: (d: { name: string; reference: number }) =>
                  `${d.name}, ${reference.title}: ${d.reference.toFixed(1)} %`,
              }),
            ]
          : []),
        Plot.dot(data, {
          y: 'name',
          x: 'best',
          fill: colours.accent,
          r: 4,
          title: (d: { name: string; best: number }) => `${d.name}, ${best.title}: ${d.best.toFixed(1)} %`,
        }),
      ],
    }),
    {
      label: 'Accuracy within each category',
      caption: omission(all.length),
      legend: [
        { name: best.title, colour: colours.accent },
        ...(two ? [{ name: `${reference.title} (reference)`, colour: colours.second }] : []),
      ],
    },
  );
  return html`<h3>Accuracy within each category</h3>${drawn}`;
}

export function categoryBars(
  categories: Readonly<Record<string, number>>,
  intervals: Readonly<Record<string, Interval>>,
): Html {
  const all = Object.entries(categories)
    .map(([name, share]) => {
      const { low, high } = intervals[name] ?? { low: share, high: share };
      return { name, accuracy: 100 * share, low: 100 * low, high: 100 * high };
    })
    .sort((a, b) => b.accuracy - a.accuracy || a.name.localeCompare(b.name));
  const data = all.slice(-mostCategories);
  const height = Math.max(11, Math.min(22, 900 / data.length));
  const drawn = chart(
    ({ narrow }) => {
      const tickFormat = (name: string) => shorten(name, narrow ? 16 : 26);
      return {
        height: data.length * height + 48,
        marginLeft: narrow ? 122 : 184,
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
            title: (entry: (typeof data)[number]) =>
              `${entry.name}: ${entry.accuracy.toFixed(1)} %, between ${entry.low.toFixed(0)} and ${entry.high.toFixed(0)} %`,
          }),
          Plot.ruleY(data, { y: 'name', x1: 'low', x2: 'high', stroke: 'currentColor', strokeWidth: 1.2 }),
          Plot.text(data, {
            y: 'name',
            x: (entry: { accuracy: number; high: number }) => Math.max(entry.accuracy, entry.high),
            text: (entry: { accuracy: number }) => entry.accuracy.toFixed(0),
            dx: 5,
            textAnchor: 'start',
            fontSize: Math.min(11, height),
            fill: colours.muted,
          }),
        ],
      };
    },
    {
      label: 'Accuracy within each category',
      caption: [omission(all.length), 'Lines are 95 % intervals: the fewer pictures a category has, the longer.']
        .filter(Boolean)
        .join(' '),
    },
  );
  return html`<h3>Accuracy within each category</h3>${drawn}`;
}
