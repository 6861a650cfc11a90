import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv, readNpy, writeNpy } from '../../src/formats/index.js';
import type { ClassifyAnswer } from '../../src/studio/api.js';
import { Categories } from '../../src/studio/categories.js';
import { classifyUpload, reasons } from '../../src/studio/classify.js';
import { compareRuns, comparison, lastChange } from '../../src/studio/comparison.js';
import { exportView } from '../../src/studio/export.js';
import { gallery, pictureDetails } from '../../src/studio/gallery.js';
import { Library } from '../../src/studio/library.js';
import { nearestPictures } from '../../src/studio/nearest.js';
import { overview } from '../../src/studio/overview.js';
import { listLeftOut } from '../../src/studio/web-pictures.js';
import { loadFeatures } from '../../src/vision/index.js';
import { classify, openWorkspace } from '../../src/workspace/index.js';
import { lockWorkspace } from '../../src/workspace/lock.js';
import { type World, writeConfiguration } from '../workspace/world.js';
import { finishedWorld } from './finished-world.js';

let world: World;
let library: Library;
beforeAll(async () => {
  world = await finishedWorld();
  library = new Library(world.folder);
}, 120_000);
afterAll(() => world.remove());

describe('the overview of a finished workspace', () => {
  it('says in one line what failed, however much it was', async () => {
    const file = world.path('.bowerbird', 'stages.json');
    const before = readFileSync(file, 'utf8');
    const states = JSON.parse(before);
    states.stages.crawl.failed = ['a.jpg: gone', 'b.jpg: gone', 'c.jpg: gone'];
    states.stages.words.failed = ['one name'];
    writeFileSync(file, JSON.stringify(states));
    const { warnings } = await overview(library);
    writeFileSync(file, before);
    expect(warnings).toContain('crawl: 3 pictures or questions failed, the first of them: a.jpg: gone');
    expect(warnings).toContain('words: one name');
    expect(warnings.join()).not.toContain('b.jpg');
  });
});

describe('the overview while a run is at work', () => {
  it('says what the run wrote down, and of the web pictures those that are listed', async () => {
    const { stages: checked } = await overview(library);
    const file = world.path('.bowerbird', 'stages.json');
    const before = readFileSync(file, 'utf8');
    const free = await lockWorkspace(await openWorkspace(world.folder));
    const states = JSON.parse(before);
    states.stages.fit = { ...states.stages.fit, state: 'failed', error: { message: 'no memory', hint: 'Buy some.' } };
    states.stages.words.failed = ['one name'];
    delete states.stages.compare;
    writeFileSync(file, JSON.stringify(states));
    const { stages: told, warnings } = await overview(library);
    const notice = (await gallery(library)).notice;
    writeFileSync(file, before);
    await free();
    const stateOf = Object.fromEntries(told.map(({ stage, state }) => [stage, state]));
    const done = Object.fromEntries(checked.map(({ stage, state }) => [stage, state]));
    expect(stateOf).toEqual({ ...done, fit: 'failed', compare: 'waiting' });
    expect(told.map(({ stage, needs }) => [stage, needs])).toEqual(checked.map(({ stage, needs }) => [stage, needs]));
    expect(told.find(({ stage }) => stage === 'fit')).toMatchObject({ reason: 'no memory', hint: 'Buy some.' });
    expect(told.find(({ stage }) => stage === 'words')!.notes).toEqual(['one name']);
    expect(told.find(({ stage }) => stage === 'dedupe')!.notes).toEqual([]);
    expect(warnings).toContain('The stage “fit” failed: no memory');
    expect(notice).toContain('when the run has ended');
  });
});

describe('fits', () => {
  const file = () => world.path('.bowerbird', 'stages.json');
  const finishedAt = (moment: string) => {
    const states = JSON.parse(readFileSync(file(), 'utf8'));
    states.stages.fit.finished = moment;
    writeFileSync(file(), JSON.stringify(states));
  };

  it('are in the order in which they were made, though the clock was set back', async () => {
    const before = readFileSync(file(), 'utf8');
    const first = (await library.fit())!.id;
    finishedAt('2001-01-01T00:00:00.000Z');
    expect((await library.fit())!.id).toMatch(/^2001/);
    expect((await overview(library)).runs.map(({ id }) => id)).toEqual([expect.stringMatching(/^2001/), first]);
    rmSync(world.path('.bowerbird', 'fits'), { recursive: true });
    writeFileSync(file(), before);
  });

  it('are shown though nothing can be kept', async () => {
    // In the place of a disk that cannot be written: a file where the folder should be.
    const fits = world.path('.bowerbird', 'fits');
    rmSync(fits, { recursive: true, force: true });
    writeFileSync(fits, '');
    const other = new Library(world.folder);
    expect((await overview(other)).stages.length).toBeGreaterThan(5);
    expect((await gallery(other)).weight.some((weight) => weight !== null)).toBe(true);
    rmSync(fits);
  });

  it('are kept once, under the moment they ended', async () => {
    const { id } = (await library.fit())!;
    expect(id).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/);
    expect((await new Library(world.folder).fit())!.id).toBe(id);
    expect(readdirSync(world.path('.bowerbird', 'fits'))).toEqual([id]);
  });
});

