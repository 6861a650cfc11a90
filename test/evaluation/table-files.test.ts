import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pValue, tableCells, writeTable } from '../../src/evaluation/table-files.js';
import { readCsv } from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';

type Table = Parameters<typeof tableCells>[0];

const folder = temporaryFolder();
const score = (mean: number) => ({ mean, deviation: 0.01, low: mean - 0.1, high: mean + 0.1 });
const row = (method: string, changes: object = {}) => ({
  ...{ method, uses: ['web', 'vectors'], accuracy: score(0.5), meanCategoryAccuracy: score(0.4), seeds: [1] },
  ...{ seconds: 1.234, searchSeconds: 12.34, chosenBy: 'validation', validationAccuracy: 0.625, parameters: {} },
  ...changes,
});
const table = (changes: object = {}) =>
  ({
    ...{ title: 'A table', setting: 'standard', seeds: [1], trials: 0, reference: 'lr', skipped: [], failed: [] },
    problem: {
      ...{ testPictures: 10, testCategories: 2, webPictures: 20, auxiliaryPictures: 30, auxiliaryCategories: 3 },
    },
    rows: [
      row('lr'),
      row('worse', { againstReference: { difference: -0.125, mcnemar: 0.0004 } }),
      row('be|tter', { againstReference: { difference: 0.0525, mcnemar: 0.25 } }),
    ],
    ...changes,
  }) as unknown as Table;

