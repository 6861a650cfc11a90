/** What the studio's server tells of pictures, answers and categories, and what people say of them. */
import { mkdirSync, rmSync } from 'node:fs';
import sharp from 'sharp';
import { beforeEach, describe, expect, it } from 'vitest';
import { fromMatrix, writeNpz } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import { answersView, recordAnswers } from '../../src/studio/answers.js';
import { Categories } from '../../src/studio/categories.js';
import { reasons } from '../../src/studio/classify.js';
import { correctUpload } from '../../src/studio/correct.js';
import { decide, gallery, pictureDetails, standing, undo } from '../../src/studio/gallery.js';
import { listPictures, readListed } from '../../src/studio/web-pictures.js';
import { openWorkspace, recordActs } from '../../src/workspace/index.js';
import { answer, folder, libraryWith, listing, path, useFolder, write, writeListing } from './written-workspace.js';

useFolder();

describe('the list of web pictures', () => {
  it('has a few words of each, and where the rest is', async () => {
    writeListing();
    const workspace = await openWorkspace(folder);
    const found = await listPictures(workspace);
    expect(found.map(({ id, title }) => [id, title])).toEqual([
      ['w1', 'a finch'],
      ['w2', `${'t'.repeat(159)}…`],
      ['w3', ''],
    ]);
    for (const [i, { line }] of found.entries()) expect(await readListed(workspace, line!)).toEqual(listing[i]);
    rmSync(path('.bowerbird'), { recursive: true });
    expect(await listPictures(workspace)).toEqual([]);
  });

  it('becomes columns with weights, decisions and categories in their order', async () => {
    writeListing();
    const library = libraryWith({
      weights: new Map([
        ['w1', 0.123456],
        ['w2', Number.NaN],
      ]),
    });
    await recordActs(await library.workspace(), [
      { ids: ['w3'], move: 'wren' },
      { ids: ['w2'], decision: 'drop' },
    ]);
    const view = await gallery(library);
    expect(view).toMatchObject({
      ...{ id: ['w1', 'w2', 'w3'], categories: ['wren', 'finch', 'jay'], targets: ['finch', 'wren'] },
      ...{ category: [1, 0, 0], foundFor: [1, 0, 2], sources: ['flickr', 'urls'], source: [0, 1, 0] },
      ...{ weight: [0.1235, null, null], reason: [-1, -1, -1], shown: [1, 1, 1], decision: [0, 2, 3] },
    });
    expect(view).not.toHaveProperty('notice');
    expect(await standing(library)).toEqual({
      ...{ keep: 1, drop: 1, undoable: 2, of: { w2: 'drop', w3: 'keep' }, moved: { w3: 'wren' } },
    });
    expect((await undo(library)).undoable).toBe(1);
    expect((await decide(library, { decision: 'keep', ids: ['w1'] })).of).toMatchObject({ w1: 'keep' });
    expect((await decide(library, { move: 'finch', ids: ['w1'] })).moved).toMatchObject({ w1: 'finch' });
  });

  it('tells of one picture what is known, with links that can do nothing but open a page', async () => {
    writeListing();
    const library = libraryWith({ weights: new Map([['w3', 0.5]]) });
    await recordActs(await library.workspace(), [{ ids: ['w3'], move: 'wren' }]);
    expect(await pictureDetails(library, 'w1')).toMatchObject({ category: 'finch', pageUrl: 'https://x/1' });
    expect((await pictureDetails(library, 'w2'))!.pageUrl).toBeUndefined();
    expect(await pictureDetails(library, 'w3')).toMatchObject({
      ...{ category: 'wren', foundFor: 'jay', weight: 0.5, licence: 'CC0', tags: ['é'] },
    });
    expect(await pictureDetails(library, 'none')).toBeUndefined();
  });

  it('takes no decision about what is not in it, and none that is none', async () => {
    writeListing();
    const library = libraryWith(undefined);
    for (const request of [
      ...[{ ids: ['w1'] }, { decision: 'maybe', ids: ['w1'] }, { decision: 'keep' }, { decision: 'keep', ids: [] }],
      ...[
        { decision: 'keep', ids: ['x'] },
        { decision: 'drop', ids: [7] },
        { move: 'jay', ids: ['w1'] },
      ],
      { decision: 'keep', ids: new Array(100_001).fill('w1') },
    ])
      await expect(decide(library, request)).rejects.toMatchObject({ name: 'ArgumentError' });
    // A duplicate of another web picture can be taken back, not dropped.
    write('.bowerbird/merges.jsonl', `${JSON.stringify({ removed: 'dup', stays: 'a'.repeat(24) })}\n`);
    await expect(decide(library, { decision: 'drop', ids: ['dup'] })).rejects.toThrow('none of the web pictures');
    expect((await decide(library, { decision: 'keep', ids: ['dup'] })).of).toEqual({ dup: 'keep' });
  });
});

