/** A comparison of methods: accuracies with their intervals, tests against the reference, categories, confusion. */
import type { CompareRow, CompareTable, Score } from '../evaluation/index.js';
import { percent } from '../percent.js';
import { categoryPairs } from './category-accuracy.js';
import { chart, colours, Plot } from './chart.js';
import { confusionMatrix } from './confusion.js';
import { points, probability, seconds, shorten, significant, whole } from './format.js';
import { type Column, details, facts, type Html, html, list, table, tiles } from './html.js';

export function comparison(compare: CompareTable): Html {
  const best = compare.rows.find(({ method }) => method === compare.best);
  const reference = compare.rows.find(({ method }) => method === compare.reference);
  const { problem } = compare;
  // In the generalized setting some of the auxiliary pictures are test pictures too.
  const tested = compare.confusion.counts.flat().reduce((sum, count) => sum + count, 0);
  return html`${tiles([
    ...(best
      ? [
          {
            label: 'Best accuracy',
            value: `${percent(best.accuracy.mean)} %`,
            note: `${best.title}, ${interval(best.accuracy)}`,
          },
        ]
      : []),
    ...(reference && reference !== best
      ? [{ label: reference.title, value: `${percent(reference.accuracy.mean)} %`, note: interval(reference.accuracy) }]
      : []),
    { label: 'Methods', value: whole(compare.rows.length), note: `${compare.skipped.length} skipped` },
    {
      label: 'Test pictures',
      value: whole(tested),
      note: `${whole(compare.categories.length)} categories to choose from${compare.setting === 'generalized' ? ', generalized setting' : ''}`,
    },
  ])}
<h3>Accuracy</h3>
${accuracyChart(compare)}
${scores(compare)}
${compare.paper && html`<p class="caption">“Paper”: the accuracy printed for ${compare.paper.dataset.toUpperCase()} in ${compare.paper.citation}. Its features and web pictures were others. The dataset was recognized by: ${compare.paper.recognisedBy}.</p>`}
${categoryPairs(best, reference)}
<h3>Confusion of ${titleOf(compare, compare.confusion.method)}</h3>
${confusionMatrix({ names: compare.categories, counts: compare.confusion.counts }, titleOf(compare, compare.confusion.method))}
${parameters(compare.rows)}
${compare.skipped.length > 0 && details(`Methods skipped: ${compare.skipped.length}`, list(compare.skipped.map(({ method, reason }) => [method, reason])))}
${compare.failed.length > 0 && html`<h3>Failed jobs</h3>${list(compare.failed.map(({ job, message }) => [job, message]))}`}
<h3>Problem</h3>
${facts([
  ['Test categories', whole(problem.testCategories)],
  ['Auxiliary categories', whole(problem.auxiliaryCategories)],
  ['Web pictures', whole(problem.webPictures)],
  ['Auxiliary pictures', whole(problem.auxiliaryPictures)],
  ['Test pictures', whole(problem.testPictures)],
  ['Visual features', whole(problem.features)],
  ['Semantic dimensions', whole(problem.semanticDimensions)],
  ['Text of web pictures', problem.text ? 'yes' : 'no'],
])}`;
}

export function interval({ low, high }: Score): string {
  return `${percent(low)}–${percent(high)}`;
}

function titleOf({ rows }: CompareTable, method: string): string {
  return rows.find((row) => row.method === method)?.title ?? method;
}

/** Every method's accuracy with its interval, best on top. */
function accuracyChart({ rows, reference }: CompareTable): Html {
  const sorted = [...rows].sort((a, b) => b.accuracy.mean - a.accuracy.mean);
  const data = sorted.map((row) => ({
    method: row.method,
    mean: 100 * row.accuracy.mean,
    low: 100 * row.accuracy.low,
    high: 100 * row.accuracy.high,
    paper: row.paperAccuracy,
    colour: row.method === reference ? colours.second : colours.accent,
    title: `${row.title}: ${percent(row.accuracy.mean)} % (${interval(row.accuracy)})`,
  }));
  const shown = data.flatMap(({ low, high, paper = low }) => [low, high, paper]);
  const lowest = Math.max(0, 5 * Math.floor(Math.min(...shown) / 5 - 0.2));
  const highest = Math.min(100, 5 * Math.ceil(Math.max(...shown) / 5 + 0.2));
  const papers = data.filter(({ paper }) => paper !== undefined);
  return chart(
    ({ narrow }) => ({
      height: data.length * 24 + 52,
      marginLeft: narrow ? 104 : 150,
      marginRight: 16,
      marginTop: 8,
      x: { label: 'accuracy, %', grid: true, domain: [lowest, highest], ticks: narrow ? 4 : 8 },
      y: {
        domain: data.map(({ method }) => method),
        label: null,
        tickSize: 0,
        tickFormat: (m: string) => shorten(m, narrow ? 15 : 22),
      },
      color: { type: 'identity' },
      marks: [
        Plot.ruleY(data, {
          y: 'method',
          x1: 'low',
          x2: 'high',
          stroke: 'colour',
          strokeWidth: 4,
          strokeOpacity: 0.3,
          strokeLinecap: 'round',
        }),
        Plot.dot(papers, {
          y: 'method',
          x: 'paper',
          symbol: 'diamond',
          stroke: colours.muted,
          r: 4.5,
          title: (d: { paper?: number }) => `paper: ${d.paper} %`,
        }),
        Plot.dot(data, { y: 'method', x: 'mean', fill: 'colour', r: 5, title: 'title' }),
      ],
    }),
    {
      label: 'Accuracy of each method with its 95 % interval',
      caption: `Dots: accuracy, mean over seeds. Bars: 95 % bootstrap interval over test pictures.${papers.length > 0 ? ' Hollow diamonds: the paper’s figure.' : ''}`,
      legend: [
        { name: 'methods', colour: colours.accent },
        { name: `reference (${reference})`, colour: colours.second },
      ],
    },
  );
}

