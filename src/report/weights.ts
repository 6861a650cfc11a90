/** The weights of the web pictures: how they are spread, and which pictures were trusted most and least. */
import type { WeightedPicture } from '../fit/index.js';
import { chart, colours, Plot } from './chart.js';
import { significant } from './format.js';
import { details, type Html, html, link, table } from './html.js';
import { type PictureProvider, type ReportPicture, thumbnail } from './pictures.js';

export interface GalleryOptions {
  pictures?: PictureProvider;
  /** Pictures from either end of each category. */
  perCategory: number;
  /** Categories shown at most. */
  categories: number;
  /** Called with the file of a picture that cannot be shown. */
  onUnreadable?: (file: string) => void;
  signal?: AbortSignal;
}

const bars = 30;

export function weightHistogram(weights: readonly WeightedPicture[]): Html {
  const mean = weights.reduce((sum, { weight }) => sum + weight / weights.length, 0);
  const highest = weights.reduce((most, { weight }) => Math.max(most, weight), 0);
  // The last bar ends at full weight and has the pictures of full weight too.
  const top = highest > 1 + 1e-6 ? highest : 1;
  const bins = Array.from({ length: bars }, (_, bar) => ({
    ...{ from: (bar * top) / bars, to: ((bar + 1) * top) / bars, pictures: 0 },
  }));
  for (const { weight } of weights) bins[Math.min(bars - 1, Math.floor((weight / top) * bars))].pictures++;
  return chart(
    ({ narrow }) => ({
      height: narrow ? 200 : 240,
      marginLeft: 48,
      x: { label: 'trust (weight θ)', ticks: narrow ? 4 : 8, domain: [0, top] },
      y: { label: 'web pictures', grid: true },
      marks: [
        Plot.rectY(
          bins.filter(({ pictures }) => pictures > 0),
          { x1: 'from', x2: 'to', y: 'pictures', fill: colours.accent, inset: 0.5 },
        ),
        Plot.ruleX([mean], { stroke: colours.second, strokeDasharray: '4 3' }),
        Plot.ruleY([0]),
      ],
    }),
    {
      label: 'Histogram of the weights of web pictures',
      caption: `How far each web picture counted in the fit. Dashed line: the mean, ${significant(mean)}. A picture of weight 0 did not count.`,
    },
  );
}

/** Per category the pictures of highest and lowest weight: as a gallery where pictures are known, else by their words. */
export async function gallery(
  weights: readonly WeightedPicture[],
  folder: string,
  options: GalleryOptions,
): Promise<Html> {
  const groups = new Map<string, WeightedPicture[]>();
  for (const picture of weights) groups.set(picture.category, [...(groups.get(picture.category) ?? []), picture]);
  const shown = [...groups].slice(0, options.categories);
  const doubted = doubtedBelow(weights);
  const parts: Html[] = [];
  for (const [category, pictures] of shown) {
    options.signal?.throwIfAborted();
    const sorted = [...pictures].sort((a, b) => b.weight - a.weight || a.row - b.row);
    const count = Math.min(options.perCategory, Math.floor(sorted.length / 2));
    const ends: End[] = [
      { title: 'highest', kind: 'high', pictures: sorted.slice(0, count), doubtedBelow: doubted },
      { title: 'lowest', kind: 'low', pictures: sorted.slice(sorted.length - count).reverse(), doubtedBelow: doubted },
    ];
    const lists: Html[] = [];
    for (const end of ends) lists.push(await galleryEnd(end, folder, options));
    parts.push(
      options.pictures ? html`<h4>${category}</h4>${lists}` : details(`${category} (${pictures.length})`, lists),
    );
  }
  const rest = groups.size - shown.length;
  return html`${parts}${rest > 0 && html`<p class="caption">${rest} more categories are not shown here; the folder of the fit has them all.</p>`}`;
}

/** One end of the order by weight. */
interface End {
  title: string;
  kind: 'high' | 'low';
  pictures: readonly WeightedPicture[];
  /** Weights below are those of pictures that hardly count. */
  doubtedBelow: number;
}

/** Half of the mean weight: the lowest of a clean category may all be trusted. */
export function doubtedBelow(weights: readonly WeightedPicture[]): number {
  return weights.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, weights.length) / 2;
}

export async function galleryEnd(
  { title, kind, pictures, doubtedBelow }: End,
  folder: string,
  options: GalleryOptions,
): Promise<Html> {
  const weightClass = ({ weight }: WeightedPicture) => (weight < doubtedBelow ? 'low' : 'high');
  const { pictures: provider, onUnreadable } = options;
  const heading = `${title} weights`;
  if (!provider)
    return table<WeightedPicture>(
      [
        { head: 'Row', cell: ({ row }) => row },
        { head: 'Weight', cell: ({ weight }) => significant(weight), numeric: true },
        { head: 'Title and tags', cell: ({ text }) => text || '–' },
      ],
      pictures,
      { caption: `The ${heading}` },
    );
  const items: Html[] = [];
  for (const picture of pictures) {
    const known = await provider.webPicture(picture.row, folder);
    const image = known?.file ? await thumbnail(known.file) : undefined;
    if (known?.file && !image) onUnreadable?.(known.file);
    items.push(item(picture, weightClass(picture), known, image));
  }
  const trusted = pictures.every((picture) => weightClass(picture) === 'high');
  return html`<p class="caption">The <span class="${trusted ? 'high' : 'low'}">${heading}</span>${kind === 'low' && trusted && ', which are trusted too'}</p><ul class="gallery">${items}</ul>`;
}

function item(
  { row, weight, text }: WeightedPicture,
  kind: string,
  known: ReportPicture | undefined,
  source: string | undefined,
): Html {
  const title = known?.title || text || `web picture ${row}`;
  const tags = known?.tags?.join(', ');
  const credit = [known?.author && `by ${known.author}`, known?.source].filter(Boolean).join(', ');
  return html`<li>${source && html`<img src="${source}" alt="${title}">`}<div class="words"><span class="weight ${kind}">${weight.toFixed(2)}</span> ${link(title, known?.pageUrl)}${
    tags && html`<div class="tags">${tags}</div>`
  }${(credit || known?.licence) && html`<div class="credit">${credit}${credit && known?.licence && ' · '}${known?.licence && link(known.licence, known.licenceUrl)}</div>`}</div></li>`;
}
