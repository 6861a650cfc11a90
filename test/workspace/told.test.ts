/** What a workspace tells of its classifier elsewhere: the model card, records of fits, the facts in exported graphs, notes on names. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Matrix } from '../../src/linalg/index.js';
import type { RunRecord } from '../../src/records/index.js';
import { recordDecision } from '../../src/workspace/decisions.js';
import { graphMetadata } from '../../src/workspace/export/metadata.js';
import { modelCard } from '../../src/workspace/export/model-card.js';
import { keepRecords } from '../../src/workspace/records.js';
import { semanticBlock } from '../../src/workspace/semantics/block.js';
import { openWorkspace } from '../../src/workspace/workspace.js';

const given = vi.hoisted(() => ({
  metrics: {} as object,
  record: {} as object,
  kept: [] as [string, unknown][],
  broken: undefined as Error | undefined,
}));
vi.mock('../../src/fit/index.js', async (original) => ({
  ...(await original<object>()),
  readFitMetrics: async () => given.metrics,
  readFitRecord: async () => given.record,
}));
vi.mock('../../src/records/index.js', async (original) => ({
  ...(await original<object>()),
  writeEvents: async (folder: string, record: unknown) => void given.kept.push([folder, record]),
  logRun: async (server: string, record: unknown) => {
    if (given.broken) throw given.broken;
    given.kept.push([server, record]);
  },
}));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-told-'));
  mkdirSync(join(folder, '.bowerbird'));
  given.kept = [];
  given.broken = undefined;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const open = (more = '') => {
  writeFileSync(
    join(folder, 'bowerbird.yaml'),
    `name: Birds\ncategories: [gull, hawk]\nauxiliary: aux\ntest: test\n${more}`,
  );
  return openWorkspace(folder);
};

const record = {
  ...{ parameters: { lambda: 2, way: 'x' }, parametersFrom: 'tuned', seed: 5, method: 'lr', warnings: [] },
  ...{ backend: { description: 'wasm, 1 thread' }, inputs: { problem: 'abcdef0123456789ffff' } },
};
const features = {
  ...{ layer: 'pool', dimension: 8, reduction: 'flatten' },
  model: { name: 'net', source: 'npm:net@1', sha256: '0123456789abcdef0123', licence: 'MIT' },
  preprocessing: {
    resize: 'crop',
    size: [4, 6],
    channelOrder: 'RGB',
    scale: 1 / 255,
    mean: [1, 2, 3],
    deviation: [4, 5, 6],
  },
};
const model = { scorer: { names: ['gull', 'hawk'] }, method: 'lr', kind: 'linear' };
const problem = {
  ...{
    testNames: ['gull', 'hawk'],
    auxiliaryNames: ['crow'],
    webLabels: new Int32Array(3),
    auxiliaryLabels: new Int32Array(7),
  },
  ...{ testFeatures: Matrix.zeros(9, 8), testSemantics: Matrix.zeros(2, 5), webVouched: Uint8Array.of(1, 0, 1) },
};
const reliability = { pictures: 20, accuracy: 0.75, meanConfidence: 0.8, expectedCalibrationError: 0.05 };

describe('the model card', () => {
  const card = async (more: { model?: object; metrics?: object; problem?: object; yaml?: string } = {}) => {
    given.metrics = more.metrics ?? {};
    given.record = record;
    const picture = (id: string, category: string, source: string, licence: string) =>
      `${JSON.stringify({ id, category, source, licence })}\n`;
    writeFileSync(
      join(folder, '.bowerbird', 'pictures.jsonl'),
      picture('a', 'gull', 'flickr', 'CC0') +
        picture('b', 'hawk', 'flickr', 'BY') +
        picture('c', 'hawk', 'gbif', 'BY') +
        picture('d', 'crow', 'gbif', 'BY'),
    );
    const workspace = await open(more.yaml);
    return modelCard(
      workspace,
      { model: { ...model, ...more.model }, features } as never,
      { ...problem, ...more.problem } as never,
    );
  };

  it('says what went in, under which licences, and how it was made', async () => {
    await recordDecision(await open(), 'drop', ['b']);
    const text = await card();
    for (const line of [
      '# Birds',
      'Tells apart 2 categories for which no picture was labelled by hand: gull, hawk.',
      '- `scores`: 2 numbers in the order of categories.txt; the largest names the category',
      '- 3 web pictures of the 2 categories, found by name, 1 others were dropped by hand, 2 of them vouched for by hand: flickr (1), gbif (1)',
      '- 7 labelled pictures of 1 other categories',
      '- 9 pictures to classify, used without their answers',
      '- word vectors of 5 dimensions for all names',
      '- CC0: 1 web pictures',
      '- BY: 1 web pictures',
      '- network net: MIT',
      '- features: net (npm:net@1, sha256 0123456789abcdef…), layer pool, 8 numbers',
      '- preprocessing: crop to 4×6, RGB, (pixel · 0.00392157 − [1, 2, 3])/[4, 5, 6]',
      '- scores: linear',
      '- parameters (tuned): lambda = 2, way = x',
      '- semantic vectors: words',
      '- word vectors: glove-100',
      '- seed 5, wasm, 1 thread, problem abcdef0123456789…',
    ])
      expect(text.split('\n')).toContain(line);
    for (const heading of ['What it answers', 'Data', 'Licences', 'How it was made', 'Measured', 'Limits'])
      expect(text).toContain(`\n\n## ${heading}\n\n`);
    expect(text).not.toContain('`confidences`');
    expect(text).not.toContain('`unlisted`');
  });

  it('says what is not known', async () => {
    const yaml = 'vectors: { train: [a.txt, b.txt] }\n';
    const text = await card({ problem: { webVouched: undefined }, yaml });
    expect(text).toContain('not looked over by anybody: flickr (2), gbif (1)');
    expect(text).toContain('- The test pictures came without answers: the accuracy is not known.');
    expect(text).toContain('- The confidence is not calibrated: there were no validation categories.');
    expect(text).toContain('- word vectors: trained on a.txt, b.txt');
    expect(text).not.toContain('| category |');
    expect(text).toContain('- It answers with one of its 2 categories whatever a picture shows');
    expect(text).not.toContain('Fewer than half');
  });

  it('says how good it was found to be, and where it is weak', async () => {
    const metrics = {
      ...{ accuracy: 0.7, meanCategoryAccuracy: 0.6, categories: { gull: 0.5, hawk: 0.4999 } },
      calibration: { test: reliability, validation: { ...reliability, pictures: 30 } },
    };
    const text = await card({ metrics, model: { sharpness: {}, strangers: {} } });
    expect(text).toContain('- accuracy on the test pictures 70.0 %, mean over categories 60.0 %;');
    const said = 'accuracy 75.0 % with a mean confidence of 80.0 % on 20 pictures, expected calibration error 5.0 %';
    expect(text).toContain(`kept from the classifier: ${said}`);
    expect(text).toContain(`confidence, on the validation categories: ${said.replace('20', '30')}`);
    expect(text).toContain('\n\n| category | accuracy |\n| --- | --- |\n| gull | 50.0 % |\n| hawk | 50.0 % |');
    expect(text).toContain('- Fewer than half of the test pictures were right for: hawk.');
    expect(text).toContain('- `confidences`: the chance of each category, 2 numbers in the order of categories.txt');
    expect(text).toContain(
      '- `unlisted`: the chance that the picture shows none of the categories; above 0.5, say so.',
    );
    expect(text).toContain('- What shows none of the categories is recognized');
  });
});

describe('an exported graph', () => {
  it('says of itself all that a program needs to answer alike', () => {
    const found = graphMetadata({ ...model, sharpness: { temperature: 2 }, strangers: {} } as never, features as never);
    const facts = Object.fromEntries(Object.entries(found).map(([key, value]) => [key, JSON.parse(value)]));
    expect(facts).toMatchObject({
      ...{ 'bowerbird.categories': ['gull', 'hawk'], 'bowerbird.preprocessing': features.preprocessing },
      ...{ 'bowerbird.calibration': { temperature: 2 }, 'bowerbird.unlisted': { above: 0.5, answer: 'none of these' } },
      'bowerbird.network': {
        name: 'net',
        sha256: features.model.sha256,
        licence: 'MIT',
        layer: 'pool',
        reduction: 'flatten',
      },
    });
    expect(facts['bowerbird.version']).toMatch(/^\d+\./);
    const plain = graphMetadata(model as never, features as never);
    expect([plain['bowerbird.calibration'], plain['bowerbird.unlisted']]).toEqual(['null', 'null']);
  });
});

describe('records of a fit', () => {
  const result = {
    record: { ...record, parametersFrom: undefined },
    metrics: { accuracy: 0.5, categories: { gull: 1 } },
    trace: { objective: [1, 2] },
  } as never;
  const keep = async (yaml: string, signal?: AbortSignal) => {
    const notes: string[] = [];
    const started = Date.now() - 5000;
    await keepRecords(await open(yaml), result, { started, note: (message) => notes.push(message), signal });
    return notes;
  };

  it('are kept where the configuration says, and nowhere else', async () => {
    expect(await keep('')).toEqual([]);
    expect(given.kept).toEqual([]);
    expect(await keep('records: { tensorboard: events, mlflow: "http://127.0.0.1:5000" }\n')).toEqual([]);
    expect(given.kept.map(([where]) => where)).toEqual([join(folder, 'events'), 'http://127.0.0.1:5000']);
    const told = given.kept[0][1] as RunRecord;
    expect(told).toMatchObject({
      ...{ experiment: 'Birds', parameters: { lambda: '2', way: 'x', method: 'lr', seed: '5' } },
      ...{ metrics: { accuracy: 0.5 }, curves: { 'trace/objective': [1, 2] } },
      tags: { problem: 'abcdef0123456789ffff', backend: 'wasm, 1 thread', parameters_from: 'given' },
    });
    expect(told.metrics).not.toHaveProperty('categories');
    expect(told.metrics.seconds).toBeGreaterThanOrEqual(5);
    expect(told.metrics.seconds).toBeLessThan(600);
    expect(told.name).toMatch(/^lr \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(told.ended).toBeGreaterThan(told.started);
  });

  it('that cannot be kept are a note, unless the run is stopped', async () => {
    given.broken = new Error('no server there');
    const yaml = 'records: { mlflow: "http://127.0.0.1:5000" }\n';
    expect(await keep(yaml)).toEqual(['no record was kept: no server there']);
    await expect(keep(yaml, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });
});

describe('names and their vectors', () => {
  const names = ['gull', 'hawk', 'great auk', 'xyz'].map((name) => ({ name, aliases: [] }));
  const blockOf = async (kind: Parameters<typeof semanticBlock>[0], yaml = '') => {
    writeFileSync(join(folder, 'vectors.txt'), 'gull 1 0\nhawk 0 1\ngreat 1 1\n');
    const notes: string[] = [];
    const context = {
      workspace: await open(`vectors: vectors.txt\n${yaml}`),
      note: (message: string) => notes.push(message),
    };
    return { ...(await semanticBlock(kind, names, context as never)), notes };
  };

  it('without a vector are told at once, those known in part too', async () => {
    const { block, vectors, report, notes } = await blockOf({ kind: 'words' });
    expect(block).toEqual({ name: 'words', width: 2 });
    expect(report).toMatchObject({ kind: 'words', absent: ['xyz'] });
    expect([...vectors.row(3)]).toEqual([0, 0]);
    expect(notes[0]).toMatch(/^1 of 4 names have no word vector, .*: xyz;/);
    expect(notes[1]).toMatch(/^words without a vector were left out: .*auk/);
    await expect(blockOf({ kind: 'words' }, 'words: { missing: error }\n')).rejects.toMatchObject({
      ...{ name: 'ConfigurationError', message: expect.stringContaining('of the names lack word vectors') },
    });
  });

  it('that a table does not have are told, ten of them at most', async () => {
    writeFileSync(join(folder, 'table.csv'), 'name,a,b\ngull,1,2\n');
    const { block, vectors, report, notes } = await blockOf({ kind: 'attributes', file: 'table.csv' });
    expect(block).toEqual({ name: 'attributes', width: 2 });
    expect([...vectors.row(0)]).toEqual([1, 2]);
    expect(report).toEqual({ kind: 'attributes', absent: ['hawk', 'great auk', 'xyz'] });
    expect(notes).toEqual(['3 of 4 names are not in table.csv, which then says nothing of them: hawk, great auk, xyz']);
  });
});