function scores(compare: CompareTable): Html {
  const any = (has: (row: CompareRow) => unknown) => compare.rows.some((row) => has(row) !== undefined);
  const score = (head: string, of: (row: CompareRow) => Score | undefined): Column<CompareRow> => ({
    head,
    numeric: true,
    cell: (row) => {
      const value = of(row);
      return value && html`${percent(value.mean)}<span class="sub">${interval(value)}</span>`;
    },
  });
  const columns: Column<CompareRow>[] = [
    {
      head: 'Method',
      cell: (row) => html`${row.title}<span class="sub">${row.method} · ${row.uses.join(', ')}</span>`,
    },
    {
      ...score('Accuracy %', (row) => row.accuracy),
      hint: 'mean over seeds, 95 % bootstrap interval over test pictures',
    },
    score('Per category %', (row) => row.meanCategoryAccuracy),
    ...(any((row) => row.harmonic)
      ? [
          score('Unseen %', (row) => row.unseen),
          score('Seen %', (row) => row.seen),
          score('Harmonic %', (row) => row.harmonic),
        ]
      : []),
    ...(any((row) => row.strangers)
      ? [
          {
            head: 'Strangers recognized %',
            hint: 'of the test pictures that show none of the categories; in small print, other pictures taken for such',
            numeric: true,
            cell: ({ strangers }: CompareRow) =>
              strangers?.recognized === undefined
                ? '–'
                : html`${percent(strangers.recognized)}<span class="sub">${percent(strangers.mistaken)} of the others</span>`,
          },
        ]
      : []),
    ...(any((row) => row.ausuc)
      ? [{ head: 'AUSUC', numeric: true, cell: (row: CompareRow) => row.ausuc?.toFixed(3) }]
      : []),
    {
      head: `Against ${compare.reference}`,
      hint: 'difference in points with its 95 % paired bootstrap interval, and the p-value of McNemar’s test',
      numeric: true,
      cell: ({ againstReference: pair }) =>
        pair
          ? html`${points(pair.difference)}<span class="sub">${points(pair.low)} to ${points(pair.high)}, p ${probability(pair.mcnemar)}</span>`
          : 'reference',
    },
    ...(any((row) => row.paperAccuracy)
      ? [{ head: 'Paper %', numeric: true, cell: (row: CompareRow) => row.paperAccuracy?.toFixed(1) }]
      : []),
    ...(any((row) => row.thetaArea)
      ? [
          {
            head: 'θ area',
            hint: 'area under the ROC curve of the weights as detectors of right web pictures',
            numeric: true,
            cell: (row: CompareRow) => row.thetaArea?.toFixed(3),
          },
        ]
      : []),
    {
      head: 'Time',
      hint: 'one fit; all trials of the search',
      numeric: true,
      cell: (row) =>
        html`${seconds(row.seconds)}${row.searchSeconds > 0 && html`<span class="sub">search ${seconds(row.searchSeconds)}</span>`}`,
    },
  ];
  const sorted = [...compare.rows].sort((a, b) => b.accuracy.mean - a.accuracy.mean);
  return table(columns, sorted, {
    caption: `${compare.rows.length} methods, ${compare.seeds.length === 1 ? 'one seed' : `${compare.seeds.length} seeds`}, ${compare.trials > 0 ? `${compare.trials} trials each` : 'default parameters'}`,
    emphasize: ({ method }) => method === compare.reference,
  });
}

function parameters(rows: readonly CompareRow[]): Html {
  return details(
    'Parameters of each method',
    table<CompareRow>(
      [
        { head: 'Method', cell: (row) => row.method },
        {
          head: 'Parameters',
          cell: (row) =>
            Object.entries(row.parameters)
              .map(([name, value]) => `${name} ${typeof value === 'number' ? significant(value) : value}`)
              .join(', ') || 'none',
        },
        {
          head: 'Chosen by',
          cell: (row) => html`${row.chosenBy}${row.note && html`<span class="sub">${row.note}</span>`}`,
        },
        { head: 'Validation %', cell: (row) => percent(row.validationAccuracy), numeric: true },
        {
          head: 'Trials',
          cell: (row) =>
            row.trials > 0 ? `${row.trials}${row.failedTrials > 0 ? `, ${row.failedTrials} failed` : ''}` : '–',
          numeric: true,
        },
      ],
      rows,
    ),
  );
}
