import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { matCellOf, writeMat } from '../../src/formats/index.js';
import { readSplit } from '../../src/workspace/dataset/split.js';
import { datasetWorkspace, openWorkspace } from '../../src/workspace/index.js';
import { bowerbird } from './world.js';

let folder: string;
const path = (...parts: string[]) => join(folder, ...parts);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-dataset-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content = name): string {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), content);
  return path(name);
}

/** The layout of CUB_200_2011 with a few of its classes. */
function miniatureCub(classes: readonly string[], each = 2): void {
  const images: string[] = [];
  const labels: string[] = [];
  for (const [c, name] of classes.entries())
    for (let i = 0; i < each; i++) {
      const file = `${name}/${name.slice(4)}_${i}.jpg`;
      write(`CUB_200_2011/images/${file}`);
      images.push(`${images.length + 1} ${file}`);
      labels.push(`${labels.length + 1} ${c + 1}`);
    }
  write('CUB_200_2011/images.txt', `${images.join('\n')}\n`);
  write('CUB_200_2011/image_class_labels.txt', `${labels.join('\n')}\n`);
  write('CUB_200_2011/classes.txt', classes.map((name, c) => `${c + 1} ${name}\n`).join(''));
}

const cubClasses = [
  '001.Black_footed_Albatross',
  '002.Laysan_Albatross',
  '003.Sooty_Albatross',
  '004.Groove_billed_Ani',
];

