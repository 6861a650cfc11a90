/** Small things that a newcomer stumbled over, each as its command. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { confirmReplacing } from '../../src/cli/confirm.js';
import { run } from '../../src/cli/run.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { openWorkspace, recordDecision, runWorkspace, workspaceStatus } from '../../src/workspace/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { makeWorld, type World, writeConfiguration } from '../workspace/world.js';
import { catchOutput } from './output.js';

const printed = catchOutput();
const folder = temporaryFolder();
let world: World;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 3, test: 2, web: 4, validation: false });
});
afterAll(() => world.remove());

describe('init', () => {
  const init = (name: string, auxiliary: string, test: string) =>
    run(['init', join(folder, name), '--categories', 'blue finch,red wren', '--auxiliary', auxiliary, '--test', test]);

  it('wants the folders to be there', async () => {
    expect(await init('absent', join(folder, 'nowhere'), world.path('test'))).toBe(2);
    expect(printed.errors).toMatch(/auxiliary is .*nowhere; there is no folder/);
    expect(existsSync(join(folder, 'absent'))).toBe(false);
  });

  it('wants them to hold pictures', async () => {
    mkdirSync(join(folder, 'empty'), { recursive: true });
    expect(await init('a', world.path('auxiliary'), join(folder, 'empty'))).toBe(2);
    expect(printed.errors).toMatch(/test is .*empty, and there is no picture in it/);
    expect(await init('a', join(folder, 'empty'), world.path('test'))).toBe(2);
    expect(printed.errors).toMatch(/auxiliary is .*empty, which has 0 sub-folders/);
  });

  it('wants them to differ, also through a link, and neither to lie in the other', async () => {
    expect(await init('b', world.path('test'), world.path('test'))).toBe(2);
    expect(printed.errors).toMatch(/test and auxiliary are the same folder/);
    expect(await init('b', world.path('auxiliary'), world.path('auxiliary', 'blue wren'))).toBe(2);
    expect(printed.errors).toMatch(/one lies within the other/);
    symlinkSync(world.path('auxiliary'), join(folder, 'link'));
    expect(await init('b', world.path('auxiliary'), join(folder, 'link'))).toBe(2);
    expect(printed.errors).toMatch(/lead to the same folder/);
  });

  it('writes a reference to a schema that is there and takes the file', async () => {
    const source = world.path('some test');
    mkdirSync(source);
    writeFileSync(join(source, 'one.png'), readFileSync(world.path('test', 'red wren', 'red wren 00.png')));
    expect(await init('c', world.path('auxiliary'), source)).toBe(0);
    const text = readFileSync(join(folder, 'c', 'bowerbird.yaml'), 'utf8');
    const [, reference] = /^# yaml-language-server: \$schema=(.*)$/m.exec(text)!;
    const schema = JSON.parse(readFileSync(join(folder, 'c', reference), 'utf8'));
    expect(new Ajv2020({ allowUnionTypes: true }).compile(schema)(parse(text))).toBe(true);
  });
});

describe('features of a folder', () => {
  it('are written beside it, not among its categories', async () => {
    const features = () => run(['features', world.path('auxiliary'), '--model', world.path(modelOf(world)), '--quiet']);
    expect(await features()).toBe(0);
    expect(existsSync(world.path('auxiliary', 'features'))).toBe(false);
    expect(existsSync(world.path('auxiliary-features', 'tiny-1', 'index.csv'))).toBe(true);
    const inside = world.path('auxiliary', 'mine');
    expect(
      await run(['features', world.path('auxiliary'), '--model', world.path(modelOf(world)), '--out', inside]),
    ).toBe(2);
    expect(printed.errors).toContain('would be taken for a category');
  });
});

const modelOf = ({ configuration }: World) => configuration.model as string;

describe('a fit that is there', () => {
  it('is replaced only when that is said', async () => {
    const problem = join(folder, 'problem.npz');
    await saveProblem(problem, generateProblem({ seed: 1 }));
    const fit = (...more: string[]) =>
      run(['fit', problem, '--method', 'lr', '--device', 'wasm', '--out', join(folder, 'fit'), ...more]);
    expect(await fit()).toBe(0);
    const before = readFileSync(join(folder, 'fit', 'run.json'), 'utf8');
    expect(await fit('--seed', '2')).toBe(2);
    expect(printed.errors).toMatch(/holds a fit of lr already.*\n.*--replace/);
    expect(readFileSync(join(folder, 'fit', 'run.json'), 'utf8')).toBe(before);
    expect(await fit('--seed', '2', '--replace')).toBe(0);
    expect(readFileSync(join(folder, 'fit', 'run.json'), 'utf8')).not.toBe(before);
  });
});

describe('a model that is registered', () => {
  it('is replaced only when that is said, and the same one is no question', async () => {
    vi.stubEnv('BOWERBIRD_CACHE', join(folder, 'cache'));
    const add = (...more: string[]) => run(['models', 'add', 'mine', world.path(modelOf(world)), ...more]);
    expect(await add()).toBe(0);
    expect(await add()).toBe(0);
    expect(await add('--preprocessing', 'clip')).toBe(2);
    expect(printed.errors).toMatch(/another model is registered as mine already.*\n.*--replace/);
    expect(await add('--preprocessing', 'clip', '--replace')).toBe(0);
    vi.unstubAllEnvs();
  });
});

describe('on a terminal', () => {
  it.each([
    ['y\n', undefined],
    ['yes\n', undefined],
    ['\n', 'BOWERBIRD_INTERRUPTED'],
    ['no\n', 'BOWERBIRD_INTERRUPTED'],
  ])('%j to the question whether to replace', async (answer, code) => {
    const input = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.ReadStream;
    const output = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.WriteStream;
    const asked = confirmReplacing('run holds a fit', { replace: false }, { input, output });
    (input as unknown as PassThrough).write(answer);
    if (code) await expect(asked).rejects.toMatchObject({ code });
    else await asked;
    expect(String((output as unknown as PassThrough).read())).toContain('run holds a fit. Replace it? [y/N]');
  });
});

describe('a workspace', () => {
  it('is known to report and weights by its own folder', async () => {
    expect(await run(['weights', world.folder])).toBe(2);
    expect(printed.errors).toContain('is a workspace without results so far');
    await runWorkspace(await openWorkspace(world.folder));
    printed.out = '';
    expect(await run(['weights', world.folder, '--json'])).toBe(0);
    const weights = JSON.parse(printed.out) as Record<string, { picture: string }[]>;
    expect(existsSync(weights['red wren'][0].picture)).toBe(true);
    expect(await run(['report', world.folder, '--quiet'])).toBe(0);
    const page = readFileSync(world.path('report.html'), 'utf8');
    expect(page).toContain('data:image');
  });

  it('is stale, not done, after a correction by hand', async () => {
    const state = async (name: string) =>
      (await workspaceStatus(await openWorkspace(world.folder))).find(({ stage }) => stage === name);
    expect(await state('problem')).toMatchObject({ state: 'done' });
    const [line] = readFileSync(world.path('.bowerbird', 'pictures.jsonl'), 'utf8').split('\n');
    await recordDecision(await openWorkspace(world.folder), 'drop', [JSON.parse(line).id]);
    expect(await state('problem')).toMatchObject({ state: 'stale', reason: 'the pictures dropped by hand changed' });
    expect(await state('fit')).toMatchObject({ state: 'stale', reason: 'problem comes first' });
  });

  it('takes aliases from the file of its names', async () => {
    writeFileSync(world.path('names.txt'), 'blue finch\nxyzzy\tred wren|red finch\ngreen jay\n');
    writeConfiguration(world, { categories: 'names.txt', test: 'some test' });
    await runWorkspace(await openWorkspace(world.folder), { until: 'words' });
    const [report] = JSON.parse(readFileSync(world.path('words', 'names.json'), 'utf8')) as {
      words: { name: string }[];
    }[];
    expect(report.words.find(({ name }) => name === 'xyzzy')).toMatchObject({ absent: false, alias: ['red wren'] });
    writeFileSync(world.path('names.csv'), 'name,aliases\nblue finch,\nxyzzy,red wren|red finch\ngreen jay,\n');
    writeConfiguration(world, { categories: 'names.csv', test: 'some test' });
    const { configuration } = await openWorkspace(world.folder);
    expect(configuration.categories[1]).toEqual({ name: 'xyzzy', aliases: ['red wren', 'red finch'] });
  });
});