describe('the table of a comparison', () => {
  it('says how far each method is ahead of the reference, or behind', () => {
    const { titles, rows } = tableCells(table());
    expect(titles).toEqual(['method', 'accuracy %', '95 % interval', 'per category %', 'against lr', 'seconds']);
    expect(rows.map((cells) => cells[4])).toEqual(['', '−12.50 (p < 0.001)', '+5.25 (p 0.250)']);
    expect(rows[0].slice(0, 4)).toEqual(['lr', '50.00', '40.00–60.00', '40.00']);
    expect(pValue(0.001)).toBe('0.001');
  });

  it('has more columns where there is more to say', () => {
    const full = table({
      ...{
        setting: 'generalized',
        seeds: [1, 2],
        trials: 5,
        paper: { dataset: 'CUB', citation: 'c', recognisedBy: 'r' },
      },
      rows: [
        row('lr', {
          ...{ seen: score(0.3), unseen: score(0.2), harmonic: score(0.24), ausuc: 0.1234, paperAccuracy: 61.5 },
          strangers: { recognized: 0.75, mistaken: 0.1, area: 0.8 },
        }),
      ],
    });
    const { titles, rows } = tableCells(full);
    expect(Object.fromEntries(titles.map((title, j) => [title, rows[0][j]]))).toMatchObject({
      ...{
        '± seeds': '1.00',
        seen: '30.00',
        unseen: '20.00',
        harmonic: '24.00',
        AUSUC: '0.123',
        'paper (CUB)': '61.50',
      },
      ...{ 'search s': '12.3', 'validation %': '62.50' },
    });
    expect(titles).toContain('strangers recognized %');
  });

  it('has a column for every figure of the generalized setting', async () => {
    const scores = { seen: score(0.3), unseen: score(0.2), harmonic: score(0.24), ausuc: 0.1234 };
    const columns = async (setting: string) => {
      await writeTable(join(folder, setting), table({ setting, rows: [row('lr', scores)] }));
      const { header, rows } = await readCsv(join(folder, setting, 'table.csv'));
      return Object.fromEntries(header!.map((name, j) => [name, rows[0][j]]));
    };
    expect(await columns('generalized')).toMatchObject({
      ...{ seen: '0.3', seen_high: '0.4', unseen: '0.2', unseen_deviation: '0.01', harmonic: '0.24', ausuc: '0.1234' },
    });
    expect(await columns('standard')).not.toHaveProperty('seen');
  });

  it('gives other programs every figure of a row under a name that stays', async () => {
    const four = (name: string, mean: number) => ({
      ...{ [name]: mean, [`${name}_deviation`]: 0.01, [`${name}_low`]: mean - 0.1, [`${name}_high`]: mean + 0.1 },
    });
    const full = row('lr', {
      ...{ seen: score(0.3), unseen: score(0.2), harmonic: score(0.24), ausuc: 0.1234, thetaArea: 0.9, seeds: [1, 2] },
      ...{ strangers: { recognized: 0.75, mistaken: 0.1, area: 0.8 }, trials: 6, failedTrials: 2, paperAccuracy: 61.5 },
      ...{ parameters: { ridge: 2 }, againstReference: { difference: 0.1, mcnemar: 0.2 } },
      ...{ againstBest: { difference: -0.3, mcnemar: 0.4 } },
    });
    await writeTable(join(folder, 'full'), table({ setting: 'generalized', rows: [full, row('knn')] }));
    const { header, rows } = await readCsv(join(folder, 'full', 'table.csv'));
    const expected = {
      ...{ method: 'lr', uses: 'web vectors' },
      ...{ ...four('accuracy', 0.5), ...four('mean_category_accuracy', 0.4), ...four('seen', 0.3) },
      ...{ ...four('unseen', 0.2), ...four('harmonic', 0.24), ausuc: 0.1234, theta_area: 0.9 },
      ...{ strangers_recognized: 0.75, listed_mistaken_for_strangers: 0.1, stranger_area: 0.8 },
      ...{ seeds: 2, seconds: 1.234, search_seconds: 12.34, chosen_by: 'validation', validation_accuracy: 0.625 },
      ...{ trials: 6, failed_trials: 2, parameters: '{"ridge":2}', paper_accuracy_percent: 61.5 },
      ...{ difference_to_reference: 0.1, mcnemar_reference: 0.2, difference_to_best: -0.3, mcnemar_best: 0.4 },
    };
    expect(header).toEqual(Object.keys(expected));
    expect(rows[0]).toEqual(Object.values(expected).map(String));
    expect(rows[1][header!.indexOf('strangers_recognized')]).toBe('');
    await writeTable(join(folder, 'none'), table());
    expect((await readCsv(join(folder, 'none', 'table.csv'))).header).not.toContain('stranger_area');
  });

  it('tells people which parameters were chosen, and how, below what there is to say', async () => {
    const rows = [row('lr', { parameters: { ridge: 2, share: 0.5 }, note: 'slow' }), row('knn')];
    const paper = { dataset: 'CUB', citation: 'Niu', recognisedBy: 'names' };
    await writeTable(join(folder, 'people'), table({ rows, paper, trials: 4, seeds: [1, 2, 3] }));
    const blocks = (await readFile(join(folder, 'people', 'table.md'), 'utf8')).split('\n\n');
    expect(blocks).toHaveLength(6);
    expect(blocks[1]).toContain('parameters by 4 trials on validation categories; 3 seeds.');
    expect(blocks[2].split('\n')[1]).toMatch(/^\| --- \|( ---: \|)+$/);
    expect(blocks[2].split('\n')).toHaveLength(4);
    expect(blocks[3].split('\n')).toHaveLength(2);
    expect(blocks[3]).toContain('\n- lr: slow');
    expect(blocks[5]).toBe(
      '| method | chosen by | parameters |\n| --- | --- | --- |\n| lr | validation | ridge 2, share 0.5 |\n',
    );
    await writeTable(join(folder, 'bare'), table());
    expect((await readFile(join(folder, 'bare', 'table.md'), 'utf8')).split('\n\n')).toHaveLength(3);
  });

  it('is written for programs and for people', async () => {
    const skipped = [{ method: 'gfk', reason: 'no words' }];
    const failed = [{ job: 'svm-1', message: 'out of memory' }];
    await writeTable(folder, table({ skipped, failed }));
    const { header, rows } = await readCsv(join(folder, 'table.csv'));
    const cell = (line: number, name: string) => rows[line][header!.indexOf(name)];
    expect(rows.map(([method]) => method)).toEqual(['lr', 'worse', 'be|tter']);
    expect([cell(1, 'difference_to_reference'), cell(1, 'mcnemar_reference'), cell(0, 'uses')]).toEqual([
      '-0.125',
      '0.0004',
      'web vectors',
    ]);
    expect(cell(0, 'difference_to_reference')).toBe('');
    const page = await readFile(join(folder, 'table.md'), 'utf8');
    expect(page).toContain('# A table');
    expect(page).toContain('default parameters; one seed.');
    expect(page).toContain('| be\\|tter |');
    expect(page).toContain('- gfk was skipped: no words\n- svm-1 failed: out of memory');
    expect(JSON.parse(await readFile(join(folder, 'table.json'), 'utf8')).title).toBe('A table');
  });
});
