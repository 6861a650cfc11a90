import { describe, expect, it } from 'vitest';
import { plainParagraphs } from '../../../src/language/corpus/markup.js';
import { processorTime } from '../../processor-time.js';

const plain = (markup: string) => plainParagraphs(markup).join('\n');

describe('wiki markup', () => {
  it('keeps the visible text of links', () => {
    expect(plain("A '''[[bower]]''' of the [[Satin bowerbird|satin bird]] [https://x.example/a b c].")).toBe(
      'A bower of the satin bird b c.',
    );
  });

  it('drops files and categories with captions that hold links', () => {
    expect(plain('[[File:A.jpg|thumb|a [[bird]] and [[Nest|its nest]]]]Text.[[Category:Birds]][[de:Vogel]]')).toBe(
      'Text.',
    );
    expect(plainParagraphs('[[Datei:A.jpg|mini|ein Vogel]]Text.', ['datei'])).toEqual(['Text.']);
  });

  it('keeps a title that has a colon and a link that begins with one', () => {
    expect(plain('See [[Star Trek: Voyager]] and [[:Category:Birds]].')).toBe(
      'See Star Trek: Voyager and Category:Birds.',
    );
  });

  it('drops nested templates and tables', () => {
    expect(plain('a {{b|{{c|d}}|[[e]]}} f\n{| class="x"\n|-\n| cell {{t}}\n{|\n| inner\n|}\n|}\ng')).toBe('a f\ng');
  });

  it('drops references, comments and formulas', () => {
    expect(plain('a<ref name="x">b [[c]]</ref> d<ref name="x" /><!-- e --> <math>x^2</math>f')).toBe('a d f');
  });

  it('decodes character references, also those that would look like markup', () => {
    expect(plain('1&nbsp;km &ndash; caf&eacute; &#233; &Omega; a &lt; b &unknown; c')).toBe('1 km – café é Ω a b c');
  });

  it('turns headings and lists into lines', () => {
    expect(plain('== Nest ==\n* one\n** two\n#three\n: four')).toBe('Nest\none\ntwo\nthree\nfour');
  });

  it('loses only the brackets where they are not balanced', () => {
    expect(plain('a {{b c')).toBe('a b c');
    expect(plain('a }} b [[c d')).toBe('a b c d');
    expect(plain('a <ref>b')).toBe('a b');
  });

  it('takes time in proportion to the length of hostile pages', async () => {
    const time = (text: string) => processorTime(() => plainParagraphs(text));
    for (const unit of ['{{', '[[', '<ref>', '[[a|', '{|', '<!--', "'''''", '&amp', '[http://', '= ', '(;', '<a ']) {
      await time(unit.repeat(1000));
      expect(await time(unit.repeat(200_000)), unit).toBeLessThan(3000);
    }
  });
});
