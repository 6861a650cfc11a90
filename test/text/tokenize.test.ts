import { describe, expect, it } from 'vitest';
import { tokenize } from '../../src/text/index.js';

describe('tokenize', () => {
  it('keeps hyphens and apostrophes inside words', () => {
    expect(tokenize("Brewer's black-footed -albatross- 'quoted' rock'n'roll")).toEqual([
      "brewer's",
      'black-footed',
      'albatross',
      'quoted',
      "rock'n'roll",
    ]);
  });

  it('splits at hyphens when asked', () => {
    expect(tokenize('Black-footed Albatross', { hyphens: 'split' })).toEqual(['black', 'footed', 'albatross']);
  });

  it('can leave the case alone', () => {
    expect(tokenize('Red-eyed Vireo', { lowercase: false })).toEqual(['Red-eyed', 'Vireo']);
  });

  it('treats typographic characters like the plain ones', () => {
    expect(tokenize('Brewer’s black‐footed blackbird ﬁnch')).toEqual([
      "brewer's",
      'black-footed',
      'blackbird',
      'finch',
    ]);
  });

  it('reads other scripts and composed or decomposed accents alike', () => {
    expect(tokenize('Żółw ΣΑΣ Птица étourneau e\u0301tourneau')).toEqual([
      'żółw',
      'σας',
      'птица',
      'étourneau',
      'étourneau',
    ]);
  });

  it('gives the same words for ASCII text whichever path it takes', () => {
    const text = "The 2nd co-op's -- state-of-the-art, 3.14 (well)";
    expect(tokenize(`${text} é`).slice(0, -1)).toEqual(tokenize(text));
  });
});
