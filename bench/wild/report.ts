/** The results of the wild benchmark as markdown tables and one figure. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { markdownTable } from '../shared/document.js';
import { calibratedError, calibrationError, pooled } from './calibration.js';
import { regimes } from './regimes.js';
import { ceilingName, featureAreas, type Line, mean, own, type Summary, summarize } from './results.js';
import { parseSearched } from './search.js';

/** What the first table of such folders was made with. */
const baselines = ['whitened-means', 'lr', 'whitened-em', 'whitened-em-balanced'];
/** Those of the first measurements, in which shares differ or strangers come in. */
const mainRegimes = [
  'equal',
  'long-tail',
  'fifth',
  'six-percent',
  'one-category',
  'dirichlet-1',
  'dirichlet-0.1',
  'strangers-30',
  'far-30',
];

export function writeReport(lines: readonly Line[], titles: ReadonlyMap<string, string>, command: string): string {
  const all = summarize(lines);
  const problems = [...new Set(all.map(({ problem }) => problem))];
  const measured = all.filter(({ method }) => method !== ceilingName);
  const searched = measured.some(({ method }) => searchedMethod(method) !== undefined);
  const table = searched ? shortTable : accuracyTable;
  return [
    searched
      ? `Command: \`${command}\`. Accuracy in percent of the listed pictures: \`${own}\` with default parameters, the best baseline as it comes (${baselines.join(', ')}), the best other method as it comes, and the best with parameters of a search on validation categories; the best of a row is bold.`
      : `Command: \`${command}\`. Accuracy in percent of the listed pictures, default parameters; the best of a column is bold.`,
    ...problems.map(
      (problem) => `**${titles.get(problem) ?? problem}**\n\n${table(all.filter((each) => each.problem === problem))}`,
    ),
    comparison(measured),
    ...(searched ? [searchTable(measured)] : []),
    `Area under the curve for telling pictures of unlisted categories from listed ones, mean over problems (\`unlisted\` where a method gives that probability, else the better of maximum logit and energy).\n\n${strangerTable(lines, measured)}`,
    `Expected calibration error (15 bins) of the confidence and of the belief in web pictures, the area under the curve of that belief, and seconds of a fit (few-shot methods: with the whitened pictures at hand); means over all cells, and the worst.\n\n${calibrationTable(measured)}`,
    `Of these errors, what chance makes: answers whose confidences hold exactly would show an error, too, and the larger one the fewer they are. Its mean for the very same confidences (bench/wild/calibration.ts) beside the error of the confidence in each cell, in all problems of a regime together, and beside that of the belief in web pictures.\n\n${chanceTable(measured)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Where the auxiliary categories are candidates too. */
export function writeGeneralizedReport(
  lines: readonly Line[],
  titles: ReadonlyMap<string, string>,
  command: string,
): string {
  const all = summarize(lines);
  const problems = [...new Set(all.map(({ problem }) => problem))];
  return [
    `Command: \`${command}\`. Mean accuracy over the auxiliary (seen) and the listed (unseen) categories and their harmonic mean, in percent, default parameters. ` +
      'Area under the curve for telling pictures of neither from the others, in the folder (`unlisted` where a method gives that probability, else the better of maximum logit and energy) and as if each came later by itself; right answers that were called unlisted, in percent; calibration error of the confidence (15 bins).',
    ...problems.map(
      (problem) =>
        `**${titles.get(problem) ?? problem}**\n\n${generalizedTable(all.filter((each) => each.problem === problem))}`,
    ),
  ].join('\n\n');
}

function generalizedTable(summaries: readonly Summary[]): string {
  const rows = regimesOf(summaries).flatMap((regime) =>
    summaries
      .filter((each) => each.regime === regime)
      .sort((a, b) => (b.harmonic ?? 0) - (a.harmonic ?? 0))
      .map((each) => [
        regimes[regime].title,
        each.method,
        ...[each.seen, each.unseen, each.harmonic].map((figure) => written(figure ?? Number.NaN, 1)),
        ...[strangerArea(each), each.strangers['as if later'] ?? Number.NaN].map((area) => written(area, 3)),
        written(each.calledUnlisted ?? Number.NaN, 1),
        each.calledUnlisted === undefined ? '–' : written(each.confidenceError, 3),
        written(each.seconds, 1),
        String(each.folders),
      ]),
  );
  return markdownTable(
    [
      ...['folder', 'method', 'seen', 'unseen', 'harmonic mean', 'area', 'as if later', 'right, called unlisted'],
      ...['confidence', 'seconds', 'draws'],
    ],
    rows,
  );
}

