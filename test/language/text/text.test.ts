import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FormatError, UsageError } from '../../../src/errors.js';
import { writeNpz } from '../../../src/formats/npz.js';
import { readTexts } from '../../../src/language/text/read-texts.js';
import { stopWordLanguages, stopWords } from '../../../src/language/text/stop-words.js';
import { chooseWords, readVocabulary, writeVocabulary } from '../../../src/language/text/vocabulary.js';
import { pictureWords, termFrequencies } from '../../../src/text/index.js';
import { temporaryFolder } from '../../temporary-folder.js';

const folder = temporaryFolder();

describe('the words of a picture', () => {
  it('come from title, tags and comments, without markup, addresses and numbers', () => {
    const words = pictureWords({
      title: 'Brewer&#39;s Blackbird &amp; a <b>Gull</b>',
      tags: ['black-bird', 'canon350d', '2014', 'geo:lat=51.2'],
      comments: ['see http://x.example/photo?a=b and www.y.example now', "l'oiseau"],
    });
    expect(words).toEqual([
      'brewer',
      'blackbird',
      'gull',
      'black',
      'bird',
      'canon350d',
      'geo',
      'lat',
      'see',
      'and',
      'now',
      'oiseau',
    ]);
  });
});

describe('stop words', () => {
  it('are known for many languages by two or three letters', () => {
    expect(stopWordLanguages().length).toBeGreaterThan(50);
    expect(stopWords(['en'])).toEqual(stopWords(['eng']));
    expect(stopWords(['de']).has('und')).toBe(true);
    expect(stopWords(['en', 'fr']).size).toBeGreaterThan(stopWords(['fr']).size);
  });
  it('of an unknown language are an error that names the known ones', () => {
    expect(() => stopWords(['xx'])).toThrow(UsageError);
    expect(() => stopWords(['removeStopwords'])).toThrow(UsageError);
  });
});

describe('term frequencies', () => {
  const texts = ['the gull and the tern', 'gull gull', { title: 'tern', tags: ['albatross'] }, ''];

  it('count the most frequent words that are no stop words, a row for each picture', () => {
    const words = chooseWords(texts);
    expect(words).toEqual(['gull', 'tern', 'albatross']);
    const { rows, cols, data } = termFrequencies(texts, words);
    expect([rows, cols]).toEqual([4, 3]);
    expect([...data]).toEqual([1, 1, 0, 2, 0, 0, 0, 1, 1, 0, 0, 0]);
  });

  it('do not depend on the order of the texts for their columns', () => {
    expect(chooseWords([...texts].reverse())).toEqual(chooseWords(texts));
  });

  it('keep as many words as asked for, and those found in enough texts', () => {
    expect(chooseWords(texts, { size: 2 })).toEqual(['gull', 'tern']);
    expect(chooseWords(texts, { minimumTexts: 2 })).toEqual(['gull', 'tern']);
    expect(chooseWords(['der Vogel und the bird'], { languages: ['de'] })).toEqual(['bird', 'the', 'vogel']);
  });

  it('are the same when the saved vocabulary is applied again', async () => {
    const path = join(folder, 'vocabulary.txt');
    const words = chooseWords(texts);
    await writeVocabulary(path, words);
    expect(termFrequencies(texts, await readVocabulary(path)).data).toEqual(termFrequencies(texts, words).data);
    expect([...termFrequencies(['unseen gull'], await readVocabulary(path)).data]).toEqual([1, 0, 0]);
  });

  it('refuse a vocabulary with a repeated or empty line', async () => {
    const path = join(folder, 'bad.txt');
    writeFileSync(path, 'gull\ntern\ngull\n');
    await expect(readVocabulary(path)).rejects.toThrow(/line 3 repeats the word "gull"/);
    writeFileSync(path, 'gull\n\ntern\n');
    await expect(readVocabulary(path)).rejects.toThrow(/line 2 is empty/);
  });
});

describe('texts from a file', () => {
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  it('are lines, of which an empty one is a picture without text', async () => {
    expect(await readTexts(write('mark.jsonl', '\ufeff{"title":"A gull"}\n'))).toMatchObject([{ title: 'A gull' }]);
    expect(await readTexts(write('a.txt', 'one\n\nthree\n'))).toEqual(['one', '', 'three']);
  });

  it('are columns of a table by name, or by number where it has no names', async () => {
    expect(await readTexts(write('b.tsv', 'id\ttitle\ttags\n1\tA "gull"\ta,b\n2\tTern\n'))).toEqual([
      'A "gull"\na,b',
      'Tern\n',
    ]);
    expect(await readTexts(write('c.csv', '1,"A, b",x\n2,C,y\n'), { columns: ['2'] })).toEqual(['A, b', 'C']);
    await expect(readTexts(write('d.tsv', 'id\tname\n1\tx\n'))).rejects.toThrow(/no column title/);
    await expect(readTexts(write('e.tsv', '1\tx\n'), { columns: ['7'] })).rejects.toThrow(/no column 7/);
  });

  it('are JSON lines with strings or lists of strings', async () => {
    const path = write('f.jsonl', '{"title":"a","tags":["b","c"],"comments":null}\n"plain"\n\n{"description":"d"}\n');
    expect((await readTexts(path)).map((text) => pictureWords(text).length)).toEqual([0, 1, 0, 0]);
    expect((await readTexts(path))[0]).toEqual({ title: 'a', tags: ['b', 'c'], comments: [] });
    await expect(readTexts(write('g.jsonl', '{"title":"a"}\n{oops\n'))).rejects.toThrow(FormatError);
  });

  it('are the strings of a problem file', async () => {
    const path = join(folder, 'problem.npz');
    await writeNpz(path, { web_texts: { shape: [2], dtype: 'string', data: ['gull', 'tern'] } });
    expect(await readTexts(path)).toEqual(['gull', 'tern']);
  });
});

const flickr = '../shared/data/flickr/metadata.tsv';
describe.skipIf(!existsSync(flickr))('real titles and tags (skipped where ../shared/data is absent)', () => {
  it('give every record a row, and words of pictures rather than stop words', async () => {
    const texts = await readTexts(flickr, { columns: ['4', '8'] });
    const words = chooseWords(texts, { size: 500 });
    expect(texts.length).toBe(203);
    expect(termFrequencies(texts, words)).toMatchObject({ rows: 203, cols: 500 });
    expect(words.slice(0, 20)).toEqual(expect.arrayContaining(['food', 'chicken']));
    expect(words).not.toContain('the');
  });
});
