import { describe, expect, it } from 'vitest';
import { escapeHtml } from '../../src/formats/index.js';
import { html, link, table } from '../../src/report/html.js';
import fc from '../property.js';

describe('html templates', () => {
  it('escape every value, and HTML made by a template not again', () => {
    const name = '<b title="x">Tern\'s & co</b>';
    const inner = html`<i>${name}</i>`;
    expect(html`<p class="${'a"b'}">${inner}</p>`.text).toBe(
      '<p class="a&#34;b"><i>&#60;b title=&#34;x&#34;&#62;Tern&#39;s &#38; co&#60;/b&#62;</i></p>',
    );
  });

  it('leave nothing of any text that could open a tag, an attribute or a line', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>"'`\n\r\u2028\u202e]/.test(escapeHtml(text))));
  });

  it('write nothing for what is absent, and lists one after the other', () => {
    expect(html`${undefined}${null}${false}${[html`<i></i>`, 'a', 0]}`.text).toBe('<i></i>a0');
  });

  it('link only to web addresses', () => {
    expect(link('page', 'https://example.org/?a="b').text).toBe(
      '<a href="https://example.org/?a=&#34;b" rel="nofollow noreferrer">page</a>',
    );
    expect(link('page', 'javascript:alert(1)').text).toBe('page');
    expect(link('page', ' data:text/html,x').text).toBe('page');
  });

  it('make tables whose first column heads the row', () => {
    const made = table(
      [
        { head: 'Name', cell: (row: [string, number]) => row[0] },
        { head: 'Count', cell: (row) => row[1], numeric: true },
      ],
      [['<a>', 2]],
    ).text;
    expect(made).toContain('<th scope="row">&#60;a&#62;</th><td class="number">2</td>');
  });
});
