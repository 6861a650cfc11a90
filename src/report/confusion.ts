/** Which categories are taken for which: the matrix as a picture, and the commonest mistakes as a table. */
import { percent } from '../percent.js';
import { chart, colours, Plot } from './chart.js';
import { shorten } from './format.js';
import { type Html, html, table } from './html.js';

/** Rows: true category, columns: predicted one. */
export interface Confusion {
  names: readonly string[];
  counts: readonly (readonly number[])[];
}

/** From pairs of names; only categories that occur. */
export function confusionOf(pairs: Iterable<{ truth: string; predicted: string }>): Confusion {
  const all = [...pairs];
  const names = [...new Set(all.flatMap(({ truth, predicted }) => [truth, predicted]))].sort();
  const index = new Map(names.map((name, i) => [name, i]));
  const counts = names.map(() => new Array<number>(names.length).fill(0));
  for (const { truth, predicted } of all) counts[index.get(truth)!][index.get(predicted)!]++;
  return { names, counts };
}

/** With more categories than this their names do not fit beside the matrix. */
const mostLabels = 60;
/** On a phone numbers stand for more names than this, and a list below says which is which. */
const mostNarrowNames = 12;
/** With fewer than this there is room for the counts. */
const mostFigures = { wide: 20, narrow: 12 };
const shownMistakes = 10;

export function confusionMatrix({ names, counts }: Confusion, what: string): Html {
  // Categories without any picture, predicted or true, would only leave the matrix empty.
  const kept = names.flatMap((_, c) => (counts[c].some(Boolean) || counts.some((row) => row[c] > 0) ? [c] : []));
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const cells = kept.flatMap((i) =>
    kept
      .filter((j) => counts[i][j] > 0)
      .map((j) => ({
        truth: i,
        predicted: j,
        count: counts[i][j],
        share: counts[i][j] / totals[i],
        title: `${names[i]} taken for ${names[j]}: ${counts[i][j]} of ${totals[i]} (${percent(counts[i][j] / totals[i], 0)} %)`,
      })),
  );
  const numbered = kept.length > mostNarrowNames;
  const drawn = chart(
    ({ width, narrow }) => {
      const labelled = kept.length <= mostLabels;
      const characters = narrow ? 14 : 22;
      const label = (c: number) => (narrow && numbered ? String(kept.indexOf(c) + 1) : shorten(names[c], characters));
      const longest = Math.max(...kept.map((c) => label(c).length));
      const room = labelled ? Math.max(40, 7 * longest + 14) : 24;
      const side = Math.min(width - room - 10, narrow ? 320 : Math.max(280, Math.min(700, kept.length * 44)));
      const fontSize = Math.max(8, Math.min(12, (0.8 * side) / kept.length));
      const margin = labelled ? Math.max(36, 0.62 * fontSize * longest + 16) : 24;
      const tick = labelled ? label : () => '';
      const axis = { domain: kept, tickFormat: tick, tickSize: 0, padding: 0.04 };
      return {
        width: margin + side + 10,
        height: side + margin + 14,
        marginLeft: margin,
        marginBottom: margin,
        marginTop: 14,
        marginRight: 10,
        x: { ...axis, label: null },
        y: { ...axis, label: null },
        marks: [
          Plot.axisX({ tickRotate: -90, textAnchor: 'end', tickFormat: tick, tickSize: 0, label: null, fontSize }),
          Plot.axisY({ tickFormat: tick, tickSize: 0, label: null, fontSize }),
          Plot.cell(
            kept.map((c) => ({ c })),
            { x: 'c', y: 'c', fill: 'none', stroke: colours.faint },
          ),
          Plot.cell(cells, {
            x: 'predicted',
            y: 'truth',
            fill: (cell: { truth: number; predicted: number }) =>
              cell.truth === cell.predicted ? colours.accent : colours.second,
            fillOpacity: (cell: { share: number }) => 0.14 + 0.86 * cell.share,
            title: 'title',
          }),
          ...(kept.length <= mostFigures[narrow ? 'narrow' : 'wide']
            ? [
                Plot.text(cells, {
                  x: 'predicted',
                  y: 'truth',
                  text: 'count',
                  fill: (cell: { share: number }) => (cell.share > 0.55 ? 'var(--paper)' : 'currentColor'),
                }),
              ]
            : []),
          Plot.frame({ stroke: colours.faint }),
        ],
        color: { type: 'identity' },
        opacity: { type: 'identity' },
      };
    },
    {
      label: `Confusion matrix of ${what}`,
      caption: `Rows: true category; columns: assigned category (${what}). The stronger the colour, the larger the share of the row.`,
      legend: [
        { name: 'right', colour: colours.accent },
        { name: 'wrong', colour: colours.second },
      ],
    },
  );
  const key = html`<ol class="key">${kept.map((c) => html`<li>${names[c]}</li>`)}</ol>`;
  return html`${drawn}${numbered && kept.length <= mostLabels && key}${mistakes({ names, counts }, totals)}`;
}

function mistakes({ names, counts }: Confusion, totals: readonly number[]): Html | undefined {
  const pairs = counts
    .flatMap((row, i) => row.map((count, j) => ({ truth: i, predicted: j, count })))
    .filter(({ truth, predicted, count }) => truth !== predicted && count > 0)
    .sort((a, b) => b.count - a.count || a.truth - b.truth || a.predicted - b.predicted)
    .slice(0, shownMistakes);
  if (pairs.length === 0) return undefined;
  return table(
    [
      { head: 'True category', cell: ({ truth }) => names[truth] },
      { head: 'Taken for', cell: ({ predicted }) => names[predicted] },
      { head: 'Pictures', cell: ({ count }) => count, numeric: true },
      { head: 'Share %', cell: ({ truth, count }) => percent(count / totals[truth], 0), numeric: true },
    ],
    pairs,
    { caption: 'The commonest mistakes' },
  );
}