describe('answers about test pictures', () => {
  const fit = () => ({
    predictions: new Map([
      ['wren/a.jpg', answer('finch', 0.87654321)],
      ['b.jpg', answer('wren', undefined, { unlisted: 0.9, runnerUp: 'finch' })],
      ['c.jpg', answer('wren', 0.6, { runnerUp: 'finch' })],
    ]),
  });
  beforeEach(() => {
    const rows = 'wren/a.jpg,wren/a.jpg,wren,0,0\nb.jpg,b.jpg,,0,1\nc.jpg,c.jpg,jay,0,2\n';
    write('features/test/index.csv', `id,path,category,shard,row\n${rows}`);
  });

  it('stand in columns: what is said, how surely, what comes second, what is true and what people said', async () => {
    const library = libraryWith(fit());
    await recordActs(await library.workspace(), [
      { ids: ['c.jpg'], label: null },
      { ids: ['b.jpg'], label: 'finch' },
    ]);
    expect(await answersView(library)).toEqual({
      ...{ names: ['wren', 'finch'], id: ['wren/a.jpg', 'b.jpg', 'c.jpg'], said: [1, -1, 0], second: [0, 0, 1] },
      ...{ confidence: [0.8765, 0.9, 0.6], truth: [0, null, -1], answered: [null, 1, -1] },
    });
    expect((await answersView(libraryWith(undefined))).id).toEqual([]);
  });

  it('are contradicted by name, each with what the fit said of it', async () => {
    const library = libraryWith(fit());
    const told = await recordAnswers(library, { ids: ['wren/a.jpg', 'b.jpg'], label: 'wren', by: ' ada ' });
    expect(told).toEqual({ answered: 2, undoable: 2 });
    const { answers } = await library.decisions();
    expect(answers.get('wren/a.jpg')![0]).toMatchObject({
      by: 'ada',
      label: 'wren',
      asked: { why: 'list', predicted: 'finch' },
    });
    expect(answers.get('b.jpg')![0].asked).toEqual({ why: 'list', predicted: null });
    for (const request of [
      ...[{ ids: [], label: 'wren' }, { label: 'wren' }, { ids: ['b.jpg'], label: 'jay' }, { ids: ['b.jpg'] }],
      ...[
        { ids: ['x'], label: null },
        { ids: [1], label: null },
        { ids: ['b.jpg'], label: null, by: 'n'.repeat(81) },
      ],
      ...[
        { ids: ['b.jpg'], label: null, by: 3 },
        { ids: new Array(10_001).fill('b.jpg'), label: null },
      ],
    ])
      await expect(recordAnswers(library, request)).rejects.toMatchObject({ name: 'ArgumentError' });
    await recordAnswers(library, { ids: ['b.jpg'], label: null, by: 'n'.repeat(80) });
  });
});

