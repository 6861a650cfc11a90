import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../../allclose.js';
import { matCellOf, matColumnsOf, writeMat, writeNpz } from '../../../src/formats/index.js';
import { nameKey, readTaxonomy, readVectorTable, vectorsOfNames } from '../../../src/language/index.js';
import { Matrix } from '../../../src/linalg/index.js';
import { temporaryFolder } from '../../temporary-folder.js';

const folder = temporaryFolder();
async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('a table of attributes', () => {
  it('takes shares as they are, words as columns, and an empty field as the mean', async () => {
    const path = await file('a.csv', 'name,striped,bill\nBlue Jay,1,short\nTern,0,long\nAuk,,long\n');
    const { names, vectors } = await readVectorTable(path);
    expect(names).toEqual(['Blue Jay', 'Tern', 'Auk']);
    // striped, bill = long, bill = short
    expect(vectors.copy().data).toBeAllClose([1, 0, 1, 0, 1, 0, 0.5, 1, 0]);
  });

  it('brings columns of other ranges to 0…1, each by its own', async () => {
    const path = await file('b.tsv', 'wing\tname\tweight\n120\tJay\t-3\n240\tTern\t5\n180\tAuk\t1\n');
    const { names, vectors } = await readVectorTable(path);
    expect(names).toEqual(['Jay', 'Tern', 'Auk']);
    expect(vectors.copy().data).toBeAllClose([0, 0, 1, 1, 0.5, 0.5]);
  });

  it.each([
    ['no-rows.csv', 'name,striped\n', /no row below its header/],
    ['one-column.csv', 'name\nJay\n', /no column beside the names/],
    ['twice.csv', 'name,a\nJay,1\nJay,2\n', /"Jay" is there a second time/],
    ['nameless.csv', 'name,a\n,1\n', /row 1 has no name/],
    [
      'texts.csv',
      `name,a\n${Array.from({ length: 60 }, (_, i) => `n${i},text ${i}`).join('\n')}\n`,
      /60 different texts/,
    ],
    ['list.pdf', 'nothing', /no table of vectors/],
  ])('refuses %s and says why', async (name, content, message) => {
    await expect(readVectorTable(await file(name, content))).rejects.toThrow(message);
  });
});

describe('vectors of names', () => {
  const vectors = Matrix.from([
    [1, 2],
    [3, 4],
    [5, 6],
  ]).copy('float32');
  const names = { dtype: 'string' as const, shape: [3], data: ['001.Black_footed_Albatross', 'Geai bleu', 'Auk'] };

  it('are read from an archive with the space they lie in, and found by name or alias', async () => {
    const path = join(folder, 'names.npz');
    await writeNpz(path, { names, vectors, space: { dtype: 'string', shape: [1], data: ['clip'] } });
    const table = await readVectorTable(path);
    expect(table.space).toBe('clip');
    const found = vectorsOfNames(table, [
      { name: 'Tern', aliases: [] },
      { name: 'Blue Jay', aliases: ['geai bleu'] },
      { name: 'Black-footed albatross', aliases: [] },
    ]);
    expect(found.absent).toEqual(['Tern']);
    expect([...found.vectors.data]).toEqual([0, 0, 3, 4, 1, 2]);
  });

  it('are read from the attributes of a benchmark, whose columns are classes', async () => {
    const path = join(folder, 'att_splits.mat');
    await writeMat(path, { att: matColumnsOf(vectors), allclasses_names: matCellOf(['a', 'b', 'c']) });
    const table = await readVectorTable(path);
    expect([table.names, [...table.vectors.copy().data]]).toEqual([
      ['a', 'b', 'c'],
      [1, 2, 3, 4, 5, 6],
    ]);
    await expect(readVectorTable(path, { array: 'original_att' })).rejects.toThrow(/no variable "original_att"/);
  });

  it('say which array is missing, and that a number is none', async () => {
    const path = join(folder, 'other.npz');
    await writeNpz(path, { names, things: vectors });
    await expect(readVectorTable(path)).rejects.toMatchObject({ hint: 'It has: names, things.' });
    expect((await readVectorTable(path, { array: 'things' })).vectors.cols).toBe(2);
    await writeNpz(path, { names, vectors: Matrix.from([[1], [Number.NaN], [2]]) });
    await expect(readVectorTable(path)).rejects.toThrow(/"Geai bleu" holds numbers that are not finite/);
  });

  it('have one key however a name is written', () => {
    expect(new Set(['Étoile-du-matin', 'etoile du Matin', '007.Etoile_du_matin'].map(nameKey)).size).toBe(1);
  });
});

describe('a taxonomy', () => {
  const ranks = 'order,family,name\nA,F,x\nA,F,y\nA,G,z\nB,,w\n';
  const product = (table: Awaited<ReturnType<typeof readTaxonomy>>, a: string, b: string) => {
    const [left, right] = [a, b].map((name) => table.vectors.row(table.names.indexOf(name)));
    return left.reduce((sum, value, j) => sum + value * right[j], 0);
  };

  it('makes the product of two categories the information of their lowest common ancestor', async () => {
    const table = await readTaxonomy(await file('ranks.csv', ranks));
    expect(product(table, 'x', 'y')).toBeCloseTo(Math.log(4 / 2), 5);
    expect(product(table, 'x', 'z')).toBeCloseTo(Math.log(4 / 3), 5);
    expect(product(table, 'x', 'w')).toBe(0);
    for (const name of table.names) expect(product(table, name, name)).toBeCloseTo(Math.log(4), 5);
  });

  it('says the same from edges', async () => {
    const edges = 'child,parent\nA,root\nB,root\nF,A\nG,A\nx,F\ny,F\nz,G\nw,B\n';
    const table = await readTaxonomy(await file('edges.csv', edges));
    expect(product(table, 'x', 'y')).toBeGreaterThan(product(table, 'x', 'z'));
    expect(product(table, 'x', 'z')).toBeGreaterThan(product(table, 'x', 'w'));
    expect(product(table, 'x', 'w')).toBe(0);
  });

  it.each([
    ['circle.csv', 'child,parent\na,b\nb,a\n', /its own ancestor/],
    ['parents.csv', 'child,parent\na,b\na,c\n', /"a" has two parents/],
    ['flat.csv', 'name\na\n', /holds no hierarchy/],
    ['again.csv', 'name,order\na,b\na,c\n', /"a" is there a second time/],
  ])('refuses %s and says why', async (name, content, message) => {
    await expect(readTaxonomy(await file(name, content))).rejects.toThrow(message);
  });
});
