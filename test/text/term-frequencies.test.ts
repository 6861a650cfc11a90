import { describe, expect, it } from 'vitest';
import { mostFrequentWords, pictureWords, termFrequencies } from '../../src/text/index.js';

describe('term frequencies', () => {
  const texts = ['Rook, rook & crow', 'the crow', 'CROW and the rook; owl', ''];
  const shared = { minimumTexts: 2 };

  it('count the most frequent words first, ties by alphabet', () => {
    const vocabulary = mostFrequentWords(texts, shared);
    expect(vocabulary).toEqual(['crow', 'rook', 'the']);
    const counts = termFrequencies(texts, vocabulary);
    expect([0, 1, 2, 3].map((i) => [...counts.row(i)])).toEqual([
      [1, 2, 0],
      [1, 0, 1],
      [1, 1, 1],
      [0, 0, 0],
    ]);
  });

  it('keep as many words as asked for, rare ones unless told otherwise, and none of those to be ignored', () => {
    expect(mostFrequentWords(texts, { size: 1 })).toEqual(['crow']);
    expect(mostFrequentWords(texts)).toEqual(['crow', 'rook', 'the', 'and', 'owl']);
    expect(mostFrequentWords(texts, { ignored: new Set(['the', 'and']) })).toEqual(['crow', 'rook', 'owl']);
    expect(() => mostFrequentWords(texts, { size: 0 })).toThrow(/at least 1/);
  });

  it('do not depend on the order of the texts', () => {
    expect(mostFrequentWords([...texts].reverse(), shared)).toEqual(mostFrequentWords(texts, shared));
  });

  it('know words of any script and composed letters, and numbers where asked for', () => {
    expect(pictureWords('Große Grasmücke, ツグミ x 24', { numbers: true })).toEqual([
      'große',
      'grasmücke',
      'ツグミ',
      '24',
    ]);
    expect(pictureWords('Große Grasmücke, ツグミ x 24')).toEqual(['große', 'grasmücke', 'ツグミ']);
    expect(pictureWords('mu\u0308cke')).toEqual(['mücke']);
    expect(mostFrequentWords(['in 2012', 'in 2012'], { numbers: true })).toEqual(['2012', 'in']);
  });

  it('count a given vocabulary in other texts, in the precision asked for', () => {
    const counts = termFrequencies(['owl owl crow 2012'], ['crow', 'owl', 'jay', '2012'], 'float64');
    expect([...counts.row(0)]).toEqual([1, 2, 0, 1]);
    expect(counts.dtype).toBe('float64');
  });

  it('take words that objects have as properties for words', () => {
    expect(mostFrequentWords(['constructor toString', 'constructor toString'])).toEqual(['constructor', 'tostring']);
  });
});