describe('the gallery of a finished workspace', () => {
  it('has every picture of the list with the weight of its row', async () => {
    const { id, weight, category, categories } = await gallery(library);
    const rows = JSON.parse(readFileSync(world.path('problem-pictures.json'), 'utf8')) as { web: string[] };
    const { rows: weights } = await readCsv(world.path('run', 'weights.csv'));
    for (const [i, [, name, theta]] of weights.entries()) {
      const at = id.indexOf(rows.web[i]);
      expect(categories[category[at]]).toBe(name);
      expect(weight[at]).toBeCloseTo(Number(theta), 3);
    }
    expect(weight.filter((one) => one !== null)).toHaveLength(rows.web.length);
  });

  it('names why a picture was left out', async () => {
    const { reason, reasons: words, id } = await gallery(library);
    const leftOut = id.filter((_, i) => reason[i] >= 0);
    expect(leftOut).toHaveLength(1);
    expect(words).toEqual(['duplicate-exact']);
    expect(await pictureDetails(library, leftOut[0])).toMatchObject({
      category: 'green jay',
      reason: 'duplicate-exact',
    });
  });

  it('knows what was left out by a crawl that did not come to close its catalog', async () => {
    const id = 'd'.repeat(24);
    const picture = {
      id,
      category: 'red wren',
      source: 's',
      sourceId: 'x',
      rank: 50,
      imageUrl: 'file:x',
      licence: 'cc0',
    };
    const killed = `
      const { openCatalog } = await import(${JSON.stringify(new URL('../../dist/catalog/index.js', import.meta.url).href)});
      const catalog = await openCatalog(${JSON.stringify(world.folder)});
      catalog.recordPage([${JSON.stringify(picture)}], { category: 'red wren', source: 's', nextRank: 51, state: 'open' });
      catalog.move({ id: '${id}', from: 'found', to: 'dropped', reason: 'licence' });
      process.kill(process.pid, 'SIGKILL');`;
    expect(spawnSync(process.execPath, ['--input-type=module', '--eval', killed]).signal).toBe('SIGKILL');
    const ids = (await listLeftOut(await openWorkspace(world.folder))).map((one) => one.id);
    expect(ids).toContain(id);
  });

  it('makes no link of an address that could run a script', async () => {
    const id = 'e'.repeat(24);
    const picture = { id, path: 'web/x.png', category: 'red wren', source: 's', rank: 9, address: '', sha256: '' };
    const hostile = { ...picture, licence: 'cc0', pageUrl: 'javascript:alert(1)', licenceUrl: 'https://example.org/' };
    appendFileSync(world.path('.bowerbird', 'pictures.jsonl'), `${JSON.stringify(hostile)}\n`);
    const details = await pictureDetails(library, id);
    expect(details).toMatchObject({ licenceUrl: 'https://example.org/' });
    expect(details?.pageUrl).toBeUndefined();
  });
});

describe('the categories of a finished workspace', () => {
  it('are confused as the predictions say', async () => {
    const categories = new Categories(library);
    const { names, confusion, map } = await categories.view();
    const { header = [], rows } = await readCsv(world.path('run', 'predictions.csv'));
    const [name, truth] = ['name', 'truth'].map((column) => header.indexOf(column));
    for (const [i, one] of names.entries())
      for (const [j, other] of names.entries()) {
        const expected = rows.filter((row) => row[truth] === one && row[name] === other).length;
        expect(confusion![i][j]).toBe(expected);
        const { mistaken } = await categories.confused(one, other);
        expect(mistaken.map(({ id }) => id.split('/')[0])).toEqual(Array(expected).fill(one));
      }
    expect(map!.pictures).toHaveLength(rows.length);
  });

  it('have those auxiliary categories nearest that share a word with them', async () => {
    const { cards } = await new Categories(library).view();
    for (const { name, nearest } of cards)
      for (const other of nearest.slice(0, 2))
        expect(
          other.name.split(' ').some((word) => name.split(' ').includes(word)),
          `${name}: ${other.name}`,
        ).toBe(true);
  });
});

