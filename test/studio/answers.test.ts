/** What people say of pictures in the studio, and what it tells them beforehand; without a browser. */
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answersView, recordAnswers } from '../../src/studio/answers.js';
import { correctUpload } from '../../src/studio/correct.js';
import { gallery, undo } from '../../src/studio/gallery.js';
import { Guesses } from '../../src/studio/guesses.js';
import { Library } from '../../src/studio/library.js';
import { loadFeatures } from '../../src/vision/index.js';
import { classify, openWorkspace, unlistedFolder } from '../../src/workspace/index.js';
import { drawPicture, type World } from '../workspace/world.js';
import { finishedWorld } from './finished-world.js';

let world: World;
let library: Library;
beforeAll(async () => {
  world = await finishedWorld({ compare: false });
  library = new Library(world.folder);
}, 120_000);
afterAll(() => world.remove());

describe('what web pictures look like', () => {
  it('is the answer of the classifier where it is another category', async () => {
    const { id, category, categories } = await gallery(library);
    const files = await Promise.all(id.map((one) => library.pictureFile('web', one)));
    const known = files.flatMap((file, i) => (file === undefined ? [] : [i]));
    const own = known.filter((i) => ['blue finch', 'red wren', 'green jay'].includes(categories[category[i]]));
    const { pictures } = await classify(
      await openWorkspace(world.folder),
      own.map((i) => files[i]!),
    );
    const listed = await library.listed();
    const expected = own.flatMap((i, k) =>
      listed.has(id[i]) && pictures[k].category !== categories[category[i]] ? [[id[i], pictures[k].category]] : [],
    );
    const differing = Object.entries(await new Guesses(library).differing()).map(([one, guess]) => [
      one,
      guess.category,
    ]);
    expect(differing.sort()).toEqual(expected.sort());
    expect(differing.length).toBeGreaterThan(0);
  });

  it('is shown by the six pictures most like one, without itself', async () => {
    const { ids, features } = await loadFeatures(world.path('features', 'web'));
    const listed = await library.listed();
    const at = ids.findIndex((id) => listed.get(id)?.category === 'red wren');
    const among = ids.flatMap((id, i) => (i !== at && listed.has(id) ? [{ id, row: features.row(i) }] : []));
    const length = (row: ArrayLike<number>) => Math.hypot(...Array.from(row));
    const own = features.row(at);
    const cosine = (row: ArrayLike<number>) =>
      Array.from(row).reduce((sum, value, k) => sum + value * own[k], 0) / length(row) / length(own);
    const expected = among
      .map(({ id, row }) => ({ id, likeness: cosine(row) }))
      .sort((a, b) => b.likeness - a.likeness);
    const { nearest, guess } = await new Guesses(library).likeness(ids[at], new AbortController().signal);
    expect(nearest.map(({ id }) => id)).toEqual(expected.slice(0, 6).map(({ id }) => id));
    for (const [k, { likeness }] of nearest.entries()) expect(likeness).toBeCloseTo(expected[k].likeness, 6);
    for (const { id, category, weight } of nearest) {
      expect(category).toBe(listed.get(id)!.category);
      expect(weight).toBe((await library.fit())!.weights.get(id));
    }
    expect(guess?.category).toMatch(/blue finch|red wren|green jay/);
    const nobody = await new Guesses(library).likeness('f'.repeat(24), new AbortController().signal);
    expect(nobody).toEqual({ nearest: [] });
  });
});

describe('what people say of the test pictures', () => {
  it('stands beside the answers, which are those of the fit', async () => {
    const view = await answersView(library);
    const { predictions } = (await library.fit())!;
    expect(view.id).toEqual([...predictions.keys()]);
    expect(view.names).toEqual(['blue finch', 'red wren', 'green jay']);
    for (const [i, id] of view.id.entries()) {
      const { name, runnerUp, confidence } = predictions.get(id)!;
      expect([view.names[view.said[i]], view.names[view.second[i]]]).toEqual([name, runnerUp]);
      expect(view.confidence[i]).toBeCloseTo(confidence!, 3);
      expect(view.names[view.truth[i]!]).toBe(id.split('/')[0]);
    }
    const [one, other] = view.id;
    expect(await recordAnswers(library, { ids: [one], label: 'green jay', by: ' Ada ' })).toMatchObject({
      answered: 1,
    });
    expect(await recordAnswers(library, { ids: [other], label: null })).toMatchObject({ answered: 2, undoable: 2 });
    const { answered } = await answersView(library);
    expect(answered.slice(0, 3)).toEqual([view.names.indexOf('green jay'), -1, null]);
    expect(readFileSync(world.path('.bowerbird', 'decisions.jsonl'), 'utf8')).toContain('"Ada"');
    while ((await undo(library)).undoable > 0);
    expect((await answersView(library)).answered.every((said) => said === null)).toBe(true);
  });

  it.each([
    [{ ids: [], label: null }, /list of 1 to 10000/],
    [{ ids: 'all', label: null }, /list of 1 to 10000/],
    [{ ids: ['green jay/nowhere.png'], label: null }, /none of the test pictures/],
    [{ ids: [5], label: null }, /none of the test pictures/],
    [{ ids: ['x'], label: 'dodo' }, /"dodo" is none of the categories/],
    [{ ids: ['x'] }, /is none of the categories/],
    [{ ids: ['x'], label: null, by: 'n'.repeat(81) }, /at most 80 characters/],
    [{ ids: ['x'], label: null, by: 7 }, /at most 80 characters/],
  ])('is refused where it makes no sense: %j', async (request, message) => {
    await expect(recordAnswers(library, request)).rejects.toThrow(message);
  });

  it('joins the test pictures where it is of another picture, under a name that is a file’s and nothing more', async () => {
    const picture = await drawPicture('green jay', 4321);
    const correct = (name: string, label: string | null = 'green jay') =>
      correctUpload(library, picture, { name, label });
    await expect(correct('a.png', 'dodo')).rejects.toThrow('"dodo" is none of the categories');
    expect(await correct('..\\..\\odd/.hidden?.PNG')).toEqual({ id: 'green jay/hidden.PNG', added: true });
    expect(readFileSync(world.path('test', 'green jay', 'hidden.PNG')).equals(picture)).toBe(true);
    expect(await correct('hidden.PNG')).toEqual({ id: 'green jay/hidden-2.PNG', added: true });
    expect(await correct('script.exe', null)).toEqual({ id: `${unlistedFolder}/script.exe.png`, added: true });
    expect(await correct('.png', null)).toEqual({ id: `${unlistedFolder}/png.png`, added: true });
    // One that is among the test pictures already is only answered.
    const [known] = (await library.own('test')).values();
    const content = readFileSync(world.path('test', known.path));
    expect(await correctUpload(library, content, { name: known.path, label: 'red wren' })).toEqual({
      id: known.id,
      added: false,
    });
    expect((await answersView(library)).answered[0]).toBe(1);
    rmSync(world.path('test', unlistedFolder), { recursive: true });
    for (const name of ['hidden.PNG', 'hidden-2.PNG']) rmSync(world.path('test', 'green jay', name));
    while ((await undo(library)).undoable > 0);
  });
});
