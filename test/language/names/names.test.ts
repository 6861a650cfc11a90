import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameWords, wordForms } from '../../../src/language/names/forms.js';
import { MissingVectorsError, nameVectors } from '../../../src/language/names/lookup.js';
import { readNames } from '../../../src/language/names/names.js';
import type { VectorSource } from '../../../src/language/vectors/source.js';
import { temporaryFolder } from '../../temporary-folder.js';

const folder = temporaryFolder();

/** Vectors in memory; counts how often it is asked. */
function source(entries: Record<string, number[]>): VectorSource & { asked: number } {
  const dim = Object.values(entries)[0].length;
  return {
    ...{ kind: 'glove', name: 'memory', dim, count: Object.keys(entries).length, asked: 0 },
    async lookup(words) {
      this.asked++;
      const wanted = [...new Set(words)].filter((word) => Object.hasOwn(entries, word));
      return new Map(wanted.map((word) => [word, Float32Array.from(entries[word])]));
    },
    async close() {},
  };
}
const named = (...names: string[]) => names.map((name) => ({ name, aliases: [] as string[] }));

describe('the words of a name', () => {
  it('are told apart whatever separates them', () => {
    expect(nameWords('001.Black_footed_Albatross')).toEqual(['Black', 'footed', 'Albatross']);
    expect(nameWords('Brewer’s Blackbird (male)')).toEqual(["Brewer's", 'Blackbird', 'male']);
    expect(nameWords('Red‐eyed  Vireo')).toEqual(['Red-eyed', 'Vireo']);
    expect(nameWords('747')).toEqual(['747']);
  });
});

describe('spellings of a word', () => {
  const tries = (word: string) => wordForms(word).map((form) => form.join(' '));
  it('begin with the word itself, then lower case, then without accents', () => {
    expect(tries('Étourneau').slice(0, 3)).toEqual(['Étourneau', 'étourneau', 'etourneau']);
  });
  it('split and close up hyphens', () => {
    expect(tries('Black-footed')).toEqual(expect.arrayContaining(['black-footed', 'black footed', 'blackfooted']));
    expect(tries('Black-footed').indexOf('black footed')).toBeLessThan(tries('Black-footed').indexOf('blackfooted'));
  });
  it.each([
    ['gulls', 'gull'],
    ['finches', 'finch'],
    ['canaries', 'canary'],
    ['wolves', 'wolf'],
    ['knives', 'knife'],
    ['geese', 'goose'],
    ['foxes', 'fox'],
    ["Brewer's", 'brewer'],
  ])('reduce %s to %s', (word, expected) => {
    expect(tries(word)).toContain(expected);
  });
  it.each([
    ['gull', 'gulls'],
    ['finch', 'finches'],
    ['canary', 'canaries'],
    ['goose', 'geese'],
    ['wolf', 'wolves'],
  ])('extend %s to %s', (word, expected) => {
    expect(tries(word)).toContain(expected);
  });
  it.each(['grass', 'cactus', 'iris', 'gas'])('leave the end of %s alone', (word) => {
    expect(tries(word)).not.toContain(word.slice(0, -1));
  });
});

