import { describe, expect, it } from 'vitest';
import type { AnswersView, Gallery } from '../../src/studio/api.js';
import { pageAddress, queryOf } from '../../studio/src/address.js';
import { answerCounts, answerRows, answersFilterOf, queryOfAnswers, rightWords } from '../../studio/src/answers.js';
import { categoryColour } from '../../studio/src/colours.js';
import { confusedMost } from '../../studio/src/confusion.js';
import {
  candidates,
  categoryCounts,
  choices,
  type Filter,
  filterOf,
  histogram,
  inRange,
  moved,
  ordered,
  queryOfFilter,
  topWeight,
} from '../../studio/src/gallery.js';
import { directNeeds, placeStages } from '../../studio/src/stage-graph.js';
import { percent, pValue } from '../../studio/src/words.js';
import fc from '../property.js';

/** Eight pictures of two categories, the last two left out by the crawl. */
const gallery: Gallery = {
  categories: ['wren', 'finch'],
  targets: ['finch', 'wren'],
  sources: ['flickr'],
  reasons: ['too-small'],
  id: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
  title: ['Wren', 'wren at dusk', 'Finch', '', 'Finch', 'A WREN', 'tiny', 'tiny'],
  category: [0, 0, 1, 1, 1, 0, 0, 1],
  foundFor: [0, 0, 1, 1, 1, 0, 0, 1],
  source: [0, 0, 0, 0, 0, 0, 0, 0],
  weight: [2, 0.5, 0, 1.5, null, 2, null, null],
  reason: [-1, -1, -1, -1, -1, -1, 0, 0],
  shown: [1, 1, 1, 1, 1, 1, 0, 0],
  decision: [0, 2, 0, 1, 0, 0, 0, 0],
};
const all = { category: '', shown: 'used', text: '' } as const;

describe('the gallery', () => {
  it('shows what the crawl took, or what it left out', () => {
    expect(candidates(gallery, all)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(candidates(gallery, { ...all, shown: 'left-out' })).toEqual([6, 7]);
    expect(candidates(gallery, { ...all, shown: 'dropped' })).toEqual([1]);
    expect(candidates(gallery, { ...all, shown: 'kept' })).toEqual([3]);
    expect(choices(gallery, 0)).toEqual(['keep', 'drop']);
    expect(choices(gallery, 6)).toEqual([]);
    expect(choices({ ...gallery, reasons: ['duplicate-exact'] }, 6)).toEqual(['keep']);
    // Of those that look like another category, what somebody has decided about needs no look.
    const differing = { b: { category: 'finch' }, c: { category: 'wren' }, h: { category: 'wren' } };
    expect(candidates(gallery, { ...all, shown: 'differs' }, differing)).toEqual([2]);
    const moved: Gallery = { ...gallery, decision: [3, 0, 0, 0, 0, 0, 0, 0] };
    expect(candidates(moved, { ...all, shown: 'moved' })).toEqual([0]);
  });

  it('finds titles whatever their case, within a category', () => {
    expect(candidates(gallery, { ...all, text: ' wren ' })).toEqual([0, 1, 5]);
    expect(candidates(gallery, { ...all, category: 'finch', text: 'wren' })).toEqual([]);
  });

  it('counts the pictures of each category, by name', () => {
    expect(categoryCounts(gallery, candidates(gallery, all))).toEqual([
      { name: 'finch', count: 3 },
      { name: 'wren', count: 3 },
    ]);
    expect(categoryCounts(gallery, [2])).toEqual([{ name: 'finch', count: 1 }]);
  });

  it('has an address for every filter, and takes a wrong one for none', () => {
    const shown = fc.constantFrom('used', 'differs', 'kept', 'moved', 'dropped', 'left-out');
    const order = fc.constantFrom('heaviest', 'lightest', 'category');
    fc.assert(
      fc.property(fc.string(), fc.string(), shown, order, (category, text, which, by) => {
        const filter = { category, text: text.trim(), shown: which, order: by, range: [0.25, 0.5] } as Filter;
        const address = pageAddress('pictures', queryOfFilter(filter));
        expect(filterOf(queryOf(address))).toEqual(filter);
      }),
    );
    const nothing = filterOf(queryOf('#/pictures?shown=rubbish&order=&from=x&to=1'));
    expect(nothing).toEqual({ category: '', text: '', shown: 'used', order: 'heaviest' });
    expect(pageAddress('pictures', queryOfFilter(nothing))).toBe('#/pictures');
  });

  it('orders by weight, those without one last either way, equal ones as found', () => {
    const rows = candidates(gallery, all);
    expect(ordered(gallery, rows, 'heaviest')).toEqual([0, 5, 3, 1, 2, 4]);
    expect(ordered(gallery, rows, 'lightest')).toEqual([2, 1, 3, 0, 5, 4]);
    expect(ordered(gallery, rows, 'category')).toEqual([0, 5, 1, 3, 2, 4]);
  });

  it('keeps what lies in the brushed range, ends included', () => {
    const rows = candidates(gallery, all);
    expect(inRange(gallery, rows, [0.5, 1.5])).toEqual([1, 3]);
    expect(inRange(gallery, rows, undefined)).toEqual(rows);
  });

  it('counts every weight once in its histogram', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 50, noNaN: true }), { minLength: 1 }), (weights) => {
        const some = { ...gallery, id: weights.map(String), weight: weights };
        const top = topWeight(some);
        const bins = histogram(
          some,
          weights.map((_, i) => i),
          top,
        );
        expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(weights.length);
        expect(Math.max(...weights)).toBeLessThanOrEqual(top * (1 + 1e-12));
      }),
    );
  });

  it('moves by key without leaving the grid, and keeps the column', () => {
    expect(moved('ArrowRight', 4, 10, 4, 2)).toBe(5);
    expect(moved('ArrowDown', 1, 10, 4, 2)).toBe(5);
    expect(moved('ArrowDown', 7, 10, 4, 2)).toBe(7);
    expect(moved('ArrowUp', 2, 10, 4, 2)).toBe(2);
    expect(moved('PageDown', 1, 100, 4, 3)).toBe(9);
    expect(moved('End', 3, 10, 4, 2)).toBe(9);
    expect(moved('Home', 3, 10, 4, 2)).toBe(0);
    expect(moved('x', 3, 10, 4, 2)).toBeUndefined();
    const keys = fc.constantFrom(
      'ArrowRight',
      'ArrowLeft',
      'ArrowUp',
      'ArrowDown',
      'PageUp',
      'PageDown',
      'Home',
      'End',
    );
    fc.assert(
      fc.property(
        keys,
        fc.nat(99),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        (key, at, columns, rows) => {
          const next = moved(key, at, 100, columns, rows)!;
          expect(next).toBeGreaterThanOrEqual(0);
          expect(next).toBeLessThan(100);
        },
      ),
    );
  });
});