describe('the categories', () => {
  it('have cards, what is taken for what, and strangers in groups', async () => {
    writeListing();
    write(
      'features/test/index.csv',
      'id,path,category,shard,row\na,a,wren,0,0\nb,b,wren,0,1\nc,c,finch,0,2\nd,d,,0,3\n',
    );
    for (const name of ['crow', 'owl']) write(`aux/${name}/p.jpg`, '');
    const vectors = (rows: number[][]) => fromMatrix(Matrix.from(rows), 'float32');
    mkdirSync(path('words'));
    await writeNpz(path('words', 'semantics.npz'), [
      [
        'aux_semantics',
        vectors([
          [1, 0],
          [1, 1],
        ]),
      ],
      [
        'test_semantics',
        vectors([
          [0, 2],
          [0, 0],
        ]),
      ],
    ]);
    write('words/names.json', JSON.stringify([{ absent: ['owl', 'crow'] }, { absent: ['crow'] }]));
    const fit = {
      rows: { web: ['w1', 'w2', 'w2', 'gone'], test: ['a', 'b', 'c', 'd'] },
      weights: new Map([
        ['w1', 0.4],
        ['w2', 0.9],
      ]),
      metrics: { categories: { wren: 0.5 } },
      predictions: new Map([
        ['a', answer('wren', 0.9, { unlisted: 0.1 })],
        ['b', answer('finch', 0.8, { margin: 2, unlisted: 0.2 })],
        ['c', answer('finch', 0.7, { unlisted: 0.7, group: 0 })],
        ['d', answer('wren', 0.7, { unlisted: 0.95 })],
      ]),
      strangerGroups: [
        { group: 0, nearestListed: 'finch', nearestAuxiliary: 'owl' },
        { group: 1, nearestListed: 'wren', nearestAuxiliary: 'owl' },
      ],
    };
    const categories = new Categories(libraryWith(fit));
    const view = await categories.view();
    expect(view.cards).toMatchObject([
      { name: 'wren', webPictures: 2, testPictures: 2, accuracy: 0.5, answers: 1, wordless: false },
      { name: 'finch', webPictures: 1, testPictures: 1, accuracy: undefined, answers: 1, wordless: true, nearest: [] },
    ]);
    // A crow is absent from both lists of words, an owl from one.
    expect(view.cards[0].nearest).toEqual([{ name: 'owl', likeness: expect.closeTo(Math.SQRT1_2, 6) }]);
    expect(view.confusion).toEqual([
      [1, 1],
      [0, 1],
    ]);
    expect(view.strangers).toMatchObject({ pictures: 2, of: 4 });
    expect(view.strangers!.groups).toMatchObject([
      {
        nearestListed: 'finch',
        nearestAuxiliary: 'owl',
        count: 1,
        pictures: [{ id: 'c', category: 'finch', unlisted: 0.7 }],
      },
      { count: 1, pictures: [{ id: 'd', unlisted: 0.95 }] },
    ]);
    expect(await categories.confused('wren', 'finch')).toMatchObject({
      ...{ truth: 'wren', predicted: 'finch', mistaken: [{ set: 'test', id: 'b', confidence: 0.8 }] },
      ...{ ofTruth: [{ id: 'w2' }], ofPredicted: [{ id: 'w1', label: 'a finch' }] },
    });
    expect(await categories.examples('jay')).toEqual([{ set: 'web', id: 'w3', label: 'jay', category: 'jay' }]);
    const unfitted = await new Categories(libraryWith(undefined)).view();
    expect(unfitted).not.toHaveProperty('strangers');
    expect(unfitted.names).toEqual(['wren', 'finch']);
    expect(unfitted.cards.map(({ name, webPictures, testPictures }) => [name, webPictures, testPictures])).toEqual([
      ['wren', 0, 2],
      ['finch', 0, 1],
    ]);
    // Words of other categories than there are now say nothing.
    write('aux/tit/p.jpg', '');
    expect((await new Categories(libraryWith(undefined)).view()).cards.map(({ nearest }) => nearest)).toEqual([[], []]);
  });
});

