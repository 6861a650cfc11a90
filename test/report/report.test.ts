import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChosenParameters, CompareTable } from '../../src/evaluation/index.js';
import { readAnswers, readFit, readWeights, writeFit } from '../../src/fit/index.js';
import { listedPictures, renderReport, writeReport } from '../../src/report/index.js';
import { commandLine } from '../../src/report/provenance.js';
import { readFolder } from '../../src/report/read-folder.js';
import { tuning } from '../../src/report/tuning.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hostileName, hostileText, makeFolders, type ReportFolders } from './folders.js';

interface Node {
  textContent: string;
  innerHTML: string;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<Node>;
}

describe('the report', () => {
  const root = temporaryFolder();
  let folders: ReportFolders;
  let text: string;
  let document: Node;

  beforeAll(async () => {
    folders = await makeFolders(root);
    const pictures = await listedPictures(folders.pictures, root);
    text = await renderReport({
      folders: [folders.compare, folders.tune, folders.experiment, folders.fit],
      title: `Birds ${hostileName}`,
      pictures,
      perCategory: 3,
      date: new Date('2026-01-02T03:04:05Z'),
    });
    document = parseHTML(text).document as unknown as Node;
  }, 60_000);

  const all = (selector: string) => [...document.querySelectorAll(selector)];
  const words = (node: Node) => node.textContent.replace(/\s+/g, ' ').trim();

  it('has no script, no handler and no address but data: and links, whatever the names are', () => {
    expect(all('script, iframe, object, embed, form')).toEqual([]);
    expect(text).not.toMatch(/<script|<img src=x/i);
    const attributes = [...text.matchAll(/<[a-z][^>]*?\s(on[a-z]+)=/gi)];
    expect(attributes).toEqual([]);
    for (const image of all('img')) expect(image.getAttribute('src')).toMatch(/^data:image\/webp;base64,/);
    for (const anchor of all('a')) expect(anchor.getAttribute('href')).toMatch(/^(#section-\d+|https?:\/\/)/);
    for (const link of all('link')) expect(link.getAttribute('href')).toBe('data:,');
    expect(text).not.toContain('@import');
    expect(words(all('h1')[0])).toBe(`Birds ${hostileName}`);
  });

  it('shows every method with its accuracy and interval, best first', async () => {
    const table = JSON.parse(await readFile(join(folders.compare, 'table.json'), 'utf8')) as CompareTable;
    const section = [...all('#section-1')][0];
    const rows = [...section.querySelectorAll('table')][0];
    const lines = [...rows.querySelectorAll('tbody tr')].map(words);
    expect(lines).toHaveLength(table.rows.length);
    const sorted = [...table.rows].sort((a, b) => b.accuracy.mean - a.accuracy.mean);
    sorted.forEach((row, i) => {
      const { mean, low, high } = row.accuracy;
      expect(lines[i]).toContain(row.title);
      expect(lines[i]).toContain((100 * mean).toFixed(1));
      expect(lines[i]).toContain(`${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}`);
    });
    const circles = [...section.querySelectorAll('figure')][0].querySelectorAll('.wide circle');
    expect([...circles]).toHaveLength(table.rows.length);
  });

  it('shows what was chosen, and a panel for each parameter', async () => {
    const chosen = JSON.parse(await readFile(join(folders.tune, 'chosen.json'), 'utf8')) as ChosenParameters;
    const section = [...all('#section-2')][0];
    expect(words(section)).toContain((100 * chosen.validationAccuracy).toFixed(1));
    const labels = [...section.querySelectorAll('figure .wide')].map((figure) => figure.getAttribute('aria-label'));
    for (const name of Object.keys(chosen.parameters)) expect(labels).toContain(`Validation accuracy against ${name}`);
  });

  it('draws a search whose trials are all equally good on an axis of its own', async () => {
    const search = await readFolder(folders.tune);
    if (search.kind !== 'tune') throw new Error('expected a search');
    const trials = search.trials.map((line) =>
      'outcome' in line ? { ...line, outcome: { ...line.outcome, meanCategoryAccuracy: 0.9875 } } : line,
    );
    const page = parseHTML(`<html><body>${tuning({ ...search, trials }).text}</body></html>`)
      .document as unknown as Node;
    const ticks = [...page.querySelectorAll('g[text-anchor="end"] text')].map(words);
    expect(ticks.length).toBeGreaterThan(0);
    for (const text of ticks) expect(text).not.toMatch(/\d\.\d{3}/);
  });

  it('draws the plots and tables of an experiment, and the comparison in it', () => {
    const section = [...all('#section-3')][0];
    expect(words(section)).toContain(hostileText);
    expect(words(section)).toContain('1.25');
    const [figure] = [...section.querySelectorAll('figure')];
    expect([...figure.querySelectorAll('.wide circle')]).toHaveLength(6);
    expect(words(section)).toContain('Accuracy within each category');
  });

  it('shows the web pictures of highest and lowest weight of an experiment as pictures, the extreme ones first', () => {
    const [high, low] = [...[...all('#section-3')][0].querySelectorAll('ul.gallery')];
    for (const [end, weights] of [
      [high, ['2.50', '2.25']],
      [low, ['0.50', '0.75']],
    ] as const) {
      expect([...end.querySelectorAll('img')]).toHaveLength(2);
      expect([...end.querySelectorAll('.weight')].map(words)).toEqual(weights);
    }
  });

  it('shows convergence, confusion, map and weights of a fit', async () => {
    const section = [...all('#section-4')][0];
    const labels = [...section.querySelectorAll('figure .wide')].map((figure) => figure.getAttribute('aria-label'));
    expect(labels).toEqual([
      'Accuracy within each category',
      'Confusion matrix of this fit',
      'Map of the learnt semantic vectors of test pictures and of the category vectors',
      'Residuals over the iterations',
      'Terms of the objective over the iterations',
      'Histogram of the weights of web pictures',
    ]);
    const rows = await readAnswers(folders.fit);
    const figures = [...section.querySelectorAll('figure')];
    const counts = [...figures[1].querySelectorAll('.wide text')]
      .map((node) => Number(words(node)))
      .filter((count) => !Number.isNaN(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rows.length);
    const right = rows.filter(({ name, truth }) => name === truth).length;
    expect([...figures[2].querySelectorAll('.wide circle')].length).toBe(right);
  });

  it('shows the pictures of highest and lowest weight with title, tags, source and licence', async () => {
    const rows = (await readWeights(folders.fit))!;
    const first = rows.filter(({ category }) => category === rows[0].category).map(({ weight }) => weight);
    const galleries = all('#section-4 ul').filter((node) => node.getAttribute('class') === 'gallery');
    const weightsIn = (node: Node) => [...node.querySelectorAll('.weight')].map((weight) => Number(words(weight)));
    const sorted = [...first].sort((a, b) => b - a).map((weight) => Number(weight.toFixed(2)));
    expect(weightsIn(galleries[0])).toEqual(sorted.slice(0, 3));
    expect(weightsIn(galleries[1])).toEqual(sorted.slice(-3).reverse());
    const [item] = [...galleries[0].querySelectorAll('li')];
    expect(words(item)).toContain('bird, nest');
    expect(words(item)).toContain(`by ${hostileName}, flickr · cc-by`);
    expect([...galleries[0].querySelectorAll('img')].length).toBeGreaterThan(0);
  });

  it('says how to repeat each part', () => {
    const commands = all('pre').map(words);
    expect(commands.some((line) => line.startsWith('bowerbird fit '))).toBe(true);
    const run = {
      configuration: { problem: "it's here.npz", lambda1: 0.5, thetaSolver: 'smo', generalized: true, stream: false },
    };
    expect(commandLine({ kind: 'fit', path: 'my run', run } as never)).toBe(
      String.raw`bowerbird fit 'it'\''s here.npz' --lambda1 0.5 --theta-solver smo --generalized --out 'my run'`,
    );
    const other = { configuration: { problem: 'p.npz', method: 'lr', parameters: { ridge: 2 } } };
    expect(commandLine({ kind: 'fit', path: 'run', run: other } as never)).toBe(
      'bowerbird fit p.npz --method lr --set ridge=2 --out run',
    );
    const named = {
      kind: 'experiment',
      path: 'out',
      run: { configuration: { experiment: 'theta', problem: 'built-in', methods: ['a', 'b'] } },
    };
    expect(commandLine(named as never)).toBe('bowerbird experiment theta --methods a,b --out out');
  });

  it('maps the decision values of a method that learns no semantic vectors', async () => {
    const page = parseHTML(await renderReport({ folders: [folders.other] })).document as unknown as Node;
    const maps = [...page.querySelectorAll('.wide')].filter((node) =>
      node.getAttribute('aria-label')?.startsWith('Map of the decision values'),
    );
    const rows = await readAnswers(folders.other);
    expect(maps).toHaveLength(1);
    expect([...maps[0].querySelectorAll('circle')]).toHaveLength(
      rows.filter(({ name, truth }) => name === truth).length,
    );
  });

  it('is the same for the same folders', async () => {
    const options = { folders: [folders.tune, folders.compare], date: new Date(0) };
    expect(await renderReport(options)).toBe(await renderReport(options));
  });

  it('works for a fit without labels, pictures, trace or model', async () => {
    const bare = join(root, 'bare');
    const { record, ...given } = await readFit(folders.other);
    const { labels: _, model: __, ...answers } = given;
    await writeFit(bare, { ...answers, metrics: {}, record });
    expect(await renderReport({ folders: [bare] })).toContain('without labels');
  });

  it('says what to do with a fit of another version', async () => {
    const old = join(root, 'old');
    await mkdir(old);
    await writeFile(join(old, 'predictions.csv'), 'row,name,category,distance,runner_up,margin\n0,Tern,0,1,Gull,2\n');
    await writeFile(join(old, 'run.json'), JSON.stringify({ configuration: {}, inputs: { problem: 'x' } }));
    await expect(renderReport({ folders: [old] })).rejects.toMatchObject({
      code: 'BOWERBIRD_FORMAT',
      message: expect.stringContaining('was written by another version of bowerbird'),
      hint: expect.stringContaining('Fit again'),
    });
  });

  it('names what is wrong with a folder', async () => {
    const empty = join(root, 'empty');
    await mkdir(empty);
    await expect(renderReport({ folders: [empty] })).rejects.toMatchObject({
      code: 'BOWERBIRD_USAGE',
      message: `${empty} holds no finished results`,
    });
    await writeFile(join(empty, 'trials.jsonl'), '');
    await expect(renderReport({ folders: [empty] })).rejects.toMatchObject({ hint: expect.stringContaining('begun') });
    await writeFile(join(empty, 'run.json'), '{}');
    await writeFile(join(empty, 'table.json'), '{"schema":"bowerbird-compare-9"}');
    await expect(renderReport({ folders: [empty] })).rejects.toMatchObject({ code: 'BOWERBIRD_FORMAT' });
    await expect(renderReport({ folders: [] })).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await writeFile(join(root, 'list.csv'), 'file\na.jpg\n');
    await expect(listedPictures(join(root, 'list.csv'), root)).rejects.toThrow('no column "row"');
    for (const row of ['abc', '-1', '']) {
      await writeFile(join(root, 'list.csv'), `row,file\n0,a.jpg\n${row},b.jpg\n`);
      await expect(listedPictures(join(root, 'list.csv'), root)).rejects.toThrow(`record 2 has "${row}"`);
    }
  });

  it('is written whole or not at all', async () => {
    const path = join(root, 'report.html');
    const { bytes } = await writeReport(path, { folders: [folders.tune] });
    expect((await readFile(path)).length).toBe(bytes);
  });
});
