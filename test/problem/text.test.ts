import { describe, expect, it } from 'vitest';
import { termFrequencies } from '../../src/problem/index.js';
import { chooseVocabulary, countWords, splitWords } from '../../src/problem/text.js';

describe('termFrequencies', () => {
  const texts = ['Rook, rook & crow', 'the crow', 'CROW and the rook; owl', ''];

  it('counts the most frequent words first, ties by alphabet', () => {
    const { counts, vocabulary } = termFrequencies(texts);
    expect(vocabulary).toEqual(['crow', 'rook', 'the']);
    expect([0, 1, 2, 3].map((i) => [...counts.row(i)])).toEqual([
      [1, 2, 0],
      [1, 0, 1],
      [1, 1, 1],
      [0, 0, 0],
    ]);
  });

  it('keeps as many words as asked for, and rare ones on request', () => {
    expect(chooseVocabulary(texts, { words: 1 })).toEqual(['crow']);
    expect(chooseVocabulary(texts, { minimumTexts: 1 })).toEqual(['crow', 'rook', 'the', 'and', 'owl']);
  });

  it('does not depend on the order of the texts', () => {
    expect(chooseVocabulary([...texts].reverse())).toEqual(chooseVocabulary(texts));
  });

  it('splits words of any script and knows composed letters', () => {
    expect(splitWords('Große Grasmücke, ツグミ x 24')).toEqual(['große', 'grasmücke', 'ツグミ', '24']);
    expect(splitWords('mu\u0308cke')).toEqual(['mücke']);
  });

  it('counts a given vocabulary in other texts', () => {
    expect([...countWords(['owl owl crow'], ['crow', 'owl', 'jay'], 'float32').row(0)]).toEqual([1, 2, 0]);
  });

  it('takes words that objects have as properties for words', () => {
    expect(termFrequencies(['constructor toString', 'constructor toString']).vocabulary).toEqual([
      'constructor',
      'tostring',
    ]);
  });
});
