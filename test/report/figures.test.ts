/** What single figures of the report show. */
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { categoryBars } from '../../src/report/category-accuracy.js';
import { confusionMatrix } from '../../src/report/confusion.js';
import type { Html } from '../../src/report/html.js';
import { gallery, weightHistogram } from '../../src/report/weights.js';

interface Node {
  textContent: string;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<Node>;
}
const parsed = ({ text }: Html) => parseHTML(`<html><body>${text}</body></html>`).document as unknown as Node;
const picture = (weight: number, row: number) => ({ row, category: 'wren', weight, text: `picture ${row}` });

describe('figures of the report', () => {
  it('draws pictures of full weight in the last bar, none beyond 1', () => {
    const page = parsed(weightHistogram([0, 0.2, 0.5, 1, 1, 1 + 1e-12].map(picture)));
    const [wide] = [...page.querySelectorAll('.wide')];
    const bars = [...wide.querySelectorAll('rect')].map((bar) => ({
      right: Number(bar.getAttribute('x')) + Number(bar.getAttribute('width')),
      height: Number(bar.getAttribute('height')),
    }));
    expect(bars).toHaveLength(4);
    // 912 pixels wide, with Plot's own margin of 20 on the right: 1 is the end of the axis.
    expect(Math.max(...bars.map(({ right }) => right))).toBeLessThanOrEqual(892);
    // Each bar is a pixel shorter than its share, for the gaps.
    expect(bars.at(-1)!.height + 1).toBeCloseTo(3 * (bars[0].height + 1), 0);
  });

  it('calls a picture doubted by its weight, not by its place in the list', async () => {
    const weights = [1, 0.99, 1, 0.98, 0.97, 0.01].map(picture);
    const pictures = { webPicture: async () => undefined };
    const page = parsed(await gallery(weights, '', { pictures, perCategory: 3, categories: 1 }));
    const shown = [...page.querySelectorAll('.weight')].map((node) => [node.textContent, node.getAttribute('class')]);
    expect(shown.filter(([, kind]) => kind === 'weight low')).toEqual([['0.01', 'weight low']]);
    expect(shown).toHaveLength(6);
  });

  it('numbers the categories of a large confusion matrix on a phone, and says which is which', () => {
    const names = Array.from({ length: 20 }, (_, c) => `category ${c}`);
    const counts = names.map((_, i) => names.map((__, j) => (i === j ? 3 : 0)));
    const page = parsed(confusionMatrix({ names, counts }, 'this fit'));
    const ticks = (kind: string) =>
      [...[...page.querySelectorAll(kind)][0].querySelectorAll('text')].map((one) => one.textContent);
    expect(ticks('.narrow')).toContain('20');
    expect(ticks('.wide')).toContain('category 19');
    expect([...page.querySelectorAll('.key li')].map((one) => one.textContent)).toEqual(names);
  });

  it('draws the interval of each category', () => {
    const page = parsed(
      categoryBars({ wren: 0.9, finch: 0.5 }, { wren: { low: 0.7, high: 0.97 }, finch: { low: 0.3, high: 0.7 } }),
    );
    const titles = [...page.querySelectorAll('.wide title')].map((one) => one.textContent);
    expect(titles).toContain('wren: 90.0 %, between 70 and 97 %');
    expect([...page.querySelectorAll('.wide line')].length).toBeGreaterThanOrEqual(2);
  });
});