/** Regimes in the order in which they are defined. */
function regimesOf(summaries: readonly Summary[]): string[] {
  return Object.keys(regimes).filter((name) => summaries.some(({ regime }) => regime === name));
}

function methodsByMean(summaries: readonly Summary[]): string[] {
  const names = [...new Set(summaries.map(({ method }) => method))];
  const average = (name: string) =>
    mean(summaries.filter(({ method }) => method === name).map((each) => each.accuracy));
  return names.sort((a, b) => Number(a === ceilingName) - Number(b === ceilingName) || average(b) - average(a));
}

function accuracyTable(summaries: readonly Summary[]): string {
  const columns = regimesOf(summaries);
  const best = columns.map((regime) =>
    Math.max(
      ...summaries.filter((each) => each.regime === regime && each.method !== ceilingName).map((each) => each.accuracy),
    ),
  );
  const rows = methodsByMean(summaries).map((method) => {
    const cells = columns.map((regime) => summaries.find((each) => each.regime === regime && each.method === method));
    const known = cells.flatMap((cell) => (cell ? [cell.accuracy] : []));
    return [
      method,
      ...cells.map((cell, k) => {
        if (!cell) return '–';
        const text = cell.accuracy.toFixed(1);
        return method !== ceilingName && cell.accuracy >= best[k] - 1e-9 ? `**${text}**` : text;
      }),
      method === ceilingName ? '–' : mean(known).toFixed(1),
    ];
  });
  return markdownTable(['method', ...columns.map((name) => regimes[name].title), 'mean'], rows);
}

const searchedMethod = (name: string) => parseSearched(name)?.method;

/** A line for each regime: the own method and the best of the others, as they come and searched for. */
function shortTable(summaries: readonly Summary[]): string {
  const rows = regimesOf(summaries).map((regime) => {
    const cells = summaries.filter((each) => each.regime === regime && each.method !== ceilingName);
    const others = cells.filter(({ method }) => method !== own);
    const groups = [
      cells.filter(({ method }) => method === own),
      others.filter(({ method }) => baselines.includes(method)),
      others.filter(({ method }) => searchedMethod(method) === undefined),
      others.filter(({ method }) => searchedMethod(method) !== undefined),
    ];
    const top = Math.max(...cells.map(({ accuracy }) => accuracy));
    const limit = summaries.find((each) => each.regime === regime && each.method === ceilingName);
    return [
      regimes[regime].title,
      ...groups.map((group) => {
        if (group.length === 0) return '–';
        const { accuracy, method } = bestOf(group);
        const text = accuracy >= top - 1e-9 ? `**${accuracy.toFixed(1)}**` : accuracy.toFixed(1);
        return method === own ? text : `${searchedMethod(method) ?? method} ${text}`;
      }),
      limit ? limit.accuracy.toFixed(1) : '–',
    ];
  });
  return markdownTable(['regime', own, 'best baseline', 'best other', 'best other, searched', 'ceiling'], rows);
}

/** Every rival as it comes and with parameters of a search, over the cells in which both were measured. */
function searchTable(summaries: readonly Summary[]): string {
  const cellOf = ({ problem, regime }: Summary) => `${problem}|${regime}`;
  const names = [...new Set(summaries.map(({ method }) => method))].filter((name) => searchedMethod(name));
  const rows = names.map((name) => {
    const searched = new Map(summaries.filter(({ method }) => method === name).map((each) => [cellOf(each), each]));
    const pairs = summaries
      .filter(({ method }) => method === searchedMethod(name))
      .flatMap((each) => {
        const other = searched.get(cellOf(each));
        return other ? [{ before: each.accuracy, after: other.accuracy, main: mainRegimes.includes(each.regime) }] : [];
      });
    const means = (of: typeof pairs) => [
      written(mean(of.map(({ before }) => before)), 1),
      written(mean(of.map(({ after }) => after)), 1),
    ];
    const [main, rest] = [pairs.filter((pair) => pair.main), pairs.filter((pair) => !pair.main)];
    const order = mean(pairs.map(({ after }) => after));
    return { order, row: [name, String(pairs.length), ...means(pairs), ...means(main), ...means(rest)] };
  });
  rows.sort((a, b) => b.order - a.order);
  const header = [
    'method',
    'cells',
    'as it comes',
    'searched',
    'main regimes',
    'searched',
    'other regimes',
    'searched',
  ];
  return `What a search is worth to each rival: mean accuracy over the cells in which both were measured.\n\n${markdownTable(
    header,
    rows.map(({ row }) => row),
  )}`;
}

