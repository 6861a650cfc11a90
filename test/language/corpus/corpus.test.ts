import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FormatError, InterruptedError } from '../../../src/errors.js';
import { readCorpus } from '../../../src/language/corpus/corpus.js';
import { Random } from '../../../src/linalg/random.js';
import { fuzzReader } from '../../fuzz.js';
import { temporaryFolder } from '../../temporary-folder.js';

const folder = temporaryFolder();

const page = (title: string, text: string, namespace = 0, extra = '') =>
  `<page><title>${title}</title><ns>${namespace}</ns><id>1</id>${extra}<revision><id>2</id><text xml:space="preserve">${text}</text></revision></page>`;
const dump = (...pages: string[]) => `<mediawiki><siteinfo/>${pages.join('\n')}</mediawiki>`;

async function read(bytes: string | Uint8Array, options: Parameters<typeof readCorpus>[1] = {}): Promise<string[]> {
  const path = join(folder, 'corpus');
  writeFileSync(path, bytes);
  const lines: string[] = [];
  for await (const line of readCorpus(path, options)) lines.push(line);
  return lines;
}
const failure = (bytes: string | Uint8Array) =>
  read(bytes).then(
    () => undefined,
    (error) => error as FormatError,
  );

describe('readCorpus', () => {
  it('reads lines of plain text, whatever the line ends', async () => {
    expect(await read('one\r\ntwo\n\nthree')).toEqual(['one', 'two', 'three']);
  });

  it('reads gzip, also of several members', async () => {
    expect(await read(Buffer.concat([gzipSync('one\ntwo\n'), gzipSync('three\n')]))).toEqual(['one', 'two', 'three']);
  });

  it('reads articles and skips redirects, talk pages and other namespaces', async () => {
    const text = dump(
      page('A', "'''A''' is [[b]]."),
      page('B', '#REDIRECT [[A]]'),
      page('C', 'moved', 0, '<redirect title="A" />'),
      page('Talk:A', 'talk', 1),
      page('D', '&lt;b&gt;D&lt;/b&gt; &amp;amp; E'),
    );
    expect(await read(text)).toEqual(['A is b.', 'D & E']);
  });

  it('cuts a file without line ends into pieces', async () => {
    const lines = await read('word '.repeat(1_000_000));
    expect(lines.length).toBeGreaterThan(4);
    expect(lines.join('').replaceAll(' ', '')).toBe('word'.repeat(1_000_000));
  });

  it('names the byte that is not UTF-8', async () => {
    for (const [before, bad] of [
      ['caf', [0xe9, 0x20]],
      ['żółw ', [0xc0, 0x80]],
      ['x'.repeat(300_000), [0xed, 0xa0, 0x80]],
      ['é'.repeat(200_000), [0xf5, 0x80, 0x80, 0x80]],
      ['end', [0xe2, 0x82]],
    ] as const) {
      const error = await failure(Buffer.concat([Buffer.from(before), Uint8Array.from(bad)]));
      expect(error).toBeInstanceOf(FormatError);
      expect(error?.message).toMatch(/not UTF-8/);
      expect(error?.offset).toBe(Buffer.byteLength(before));
    }
  });

  it('accepts characters that lie across pieces', async () => {
    const text = 'aé€😀'.repeat(100_000);
    expect((await read(text)).join('')).toBe(text);
  });

  it('names the byte where XML breaks', async () => {
    const good = dump(page('Ä', 'text'));
    const at = good.indexOf('</title>');
    const error = await failure(`${good.slice(0, at)}</oops>${good.slice(at + 8)}`);
    expect(error).toBeInstanceOf(FormatError);
    expect(error?.message).toMatch(/broken XML/);
    // One more byte than characters, for the Ä; the parser notices at the end of the tag.
    expect(error?.offset).toBeGreaterThanOrEqual(at + 1);
    expect(error?.offset).toBeLessThanOrEqual(at + 1 + '</oops>'.length);
  });

  it('names the end of a dump that is cut short', async () => {
    const text = dump(page('A', 'text'));
    const error = await failure(text.slice(0, 60));
    expect(error).toBeInstanceOf(FormatError);
    expect(error?.offset).toBe(60);
  });

  it('names the byte where gzip data ends or is damaged', async () => {
    const random = new Random(1);
    const packed = gzipSync(Uint8Array.from({ length: 100_000 }, () => 97 + random.integer(26)));
    const cut = await failure(packed.subarray(0, 30_000));
    expect(cut).toBeInstanceOf(FormatError);
    expect(cut?.offset).toBe(30_000);
    packed[20_000] ^= 255;
    const damaged = await failure(packed);
    expect(damaged).toBeInstanceOf(FormatError);
    expect(damaged?.offset).toBeGreaterThan(20_000 - 16_384);
    expect(damaged?.offset).toBeLessThanOrEqual(packed.length);
  });

  it('refuses an empty file and one that is not there', async () => {
    await expect(read('')).rejects.toThrow(/empty/);
    const missing = readCorpus(join(folder, 'nothing')).next();
    await expect(missing).rejects.toMatchObject({ code: 'BOWERBIRD_FILE' });
  });

  it('takes no more memory for a large corpus than for a small one', async () => {
    const path = join(folder, 'large.gz');
    const piece = gzipSync('A paragraph of some words about bowerbirds and their bowers.\n'.repeat(20_000));
    writeFileSync(path, Buffer.concat(new Array(80).fill(piece)));
    let characters = 0;
    const before = process.memoryUsage().rss;
    let peak = before;
    for await (const line of readCorpus(path)) {
      characters += line.length + 1;
      if (characters % 1_000_000 < 62) peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(characters).toBe(80 * 20_000 * 61);
    expect(peak - before).toBeLessThan(80e6);
  });

  it('stops when aborted', async () => {
    await expect(read('one\ntwo\n', { signal: AbortSignal.abort() })).rejects.toThrow(InterruptedError);
  });

  it('survives mutated dumps, gzip files and texts', async () => {
    const text = Buffer.from(dump(page('A', "'''A''' [[b|c]] {{d}} &lt;ref&gt;e&lt;/ref&gt; é"), page('B', 'more')));
    const summary = await fuzzReader('corpus', [text, gzipSync(text), Buffer.from('plain tëxt\nmore')], (bytes) =>
      read(bytes),
    );
    expect(summary.refused).toBeGreaterThan(0);
    expect(summary.read).toBeGreaterThan(0);
  });
});

const excerpt = '../shared/data/words/enwiki-sample.xml.bz2';
describe.skipIf(!existsSync(excerpt))('the Wikipedia excerpt (skipped where ../shared/data is absent)', () => {
  it('leaves no markup in a thousand sampled sentences', async () => {
    const sentences: string[] = [];
    for await (const paragraph of readCorpus(excerpt)) sentences.push(...paragraph.split(/(?<=[.!?])\s+/));
    expect(sentences.length).toBeGreaterThan(15_000);
    const markup =
      /[[\]{}<>|]|''|==|&[a-z]+;|&#\d|https?:|\b(?:file|image|category):|#redirect|\d+px\b|\bcolspan\b|\balign ?=|\bstyle ?=|\bcite (?:web|book|journal)\b|\bref name\b|\binfobox\b|__[A-Z]+__/i;
    for (const i of new Random(1).choice(sentences.length, 1000)) expect(sentences[i]).not.toMatch(markup);
  });

  it('names the byte where the file was cut', async () => {
    const whole = readFileSync(excerpt);
    const error = await failure(whole.subarray(0, 1_000_000));
    expect(error).toBeInstanceOf(FormatError);
    expect(error?.offset).toBe(1_000_000);
  });
});
