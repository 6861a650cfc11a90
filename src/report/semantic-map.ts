/**
 * A map by principal components, test pictures as dots, categories as diamonds: of the learnt semantic vectors and the
 * category vectors, or, for a method that learns none, of the decision values and their means over the pictures put into
 * each category.
 */
import { answerRows, type FitResult } from '../fit/index.js';
import { type Backend, Matrix } from '../linalg/index.js';
import { percent } from '../percent.js';
import { stackRows } from '../problem/index.js';
import { chart, colours, mostColours, Plot, seriesColours } from './chart.js';
import { shorten } from './format.js';
import type { Html } from './html.js';
import { labelPlaces } from './label-places.js';
import { principalPlane } from './projection.js';

/** More dots than this hide one another; every k-th picture is shown then. */
const mostDots = 2500;
const mostNames = 40;
const heights = { wide: 560, narrow: 360 };

export function semanticMap(backend: Backend, fit: FitResult): Html | undefined {
  const answers = answerRows(fit, fit.labels);
  const space = semanticSpace(fit) ?? scoreSpace(fit);
  if (space?.pictures.rows !== answers.length || answers.length < 2) return undefined;
  const { what, pictures: semantics, names, vectors } = space;
  // Both together span the plane, so that categories far from all pictures are not drawn on top of one another.
  const plane = principalPlane(backend, stackRows(semantics, vectors));
  const step = Math.ceil(semantics.rows / mostDots);
  const labelled = fit.labels !== undefined;
  const few = names.length <= mostColours;
  const palette = seriesColours(names.length);
  const dots = plane.of(semantics).flatMap(([x, y], i) => {
    if (i % step !== 0) return [];
    const { name, truth } = answers[i];
    const right = truth === undefined || truth === name;
    const colour = few ? palette[names.indexOf(truth ?? name)] : labelled && !right ? colours.second : colours.accent;
    const title = `picture ${i}: ${name}${right ? '' : `, in truth ${truth}`}`;
    return [{ x, y, colour, right, title }];
  });
  const categories = plane.of(vectors).map(([x, y], c) => ({
    x,
    y,
    name: names[c],
    colour: few ? palette[c] : 'currentColor',
  }));
  /** A mark for each place that labels have beside their points. */
  const labels = (narrow: boolean) => {
    const texts = categories.map((category) => ({ ...category, text: shorten(category.name, 22) }));
    const room = { width: (narrow ? 346 : 912) - 92, height: heights[narrow ? 'narrow' : 'wide'] - 100 };
    const places = labelPlaces([...dots, ...categories], texts, room);
    return [...new Set(places)].flatMap((place) =>
      place
        ? Plot.text(
            texts.filter((_, c) => places[c] === place),
            {
              ...{ x: 'x', y: 'y', text: 'text', fontWeight: 600, fill: 'currentColor' },
              ...{ ...place, stroke: 'var(--paper)', strokeWidth: 4 },
            },
          )
        : [],
    );
  };
  return chart(
    ({ narrow }) => {
      const size = narrow ? 1.9 : 2.6;
      const label = (k: 0 | 1) =>
        `${['first', 'second'][k]} direction (${percent(plane.shares[k], 0)} % of the differences)`;
      return {
        height: heights[narrow ? 'narrow' : 'wide'],
        marginLeft: 44,
        marginRight: 20,
        inset: 14,
        x: { label: label(0), ticks: narrow ? 4 : 8 },
        y: { label: label(1), ticks: narrow ? 4 : 8 },
        color: { type: 'identity' },
        marks: [
          Plot.frame({ stroke: colours.faint }),
          Plot.dot(
            dots.filter(({ right }) => right),
            { x: 'x', y: 'y', fill: 'colour', fillOpacity: 0.55, r: size, title: 'title' },
          ),
          Plot.dot(
            dots.filter(({ right }) => !right),
            {
              x: 'x',
              y: 'y',
              stroke: 'colour',
              symbol: 'times',
              r: size,
              strokeWidth: 1.2,
              strokeOpacity: 0.65,
              title: 'title',
            },
          ),
          Plot.dot(categories, {
            x: 'x',
            y: 'y',
            fill: 'colour',
            stroke: 'var(--paper)',
            strokeWidth: 1.5,
            symbol: 'diamond',
            r: names.length > 20 ? 4.5 : 7,
            title: 'name',
          }),
          ...(names.length <= (narrow ? 14 : mostNames) ? labels(narrow) : []),
        ],
      };
    },
    {
      label: `Map of ${what}`,
      caption: `The two directions in which ${what} differ most; near each other is alike. ${step > 1 ? `Every ${step}th test picture` : 'Test pictures'} as dots${labelled ? ', wrongly classified ones as crosses' : ''}; categories as diamonds, ${names.length <= mostNames ? 'named where there is room' : 'which say their names when pointed at'}.`,
      legend: few
        ? names.map((name, c) => ({ name, colour: palette[c] }))
        : labelled
          ? [
              { name: 'right', colour: colours.accent },
              { name: 'wrong', colour: colours.second },
            ]
          : undefined,
    },
  );
}

interface Space {
  what: string;
  pictures: Matrix;
  names: readonly string[];
  vectors: Matrix;
}

function semanticSpace({ semantics, names }: FitResult): Space | undefined {
  const what = 'the learnt semantic vectors of test pictures and of the category vectors';
  return semantics && { what, pictures: semantics.pictures, names, vectors: semantics.categories };
}

function scoreSpace(fit: FitResult): Space | undefined {
  const { scores, predictions } = fit;
  if (!scores) return undefined;
  const used = [...new Set(predictions)].sort((a, b) => (fit.names[a] < fit.names[b] ? -1 : 1));
  const names = used.map((category) => fit.names[category]);
  const vectors = Matrix.zeros(names.length, scores.cols);
  used.forEach((category, c) => {
    const members = [...predictions.keys()].filter((i) => predictions[i] === category);
    for (const i of members)
      for (let j = 0; j < scores.cols; j++) vectors.set(c, j, vectors.at(c, j) + scores.at(i, j) / members.length);
  });
  const what = 'the decision values of test pictures and of their means in each assigned category';
  return { what, pictures: scores, names, vectors };
}