const bestOf = (summaries: readonly Summary[]) => summaries.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));

interface ComparedCell {
  readonly cell: Summary;
  readonly best: Summary;
  readonly baseline: number;
}

/** The own method against the best of the others, cell by cell; the main regimes and the others apart. */
function comparison(summaries: readonly Summary[]): string {
  const cells = summaries
    .filter(({ method }) => method === own)
    .flatMap((cell): ComparedCell[] => {
      const others = summaries.filter(
        ({ problem, regime, method }) => problem === cell.problem && regime === cell.regime && method !== own,
      );
      if (others.length === 0) return [];
      const base = others.filter(({ method }) => baselines.includes(method)).map(({ accuracy }) => accuracy);
      return [{ cell, best: bestOf(others), baseline: base.length > 0 ? Math.max(...base) : Number.NaN }];
    });
  const main = cells.filter(({ cell }) => mainRegimes.includes(cell.regime));
  const rest = cells.filter(({ cell }) => !mainRegimes.includes(cell.regime));
  return [
    ...(main.length > 0 ? [compared('the nine main regimes', main)] : []),
    ...(rest.length > 0 ? [compared('the other regimes', rest)] : []),
  ].join('\n\n');
}

function compared(where: string, cells: readonly ComparedCell[]): string {
  const below = cells
    .filter(({ cell, best }) => best.accuracy - cell.accuracy > Math.max(1.5, 1.5 * best.standardError))
    .map(
      ({ cell, best }) =>
        `${cell.problem}, ${regimes[cell.regime].title}: ${cell.accuracy.toFixed(1)} against ${best.accuracy.toFixed(1)} (${best.method})`,
    );
  const average = (values: number[]) => mean(values).toFixed(1);
  return (
    `Over ${cells.length} cells of ${where} \`${own}\` has a mean of ${average(cells.map(({ cell }) => cell.accuracy))}; the best baseline of each cell ` +
    `(whitened class means, ridge, whitened EM with and without balance) ${average(cells.map(({ baseline }) => baseline))}; the best of all ` +
    `other methods in each cell ${average(cells.map(({ best }) => best.accuracy))}. ` +
    (below.length === 0
      ? 'In no cell is it more than 1.5 points (and 1.5 standard errors) below the best.'
      : `More than 1.5 points (and 1.5 standard errors) below the best in ${below.length}: ${below.join('; ')}.`)
  );
}

/** NaN where there are no strangers. */
const strangerArea = ({ strangers }: Summary) =>
  strangers.unlisted ?? Math.max(strangers['maximum logit'], strangers.energy);

function strangerTable(lines: readonly Line[], summaries: readonly Summary[]): string {
  const withStrangers = summaries.filter(({ strangers }) => Object.keys(strangers).length > 0);
  const columns = regimesOf(withStrangers);
  const rows = [...new Set(withStrangers.map(({ method }) => method))].map((method) => ({
    name: method,
    figures: columns.map((regime) =>
      mean(withStrangers.filter((each) => each.method === method && each.regime === regime).map(strangerArea)),
    ),
  }));
  const alone = featureAreas(lines);
  for (const name of [...new Set(alone.flatMap(({ areas }) => Object.keys(areas)))])
    rows.push({
      name: `features: ${name}`,
      figures: columns.map((regime) =>
        mean(alone.filter((each) => each.regime === regime).map(({ areas }) => areas[name])),
      ),
    });
  rows.sort((a, b) => mean(b.figures) - mean(a.figures));
  return markdownTable(
    ['method', ...columns.map((name) => regimes[name].title)],
    rows.map(({ name, figures }) => [name, ...figures.map((figure) => written(figure, 3))]),
  );
}

