/**
 * Charts by Observable Plot, drawn here into static SVG: nothing runs in the reader's browser. Each is drawn twice, for a
 * page and for a phone, since shrinking one to the other's width would make its words unreadable; CSS shows one of them.
 */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { Html, html } from './html.js';

const { document } = parseHTML('<!DOCTYPE html><html></html>');

/** Colours are names of CSS variables, so that a chart follows the page's theme. */
export const colours = {
  accent: 'var(--accent)',
  second: 'var(--series-2)',
  muted: 'var(--muted)',
  faint: 'var(--line)',
  good: 'var(--good)',
  bad: 'var(--bad)',
};

const seriesCount = 8;

/** Up to eight colours that can be told apart in both themes; with more series they repeat. */
export function seriesColours(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `var(--series-${(i % seriesCount) + 1})`);
}

/** More than this many series are not told apart by colour. */
export const mostColours = seriesCount;

export interface ChartOptions {
  /** What it shows, for those who do not see it. */
  label: string;
  /** Stands under it. */
  caption?: string;
  legend?: readonly { name: string; colour: string }[];
}

interface Size {
  width: number;
  narrow: boolean;
}

export function chart(draw: (size: Size) => Plot.PlotOptions, { label, caption, legend }: ChartOptions): Html {
  const one = (kind: 'wide' | 'narrow', width: number) => {
    const options = draw({ width, narrow: kind === 'narrow' });
    const node = Plot.plot({
      document,
      className: 'plot',
      width,
      marginBottom: 44,
      marginTop: 28,
      ...options,
      style: { fontSize: '12px', background: 'none', overflow: 'visible' },
    } as Plot.PlotOptions) as unknown as { outerHTML: string };
    return html`<div class="${kind}" role="img" aria-label="${label}">${new Html(bare(node.outerHTML))}</div>`;
  };
  return html`<figure class="chart">${
    legend && legend.length > 1 && chartLegend(legend)
  }${one('wide', 912)}${one('narrow', 346)}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`;
}

function chartLegend(entries: readonly { name: string; colour: string }[]): Html {
  return html`<div class="legend">${entries.map(
    ({ name, colour }) => html`<span><i style="background:${colour}"></i>${name}</span>`,
  )}</div>`;
}

/** Every plot brings the same few rules along, which the page has once, and labels of parts that have no role. */
function bare(svg: string): string {
  return svg.replace(/<style>[^<]*<\/style>/g, '').replace(/ aria-(label|hidden)="[^"]*"/g, '');
}

export { Plot };