describe('bowerbird dataset', () => {
  it('turns CUB_200_2011 into a workspace, with a split of its own', async () => {
    miniatureCub(cubClasses);
    write('split.txt', '# two of them\n[test]\nBlack footed Albatross\n004.Groove_billed_Ani\n');
    const summary = await datasetWorkspace('cub', path('CUB_200_2011'), path('cub'), { split: path('split.txt') });
    expect(summary.test).toEqual({ categories: 2, pictures: 4 });
    expect(readdirSync(path('cub/auxiliary'))).toEqual(['Laysan Albatross', 'Sooty Albatross']);
    expect(readdirSync(path('cub/test/Groove billed Ani'))).toHaveLength(2);
    expect(summary.notes[0]).toContain('150 auxiliary and 50 test');
    const { configuration } = await openWorkspace(path('cub'));
    expect(configuration.categories.map(({ name }) => name)).toEqual(['Black footed Albatross', 'Groove billed Ani']);
    expect(configuration).toMatchObject({
      ...{
        sources: [{ source: 'flickr' }],
        crawl: { perCategory: 100, validation: true },
        model: { name: 'resnet50' },
      },
      ...{ vectors: ['glove-100'], tune: { trials: 40 }, compare: { methods: ['table1'], tune: 20 } },
    });
    const picture = 'Groove_billed_Ani_0.jpg';
    expect(statSync(path('cub/test/Groove billed Ani', picture)).ino).toBe(
      statSync(path('CUB_200_2011/images/004.Groove_billed_Ani', picture)).ino,
    );
  });

  it('compares the split with that of the paper, test and auxiliary categories', async () => {
    const classes = Array.from({ length: 200 }, (_, i) => `${String(i + 1).padStart(3, '0')}.Bird_${i + 1}`);
    miniatureCub(classes, 1);
    const notesOf = async (test: number, auxiliary: number) => {
      const some = (from: number, count: number) => classes.slice(from, from + count).join('\n');
      write('split.txt', `[test]\n${some(0, test)}\n[auxiliary]\n${some(test, auxiliary)}\n`);
      const options = { split: path('split.txt') };
      return (await datasetWorkspace('cub', path('CUB_200_2011'), path(`${test}-${auxiliary}`), options)).notes.join();
    };
    expect(await notesOf(50, 150)).toBe('');
    expect(await notesOf(49, 150)).toContain('this split has 150 and 49');
    expect(await notesOf(50, 149)).toContain('this split has 149 and 50');
  });

  it('refuses a heading of a split that is none, whatever its name', async () => {
    for (const heading of ['testing', 'toString'])
      await expect(readSplit(write('split.txt', `[${heading}]\nAuk\n`), ['Auk'])).rejects.toThrow(
        `line 1: [${heading}] is not known`,
      );
  });

  it('knows the 150/50 split of CUB', async () => {
    const lines = readFileSync(new URL('../../splits/cub-150-50.txt', import.meta.url), 'utf8').split('\n');
    const names = lines.filter((line) => line && !/^[#[]/.test(line));
    expect(names).toHaveLength(50);
    expect(new Set(names).size).toBe(50);
    const others = Array.from({ length: 150 }, (_, i) => `${i}.Other_bird_${i}`);
    const split = await readSplit(fileURLToPath(new URL('../../splits/cub-150-50.txt', import.meta.url)), [
      ...names,
      ...others,
    ]);
    expect([split.test.length, split.auxiliary.length]).toEqual([50, 150]);
  });

  it('turns SUN Attribute into a workspace; names of scenes keep their qualifier', async () => {
    const scenes = ['a/abbey', 'b/balcony/exterior', 'i/inn/indoor', 'z/zoo'];
    const paths = scenes.flatMap((scene) => [`${scene}/sun_a.jpg`, `${scene}/sun_b.jpg`]);
    for (const name of paths) write(`sun/images/${name}`);
    await writeMat(path('sun/images.mat'), { images: matCellOf(paths) });
    await writeMat(path('sun/attributes.mat'), { attributes: matCellOf(['sailing', 'driving']) });
    write('split.txt', '[test]\ninn indoor\nb/balcony/exterior\n');
    const summary = await datasetWorkspace('sun', path('sun'), path('ws'), { split: path('split.txt') });
    expect(summary.auxiliary).toEqual({ categories: 2, pictures: 4 });
    expect(readdirSync(path('ws/test'))).toEqual(['balcony exterior', 'inn indoor']);
  });

  it('turns Stanford Dogs into a workspace; breeds that the split leaves out are left out', async () => {
    const breeds = ['n1-Chihuahua', 'n2-Japanese_spaniel', 'n3-Maltese_dog', 'n4-Pekinese', 'n5-dingo'];
    const paths = breeds.map((breed) => `${breed}/${breed.slice(0, 2)}_1.jpg`);
    for (const name of paths) write(`dogs/Images/${name}`);
    await writeMat(path('dogs/file_list.mat'), { file_list: matCellOf(paths) });
    write('split.txt', '[test]\nChihuahua\nPekinese\n[auxiliary]\nJapanese spaniel\nMaltese_dog\n');
    await datasetWorkspace('dogs', path('dogs'), path('ws'), { split: path('split.txt') });
    expect(readdirSync(path('ws/test'))).toEqual(['Chihuahua', 'Pekinese']);
    expect(readdirSync(path('ws/auxiliary'))).toEqual(['Japanese spaniel', 'Maltese dog']);
  });

  it('says that a split must be given where none is known for certain', async () => {
    mkdirSync(path('dogs'));
    const { code, stderr } = await bowerbird(['dataset', 'dogs', path('dogs'), '--out', path('ws')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--split FILE.*Akata/);
    expect(existsSync(path('ws'))).toBe(false);
  });

  it('names what is missing or does not fit', async () => {
    mkdirSync(path('empty'));
    await expect(datasetWorkspace('cub', path('empty'), path('ws'))).rejects.toThrow(/has no images\.txt/);
    miniatureCub(cubClasses);
    await expect(datasetWorkspace('cub', path('CUB_200_2011'), path('ws'))).rejects.toThrow(/none of the 4 categories/);
    write('both.txt', '[test]\nSooty Albatross\n[auxiliary]\nSooty Albatross\n');
    await expect(
      datasetWorkspace('cub', path('CUB_200_2011'), path('ws'), { split: path('both.txt') }),
    ).rejects.toThrow(/line 4.*under \[test\] and under \[auxiliary\]/);
  });
});