describe('why an answer is given', () => {
  const base = { category: 'wren', noneOfThese: false, web: [], auxiliary: [] };
  const candidates = [
    { category: 'wren', score: 2, confidence: 0.6 },
    { category: 'finch', score: 1, confidence: 0.3 },
  ];
  const of = (more: object, mean = 0.5) => reasons({ ...base, candidates, ...more } as never, mean);
  const web = (...pictures: [string, number?][]) => pictures.map(([category, weight]) => ({ category, weight }));

  it('is how sure it is', () => {
    expect(of({ confidence: 0.8 })[0]).toContain('about 80 % are right');
    expect(of({ confidence: 0.79 })[0]).toContain('only about 79 % are right, and “finch” comes close (30 %)');
    expect(of({ confidence: 0.79, candidates: candidates.slice(0, 1) })[0]).toMatch(/79 % are right\.$/);
    expect(of({})[0]).toContain('cannot be said');
    expect(of({ noneOfThese: true, unlisted: 0.9 })[0]).toContain('none of the categories (90 %)');
    expect(of({ confidence: 1 })).toHaveLength(1);
  });

  it('is what the nearest pictures were found for', () => {
    const told = of({ confidence: 1, web: web(['wren', 0.5], ['wren', 0.4], ['wren'], ['finch', 0.9]) });
    expect(told[1]).toBe(
      '3 of the 4 web pictures most like it were found for “wren”, 1 of them trusted at least as much as the average.',
    );
    expect(told).toHaveLength(2);
    const other = of({
      confidence: 1,
      web: web(['wren'], ['jay'], ['finch'], ['jay']),
      auxiliary: web(['owl'], ['crow'], ['crow']),
    });
    expect(other.slice(1)).toEqual([
      '1 of the 4 web pictures most like it were found for “wren”.',
      'More of them were found for other categories, such as “jay”.',
      'Among the known categories it looks most like “crow”.',
    ]);
    expect(of({ confidence: 1, web: web(['wren'], ['jay']) })).toHaveLength(2);
  });
});

describe('a picture that was classified wrongly', () => {
  it('joins the others under its own name, never over another file', async () => {
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const library = libraryWith(undefined);
    const add = (name: string, label: string | null, content: Uint8Array = picture) =>
      correctUpload(library, content, { name, label });
    expect(await add('a.png', 'wren')).toEqual({ id: 'a.png', added: true });
    expect(await add('a.png', null)).toEqual({ id: 'a-2.png', added: true });
    expect(await add('C:\\x\\..b<>.jpg', 'wren')).toEqual({ id: 'b.jpg', added: true });
    expect(await add('odd', 'wren')).toEqual({ id: 'odd.png', added: true });
    expect(await add('.png', 'wren')).toEqual({ id: 'png.png', added: true });
    expect(await add('', 'wren')).toEqual({ id: 'picture.png', added: true });
    expect((await library.decisions()).answers.get('a-2.png')![0].label).toBeNull();
    // What is there already is answered only.
    write('features/test/index.csv', 'id,path,category,shard,row\nwren/a.png,a.png,wren,0,0\n');
    expect(await add('a.png', 'finch')).toEqual({ id: 'wren/a.png', added: false });
    const other = await sharp({ create: { width: 9, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect(await add('a.png', null, other)).toEqual({ id: 'unlisted/a.png', added: true });
    expect(await add('a.png', 'finch', other)).toEqual({ id: 'finch/a.png', added: true });
    await expect(add('a.png', 'jay')).rejects.toMatchObject({ name: 'ArgumentError' });
    await expect(add('a.png', 'wren', new Uint8Array(0))).rejects.toThrow('nothing was sent');
    await expect(add('a.png', 'wren', Buffer.from('no picture'))).rejects.toThrow('no picture that can be read');
  });
});