describe('a picture to classify', () => {
  it('gets the answer that the command gives, and its own twin as the nearest picture', async () => {
    const file = world.path('web', 'blue finch', readdirSync(world.path('web', 'blue finch'))[0]);
    // A picture that has left the list, as after a decision, is none to show.
    const index = world.path('features', 'web', 'index.csv');
    const before = readFileSync(index, 'utf8');
    writeFileSync(index, `${before}gone,gone.png,blue finch,0,0\n`);
    const { pictures } = await classify(await openWorkspace(world.folder), [file]);
    const answer = await classifyUpload(library, readFileSync(file), new AbortController().signal);
    writeFileSync(index, before);
    expect(answer.category).toBe(pictures[0].category);
    expect(answer.confidence).toBeCloseTo(pictures[0].confidence!, 6);
    expect(answer.web[0].likeness).toBeCloseTo(1, 5);
    expect(answer.candidates.reduce((sum, { confidence }) => sum + confidence!, 0)).toBeCloseTo(1, 6);
    const scores = answer.candidates.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    const weights = [...(await library.fit())!.weights.values()];
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    expect(answer.why).toEqual(reasons(answer, mean));
    expect(answer.why[1]).toContain('trusted at least as much as the average');
    for (const { id, weight } of answer.web) expect(weight).toBe((await library.fit())!.weights.get(id));
  });

  it('has the neighbours that a plain search finds', async () => {
    const folder = world.path('features', 'auxiliary');
    const { ids, features } = await loadFeatures(folder);
    const cosine = (i: number, j: number) => {
      let [product, a, b] = [0, 0, 0];
      for (let k = 0; k < features.cols; k++) {
        product += features.at(i, k) * features.at(j, k);
        a += features.at(i, k) ** 2;
        b += features.at(j, k) ** 2;
      }
      return product / Math.sqrt(a * b);
    };
    for (const i of [0, 7, 20]) {
      const expected = ids.map((_, j) => cosine(i, j)).sort((a, b) => b - a);
      const found = await nearestPictures(folder, features.row(i), 6);
      expect(found.map(({ likeness }) => likeness)).toEqual(expected.slice(0, 6).map((one) => expect.closeTo(one, 9)));
      expect(found[0].id).toBe(ids[i]);
    }
  });

  it('is told why in sentences that fit the figures', () => {
    const like = (category: string, weight: number) => ({
      ...{ set: 'web' as const, id: category, label: '', likeness: 0.9, category, weight },
    });
    const answer: Omit<ClassifyAnswer, 'why' | 'seconds'> = {
      category: 'wren',
      noneOfThese: false,
      confidence: 0.55,
      candidates: [
        { category: 'wren', score: 2, confidence: 0.55 },
        { category: 'finch', score: 1, confidence: 0.41 },
      ],
      web: [like('wren', 1.4), like('wren', 0.9), like('finch', 1), like('finch', 1), like('jay', 0)],
      auxiliary: [{ set: 'auxiliary', id: 'x', label: 'robin', category: 'robin', likeness: 0.8 }],
    };
    expect(reasons(answer, 1)).toEqual([
      'This is unsure: of pictures like it, only about 55 % are right, and “finch” comes close (41 %).',
      '2 of the 5 web pictures most like it were found for “wren”, 1 of them trusted at least as much as the average.',
      'More of them were found for other categories, such as “finch”.',
      'Among the known categories it looks most like “robin”.',
    ]);
    expect(reasons({ ...answer, unlisted: 0.8, confidence: 0.11, noneOfThese: true }, 1)[0]).toBe(
      'It probably shows none of the categories (80 %). If it does show one, “wren” is the likeliest.',
    );
  });
});

describe('what can be taken away', () => {
  it('is ready, and says why it is not what a run would make now, unless one is at work', async () => {
    expect(await exportView(library)).toMatchObject({ ready: true, stale: {} });
    const before = readFileSync(world.path('bowerbird.yaml'), 'utf8');
    writeConfiguration({ ...world, configuration: { ...world.configuration, learner: { method: 'lr' } } });
    const { stale } = await exportView(library);
    const free = await lockWorkspace(await openWorkspace(world.folder));
    const atWork = await exportView(library);
    await free();
    writeFileSync(world.path('bowerbird.yaml'), before);
    // The first cause, which is another than the last: tests before this one wrote into the list of pictures.
    expect(stale.classifier).toMatch(/^dedupe: /);
    expect(stale).not.toHaveProperty('report');
    expect(atWork).toMatchObject({ ready: true, stale: {} });
  });
});