function calibrationTable(summaries: readonly Summary[]): string {
  const rows = methodsByMean(summaries).map((method) => {
    const cells = summaries.filter((each) => each.method === method);
    const errors = cells.map(({ confidenceError }) => confidenceError);
    const web = cells.filter((cell) => cell.webError !== undefined);
    const called = cells.filter(
      (cell) => cell.calledUnlisted !== undefined && Object.keys(cell.strangers).length === 0,
    );
    return [
      method,
      written(mean(errors), 3),
      written(Math.max(...errors), 3),
      written(mean(web.map((cell) => cell.webError!)), 3),
      written(Math.max(...web.map((cell) => cell.webError!)), 3),
      written(mean(web.map((cell) => cell.webArea!)), 3),
      written(mean(called.map((cell) => cell.calledUnlisted!)), 1),
      written(mean(cells.map((cell) => cell.seconds)), 2),
    ];
  });
  return markdownTable(
    ['method', 'confidence', 'worst', 'web pictures', 'worst', 'area', 'right, called unlisted, %', 'seconds'],
    rows,
  );
}

/** Errors of calibration beside what calibrated answers would show. */
function chanceTable(summaries: readonly Summary[]): string {
  const rows = methodsByMean(summaries).map((method) => {
    const cells = summaries.filter((each) => each.method === method);
    const found = cells.map((cell) => ({ error: cell.confidenceError, chance: cell.confidenceIfCalibrated }));
    const byRegime = regimesOf(cells).map((regime) => {
      const together = pooled(cells.filter((cell) => cell.regime === regime).map(({ confidence }) => confidence));
      return { error: calibrationError(together), chance: calibratedError(together) };
    });
    const web = cells.flatMap(({ webError, webIfCalibrated }) =>
      webError === undefined ? [] : [{ error: webError, chance: webIfCalibrated! }],
    );
    const figures = [found, byRegime, web].flatMap((group) => {
      const worst = [...group].sort((a, b) => b.error - a.error)[0] ?? { error: Number.NaN, chance: Number.NaN };
      const [error, chance] = [mean(group.map((each) => each.error)), mean(group.map((each) => each.chance))];
      return [error, chance, worst.error, worst.chance];
    });
    return [method, ...figures.map((figure) => written(figure, 3))];
  });
  const header = ['confidence', 'by regime', 'web pictures'].flatMap((what) => [
    what,
    'if calibrated',
    'worst',
    'if calibrated',
  ]);
  return markdownTable(['method', ...header], rows);
}

const written = (figure: number, digits: number) => (Number.isFinite(figure) ? figure.toFixed(digits) : '–');

/** Accuracy by regime, mean over problems: the own method, the best seven others by their means, and the rest in grey. */
export function drawFigure(lines: readonly Line[]): string {
  const all = summarize(lines).filter(({ method }) => method !== ceilingName);
  const columns = regimesOf(all);
  const ranked = methodsByMean(all);
  const named = new Set([own, ...ranked.slice(0, 8)]);
  const points = ranked.flatMap((method) =>
    columns.flatMap((regime) => {
      const cells = all.filter((each) => each.method === method && each.regime === regime);
      return cells.length > 0
        ? [{ method, regime: regimes[regime].title, y: mean(cells.map((cell) => cell.accuracy)) }]
        : [];
    }),
  );
  const { document } = parseHTML('<html></html>');
  const line = { x: 'regime', y: 'y', z: 'method' } as const;
  const shown = points.filter(({ method }) => named.has(method));
  const plot = Plot.plot({
    document,
    width: 900,
    height: 500,
    marginRight: 150,
    marginBottom: 110,
    style: { background: 'white', color: 'black' },
    x: { label: null, domain: columns.map((name) => regimes[name].title), tickRotate: -45 },
    y: { label: 'accuracy, %', grid: true },
    color: { scheme: 'dark2' },
    marks: [
      Plot.line(
        points.filter(({ method }) => !named.has(method)),
        { ...line, stroke: '#ccc' },
      ),
      Plot.line(shown, {
        ...line,
        stroke: 'method',
        strokeWidth: (point: { method: string }) => (point.method === own ? 3.5 : 1.5),
      }),
      Plot.text(apart(shown.filter(({ regime }) => regime === regimes[columns[columns.length - 1]].title)), {
        x: 'regime',
        y: 'y',
        text: 'method',
        dx: 6,
        textAnchor: 'start',
        fill: 'method',
      }),
    ],
  });
  plot.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return `${plot.outerHTML}\n`;
}

/** The same points from the highest down, none closer to the one above than a line of text needs. */
function apart<T extends { y: number }>(points: readonly T[]): T[] {
  const least = 2.8;
  let above = Number.POSITIVE_INFINITY;
  return [...points]
    .sort((a, b) => b.y - a.y)
    .map((point) => {
      above = Math.min(point.y, above - least);
      return { ...point, y: above };
    });
}