describe('vectors of names', () => {
  const birds = source({
    black: [1, 0],
    footed: [0, 1],
    albatross: [4, 4],
    gull: [2, 6],
    redeyed: [8, 0],
    roadrunner: [3, 5],
  });

  it('are the mean over the words; a hyphenated word counts once', async () => {
    const { vectors } = await nameVectors(named('Albatross', 'black gull', 'Black-footed Albatross'), [birds]);
    expect([...vectors.row(0)]).toEqual([4, 4]);
    expect([...vectors.row(1)]).toEqual([1.5, 3]);
    expect([...vectors.row(2)]).toEqual([(0.5 + 4) / 2, (0.5 + 4) / 2]);
  });

  it('are found through plurals and closed hyphens', async () => {
    const { vectors, reports } = await nameVectors(named('Gulls', 'Red-eyed gull'), [birds]);
    expect([...vectors.row(0)]).toEqual([2, 6]);
    expect([...vectors.row(1)]).toEqual([5, 3]);
    expect(reports[1].used).toEqual([['redeyed', 'gull']]);
  });

  it('come from an alias where a word of the name is unknown', async () => {
    const names = [
      { name: 'Geococcyx', aliases: ['no such bird', 'roadrunner'] },
      { name: 'black Geococcyx', aliases: ['roadrunner'] },
      { name: 'gull', aliases: ['roadrunner'] },
    ];
    const { vectors, reports } = await nameVectors(names, [birds]);
    expect([...vectors.data]).toEqual([3, 5, 3, 5, 2, 6]);
    expect(reports.map((report) => report.alias[0])).toEqual(['roadrunner', 'roadrunner', undefined]);
  });

  it('of several files stand side by side, each asked once', async () => {
    const more = source({ gull: [9], albatross: [7] });
    const before = birds.asked;
    const { vectors } = await nameVectors(named('gull', 'albatross'), [birds, more]);
    expect([...vectors.data]).toEqual([2, 6, 9, 4, 4, 7]);
    expect([birds.asked - before, more.asked]).toEqual([1, 1]);
  });

  it('can be given length 1 in each file', async () => {
    const { vectors } = await nameVectors(named('albatross'), [birds, source({ albatross: [-2] })], {
      normalize: 'l2',
    });
    expect(vectors.at(0, 0)).toBeCloseTo(Math.SQRT1_2, 6);
    expect(vectors.at(0, 2)).toBe(-1);
  });

  it('that are missing are an error by default, which lists names and words', async () => {
    const asked = nameVectors(named('gull', 'Sayornis', 'black Pomarine'), [birds]);
    await expect(asked).rejects.toThrow(MissingVectorsError);
    await expect(asked).rejects.toThrow(
      /2 names lack vectors: Sayornis \(no vector; unknown: Sayornis\); black Pomarine \(unknown: Pomarine\)/,
    );
  });

  it('that are missing can be left out', async () => {
    const found = await nameVectors(named('gull', 'Sayornis', 'black Pomarine'), [birds], { missing: 'skip' });
    expect(found.names).toEqual(['gull', 'black Pomarine']);
    expect([...found.vectors.row(1)]).toEqual([1, 0]);
    expect(found.reports.map((report) => report.absent)).toEqual([false, true, false]);
  });

  it('that are missing can get the mean of the others', async () => {
    const found = await nameVectors(named('gull', 'Sayornis', 'albatross'), [birds], { missing: 'mean' });
    expect([...found.vectors.row(1)]).toEqual([3, 5]);
  });

  it('are refused where no name has one, whatever the policy', async () => {
    await expect(nameVectors(named('Sayornis'), [birds], { missing: 'mean' })).rejects.toThrow(MissingVectorsError);
  });
});

describe('a file of names', () => {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  it('holds one name a line', async () => {
    expect(await readNames(write('plain.txt', 'House Sparrow\n\nBrewer\'s "Blackbird", male\n'))).toEqual(
      named('House Sparrow', 'Brewer\'s "Blackbird", male'),
    );
  });
  it('may have aliases in further columns', async () => {
    expect(await readNames(write('alias.tsv', 'name\talias\nSayornis\tphoebe|tyrant flycatcher\nGull\n'))).toEqual([
      { name: 'Sayornis', aliases: ['phoebe', 'tyrant flycatcher'] },
      { name: 'Gull', aliases: [] },
    ]);
    expect(await readNames(write('alias.csv', '"Gull, white",gull\n'))).toEqual([
      { name: 'Gull, white', aliases: ['gull'] },
    ]);
  });
  it('without names is refused', async () => {
    await expect(readNames(write('empty.txt', '\n\n'))).rejects.toThrow(/no names/);
  });
});