describe('fits side by side', () => {
  it('stand beside the experiments of the workspace, but for folders of pictures', async () => {
    const plot = { title: 'λ', x: { label: 'λ1', scale: 'log' }, y: { label: 'accuracy (%)' }, series: [] };
    const result = (title: string) => ({ schema: 'bowerbird-experiment-1', title, plots: [plot] });
    const write = (content: object, ...folder: string[]) => {
      mkdirSync(world.path(...folder), { recursive: true });
      writeFileSync(world.path(...folder, 'experiment.json'), JSON.stringify(content));
    };
    write(result('one'), 'mine');
    write(result('two'), 'mine', 'below');
    write(result('three'), 'mine', 'below', 'too-deep');
    write(result('hidden'), '.hidden');
    write(result('pictures'), 'web', 'red wren');
    write({ ...result('other'), schema: 'something-else' }, 'elsewhere');
    const { experiments } = await comparison(library);
    expect(experiments.map(({ title }) => title)).toEqual(['one: λ', 'two: λ']);
    expect(experiments[0].x).toEqual({ label: 'λ1', log: true });
    for (const name of ['mine', '.hidden', 'elsewhere']) rmSync(world.path(name), { recursive: true });
    rmSync(world.path('web', 'red wren', 'experiment.json'));
  });

  it('agree with themselves', async () => {
    const { runs, table, trace } = await comparison(library);
    expect(runs).toHaveLength(1);
    expect(table!.rows.map(({ method }) => method).sort()).toEqual(['eszsl', 'lr', 'paper']);
    expect(trace!.iteration.length).toBeGreaterThan(1);
    const same = (await compareRuns(library, runs[0].id, runs[0].id))!;
    expect(same).toMatchObject({
      testPictures: 18,
      agreeing: 18,
      onlyFirstRight: 0,
      onlySecondRight: 0,
      p: 1,
      changed: [],
    });
    for (const { first, second } of same.weights) expect(first).toBe(second);
  });

  it('differ in answers, in who was right, and in the weights of web pictures', async () => {
    const [{ id }] = (await comparison(library)).runs;
    const fits = (...parts: string[]) => world.path('.bowerbird', 'fits', ...parts);
    const other = '2030-01-01T00-00-00-000Z';
    cpSync(fits(id), fits(other), { recursive: true });
    const about = JSON.parse(readFileSync(fits(id, 'about.json'), 'utf8'));
    writeFileSync(
      fits(other, 'about.json'),
      JSON.stringify({ ...about, finished: 'later', sequence: about.sequence + 1 }),
    );
    const first = [...(await library.fit())!.predictions];
    // Another fit that takes the first four pictures for another category.
    const lines = readFileSync(fits(id, 'predictions.csv'), 'utf8').split('\n');
    const column = lines[0].split(',').indexOf('name');
    const names = (await new Categories(library).view()).names;
    const changed = first.slice(0, 4).map(([picture, { name }]) => {
      const second = names[(names.indexOf(name) + 1) % 3];
      return { id: picture, first: name, second, truth: picture.split('/')[0] };
    });
    for (const [k, { second }] of changed.entries()) {
      const cells = lines[k + 1].split(',');
      lines[k + 1] = cells.with(column, second).join(',');
    }
    writeFileSync(fits(other, 'predictions.csv'), lines.join('\n'));
    const weights = await readNpy(fits(id, 'weights.npy'));
    const moved = Float64Array.from(weights.data as Float64Array, (value, i) =>
      i === 2 ? value + 5 : i === 3 ? value - 2 : value,
    );
    await writeNpy(fits(other, 'weights.npy'), { ...weights, dtype: 'float64', data: moved });

    const found = (await compareRuns(library, id, other))!;
    const right = (which: 'first' | 'second') => changed.filter((one) => one[which] === one.truth).length;
    expect(found).toMatchObject({ testPictures: 18, agreeing: 14, changes: 4 });
    expect([found.onlyFirstRight, found.onlySecondRight]).toEqual([right('first'), right('second')]);
    expect(
      found.changed.map(({ id: picture, first: a, second: b, truth }) => ({ id: picture, first: a, second: b, truth })),
    ).toEqual(changed);
    const pictures = (await library.fit())!.rows.web;
    expect(found.moves.map((one) => [one.id, one.second - one.first])).toEqual([
      [pictures[2], expect.closeTo(5, 9)],
      [pictures[3], expect.closeTo(-2, 9)],
    ]);
    expect(found.weights).toHaveLength(pictures.length);
    expect((await lastChange(library))!.first.id).toBe(id);
    rmSync(fits(other), { recursive: true });
    expect(await lastChange(library)).toBeUndefined();
  });

  it('are not found by a name that is none of them', async () => {
    expect(await compareRuns(library, '../..', '')).toBeUndefined();
  });
});
