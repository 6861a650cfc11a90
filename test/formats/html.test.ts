import { expect, it } from 'vitest';
import { escapeHtml } from '../../src/formats/index.js';

it('text in HTML keeps its letters, and nothing in it is markup, a line end or a change of direction', () => {
  expect(escapeHtml('Grünspecht 🐦 1 < 2')).toBe('Grünspecht 🐦 1 &#60; 2');
  expect(escapeHtml(`<a href="x" id='y'>&\``)).toBe('&#60;a href=&#34;x&#34; id=&#39;y&#39;&#62;&#38;&#96;');
  expect(escapeHtml('a\r\n\tb\u2028\u2029c\u202ed\u2066e')).toBe('a b c d e');
});
