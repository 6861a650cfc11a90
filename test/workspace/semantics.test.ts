/** Kinds of vectors that describe categories, from a file to the fit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeNpz } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/index.js';
import { readProblem } from '../../src/problem/index.js';
import {
  type ConfigurationError,
  openWorkspace,
  runWorkspace,
  type StageName,
  type WrittenConfiguration,
} from '../../src/workspace/index.js';
import { auxiliaryNames, bowerbird, makeWorld, testNames, type World, writeConfiguration } from './world.js';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 5, test: 3, web: 4, validation: false });
  const names = [...auxiliaryNames, ...testNames];
  const lines = names.map((name) => `${name.replace(' ', '_')},${name.split(' ').join(',')}`);
  writeFileSync(world.path('attributes.csv'), `name,colour,kind\n${lines.slice(0, -1).join('\n')}\n`);
  writeFileSync(
    world.path('taxonomy.csv'),
    `kind,name\n${names.map((name) => `${name.split(' ')[1]},${name}`).join('\n')}\n`,
  );
  const vectors = Matrix.from(names.map((_, i) => [i, 1, i * i, 3]));
  await writeNpz(world.path('names.npz'), { names: { dtype: 'string', shape: [names.length], data: names }, vectors });
});
afterAll(() => world.remove());

async function run(change: Partial<WrittenConfiguration>, until: StageName) {
  writeConfiguration(world, { text: false, ...change });
  const notes: string[] = [];
  const report = await runWorkspace(await openWorkspace(world.folder), {
    until,
    onNote: (message, kind) => kind === 'note' && notes.push(message),
  });
  return { report, notes };
}

describe('semantics of a workspace', { timeout: 120_000 }, () => {
  it('of several kinds stand beside each other as blocks at unit length, zeros where a kind does not know a name', async () => {
    const semantics = [
      'words' as const,
      { attributes: 'attributes.csv' },
      { taxonomy: 'taxonomy.csv' },
      { names: 'names.npz' },
    ];
    const { report, notes } = await run({ semantics }, 'problem');
    expect(notes).toContain(
      'words: 1 of 9 names are not in attributes.csv, which then says nothing of them: green jay',
    );
    expect(report.stages.find(({ stage }) => stage === 'words')?.summary).toBe(
      '9 names, words (9), attributes (9), taxonomy (12), names (4)',
    );
    const { semanticBlocks, testSemantics, auxiliarySemantics } = await readProblem(world.path('problem.npz'));
    expect(semanticBlocks).toEqual([
      { name: 'words', width: 9 },
      { name: 'attributes', width: 9 },
      { name: 'taxonomy', width: 12 },
      { name: 'names', width: 4 },
    ]);
    const length = (row: number, from: number, to: number) => Math.hypot(...testSemantics.row(row).slice(from, to));
    for (const [from, to] of [
      [0, 9],
      [18, 30],
      [30, 34],
    ])
      expect(length(2, from, to)).toBeCloseTo(1, 5);
    expect(length(2, 9, 18)).toBe(0);
    expect(length(1, 9, 18)).toBeCloseTo(1, 5);
    expect(auxiliarySemantics.cols).toBe(34);
  });

  it('reach the fit, which says how far it believes each kind', async () => {
    const learner = { method: 'bowerbird', device: 'wasm' as const, threads: 1 };
    await run({ semantics: [{ attributes: 'attributes.csv' }, { names: 'names.npz' }], learner }, 'fit');
    const { trusts } = JSON.parse(readFileSync(world.path('run', 'run.json'), 'utf8'));
    expect(Object.keys(trusts)).toEqual(['attributes', 'names']);
    for (const trust of Object.values<number>(trusts)) expect(trust).toBeGreaterThanOrEqual(0);
  });

  it('are made anew when a table changes, and not otherwise', async () => {
    const semantics = { taxonomy: 'taxonomy.csv' };
    await run({ semantics }, 'words');
    expect((await run({ semantics }, 'words')).report.stages.at(-1)?.outcome).toBe('unchanged');
    writeFileSync(world.path('taxonomy.csv'), `kind,name\n${auxiliaryNames.map((name) => `a,${name}`).join('\n')}\n`);
    const { report, notes } = await run({ semantics }, 'words');
    expect(report.stages.at(-1)).toMatchObject({ outcome: 'ran', reason: expect.stringContaining('taxonomy.csv') });
    expect(notes[0]).toMatch(/^words: 3 of 9 names are not in taxonomy.csv/);
  });

  it('name the key of a kind there is not', async () => {
    const wrong = { semantics: { colours: 'x.csv' } as never };
    await expect(run(wrong, 'words')).rejects.toMatchObject({
      code: 'BOWERBIRD_CONFIGURATION' satisfies ConfigurationError['code'],
    });
  });

  it('are written by init, paths as seen from the workspace', async () => {
    const { code, stderr } = await bowerbird(
      [
        'init',
        'made',
        '--categories',
        testNames.join(),
        '--auxiliary',
        'auxiliary',
        '--test',
        'test',
        '--source',
        'folder:web',
        '--semantics',
        'words,attributes=attributes.csv,text=clip-vit-b32-text',
      ],
      { cwd: world.folder },
    );
    expect([code, stderr]).toEqual([0, '']);
    const { configuration } = await openWorkspace(world.path('made'));
    expect(configuration.semantics).toMatchObject([
      { kind: 'words' },
      { kind: 'attributes', file: '../attributes.csv' },
      { kind: 'text', model: 'clip-vit-b32-text', templates: ['a photo of a {}.'] },
    ]);
    const refused = await bowerbird(
      ['init', 'other', '--categories', 'a,b', '--auxiliary', 'auxiliary', '--test', 'test', '--semantics', 'colour=x'],
      { cwd: world.folder },
    );
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('that is no kind of vectors')]);
  });
});