describe('the graph of stages', () => {
  const stages = [
    { stage: 'crawl', needs: [] },
    { stage: 'features', needs: ['crawl'] },
    { stage: 'words', needs: [] },
    { stage: 'problem', needs: ['crawl', 'features', 'words'] },
    { stage: 'fit', needs: ['problem'] },
  ];

  it('puts every stage to the right of all it needs, as late as it can', () => {
    const column = new Map(placeStages(stages).map((placed) => [placed.stage, placed.column]));
    for (const { stage, needs } of stages)
      for (const need of needs) expect(column.get(need)!).toBeLessThan(column.get(stage)!);
    expect(column.get('words')).toBe(column.get('problem')! - 1);
  });

  it('never puts two on the same place', () => {
    const places = placeStages(stages).map(({ column, row }) => `${column},${row}`);
    expect(new Set(places).size).toBe(stages.length);
  });

  it('draws no line that others imply', () => {
    expect(directNeeds(stages)).toEqual([
      ['crawl', 'features'],
      ['features', 'problem'],
      ['words', 'problem'],
      ['problem', 'fit'],
    ]);
  });
});

describe('what the page makes of results', () => {
  it('picks the categories with the most mistakes out of many', () => {
    const counts = [
      [9, 0, 0, 0],
      [0, 5, 0, 4],
      [0, 0, 9, 1],
      [0, 0, 0, 9],
    ];
    expect(confusedMost(counts, 2)).toEqual([1, 3]);
    expect(confusedMost(counts, 9)).toEqual([0, 1, 2, 3]);
  });

  it('says figures without false precision', () => {
    expect(percent(0.9126)).toBe('91.3 %');
    expect(percent(undefined)).toBe('–');
    expect(pValue(0.00004)).toBe('p < 0.001');
    expect(pValue(0.0423)).toBe('p = 0.042');
  });
});

describe('the list of answers', () => {
  const view: AnswersView = {
    names: ['wren', 'finch'],
    id: ['a', 'b', 'c', 'd'],
    said: [0, 1, -1, 0],
    confidence: [0.9, 0.4, 0.7, null],
    second: [1, 0, 0, 1],
    truth: [0, 0, -1, null],
    answered: [null, null, 0, 1],
  };
  const any = answersFilterOf(new URLSearchParams());

  it('goes from the least sure answer to the surest, or back, those without a confidence last', () => {
    expect(answerRows(view, any)).toEqual([1, 2, 0, 3]);
    expect(answerRows(view, { ...any, order: 'sure' })).toEqual([0, 2, 1, 3]);
    expect(answerRows(view, { ...any, order: 'folder' })).toEqual([0, 1, 2, 3]);
  });

  it('has the mistakes by the folder, and by what people said where they said something', () => {
    expect(answerRows(view, { ...any, which: 'mistakes' })).toEqual([1, 2, 3]);
    expect(answerRows(view, { ...any, which: 'answered' })).toEqual([2, 3]);
    expect(answerRows(view, { ...any, said: 'none of these' })).toEqual([2]);
    expect(answerRows(view, { ...any, said: 'finch', truth: 'wren' })).toEqual([1]);
    expect(rightWords(view)).toMatch(
      /^1 of 4 whose truth is known are right, those of no category included: 25.0 % \(5 to 70 %\)$/,
    );
    expect(
      rightWords({ ...view, truth: view.truth.map(() => null), answered: view.id.map(() => null) }),
    ).toBeUndefined();
    expect(answerCounts(view, 'said')).toEqual([
      { name: 'finch', count: 1 },
      { name: 'wren', count: 2 },
      { name: 'none of these', count: 1 },
    ]);
  });

  it('has an address for every filter', () => {
    const filter = { said: 'none of these', truth: 'a & b', which: 'mistakes', order: 'sure' } as const;
    expect(answersFilterOf(queryOf(pageAddress('answers', queryOfAnswers(filter))))).toEqual(filter);
  });
});

it('gives no two categories of a map the same colour', () => {
  for (const count of [3, 8, 9, 50, 200])
    expect(new Set(Array.from({ length: count }, (_, c) => categoryColour(c, count))).size).toBe(count);
});
