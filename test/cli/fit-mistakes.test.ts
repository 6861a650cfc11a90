import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { writeNpy } from '../../src/formats/index.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { catchOutput } from './output.js';

const folder = temporaryFolder();
const file = (...names: string[]) => join(folder, ...names);
const printed = catchOutput();
const problem = generateProblem({ seed: 3 });
const tryFit = (...words: string[]) => run(['fit', file('problem.npz'), '--threads', '1', '--quiet', ...words]);

beforeAll(async () => {
  await saveProblem(file('problem.npz'), problem);
});

describe('bowerbird fit, used wrongly', () => {
  it('suggests the method that was meant', async () => {
    expect(await tryFit('--out', file('x'), '--method', 'bowrbird')).toBe(2);
    expect(printed.errors).toContain('Did you mean "bowerbird"?');
    expect(await run(['tune', file('problem.npz'), '--out', file('x'), '--method', 'eszl'])).toBe(2);
    expect(await run(['compare', file('problem.npz'), '--out', file('x'), '--methods', 'lr,eszl'])).toBe(2);
    expect(printed.errors.match(/Did you mean "eszsl"\?/g)).toHaveLength(2);
  });

  it.each([
    ['--max-iterations', '3'],
    ['--space', 'full'],
    ['--metric', 'cosine'],
    ['--theta-solver', 'smo'],
    ['--tolerance', '0.1'],
  ])("refuses %s, the learner's own, for another method", async (option, value) => {
    expect(await tryFit('--out', file('x'), option, value)).toBe(2);
    expect(printed.errors).toContain(`${option} belongs to the paper's learner, and this is a fit of bowerbird`);
  });

  it('takes the old name of the paper’s learner, and says the new one', async () => {
    expect(await tryFit('--out', file('x'), '--method', 'ours-wsl', '--lambda1', '5')).toBe(2);
    expect(printed.errors).toContain('ours-wsl is now called paper-wsl');
    expect(printed.errors).toContain('paper-wsl has lambda1 = 0');
  });

  it('refuses to change what makes a special case', async () => {
    expect(await tryFit('--out', file('x'), '--method', 'paper-wsl', '--lambda1', '5')).toBe(2);
    expect(printed.errors).toContain('paper-wsl has lambda1 = 0');
  });

  it('names a value that should be another kind of number', async () => {
    expect(await tryFit('--out', file('x'), '--set', 'sharpness=high')).toBe(2);
    expect(printed.errors).toContain('bowerbird: sharpness is "high"; it must be a number above 0');
    expect(await tryFit('--out', file('x'), '--set', 'sharpness=Infinity')).toBe(2);
    expect(printed.errors).toContain('bowerbird: sharpness is "Infinity"; it must be a number above 0');
    expect(await tryFit('--out', file('x'), '--set', 'sharpness=-1')).toBe(2);
    expect(printed.errors).toContain('bowerbird: sharpness is -1; it must be a number above 0');
  });

  it.each([
    ['null', 'nothing'],
    ['[1, 2]', 'a list'],
    ['7', 'a number'],
  ])('says what a file of parameters holds instead: %s', async (text, found) => {
    writeFileSync(file('parameters.json'), text);
    expect(await tryFit('--out', file('x'), '--params', file('parameters.json'))).toBe(2);
    expect(printed.errors).toContain(`holds ${found}; an object such as {"lambda1": 0.01} was expected`);
  });

  it('makes no folder when it cannot begin or the method refuses the problem', async () => {
    expect(await run(['fit', file('nowhere.npz'), '--out', file('none')])).toBe(1);
    expect(await tryFit('--out', file('none'), '--method', 'clip')).toBe(1);
    expect(existsSync(file('none'))).toBe(false);
  });

  it.each(['aux', 'web', 'test'])(
    'finds wrong numbers among the %s features, whichever way they are read',
    async (set) => {
      const features = { aux: problem.auxiliaryFeatures, web: problem.webFeatures, test: problem.testFeatures }[set]!;
      for (const [value, said] of [
        [Number.NaN, 'column 2 is NaN; all values must be finite'],
        [0, 'all features are zero'],
      ] as const) {
        const wrong = features.copy();
        if (value === 0) wrong.row(4).fill(0);
        else wrong.set(4, 2, value);
        const folder = file(`wrong-${set}-${value}`);
        await saveProblem(folder, problem);
        await writeNpy(join(folder, `${set}_features.npy`), wrong);
        const codes = new Set<string>();
        for (const extra of [[], ['--stream'], ['--method', 'lr']]) {
          printed.errors = '';
          expect(await run(['fit', folder, '--quiet', '--out', file('none'), ...extra])).toBe(1);
          expect(printed.errors).toContain(`${set}_features, row 4: ${said}`);
          codes.add(printed.errors);
        }
        expect(codes.size).toBe(1);
        expect(existsSync(file('none'))).toBe(false);
      }
    },
  );

  it('says how not to stream, in the words of the command line', async () => {
    expect(await tryFit('--out', file('none'), '--method', 'eszsl', '--stream')).toBe(2);
    expect(printed.errors).toContain('leave out --stream');
    expect(await tryFit('--out', file('none'), '--method', 'eszsl', '--memory-limit', '0')).toBe(2);
    expect(printed.errors).toContain('raise --memory-limit');
  });

  it('names a file where a folder was expected', async () => {
    expect(await tryFit('--out', file('problem.npz'))).toBe(1);
    expect(printed.errors).toContain(`${file('problem.npz')}: cannot be written: a file of this name is there already`);
  });

  it.skipIf(process.getuid?.() === 0)(
    'notices before the work that the folder cannot be written (nothing is forbidden to root)',
    async () => {
      mkdirSync(file('locked'), { mode: 0o555 });
      expect(await tryFit('--out', file('locked'))).toBe(1);
      expect(printed.errors).toContain(`${file('locked')}: cannot be written: permission denied`);
    },
  );

  it('keeps the results of a search that lie where it should write', async () => {
    const search = ['tune', file('problem.npz'), '--method', 'lr', '--trials', '2', '--jobs', '1', '--quiet'];
    expect(await run([...search, '--out', file('tuned')])).toBe(0);
    const before = readFileSync(file('tuned', 'run.json'), 'utf8');
    expect(await tryFit('--out', file('tuned'))).toBe(2);
    expect(printed.errors).toContain('tuned holds the results of "bowerbird tune"');
    expect(readFileSync(file('tuned', 'run.json'), 'utf8')).toBe(before);
  });
});

describe('a folder that is fitted into again', () => {
  it('holds the files of the last fit only', async () => {
    expect(await tryFit('--out', file('again'), '--method', 'paper')).toBe(0);
    expect(await tryFit('--out', file('again'), '--method', 'eszsl', '--replace')).toBe(0);
    expect(await tryFit('--out', file('fresh'), '--method', 'eszsl')).toBe(0);
    expect(readdirSync(file('again'))).toEqual(readdirSync(file('fresh')));
  });

  it('records the precision and where other files lay', async () => {
    expect(
      await tryFit('--out', file('again'), '--replace', '--dtype', 'float32', '--web-file', file('problem.npz')),
    ).toBe(0);
    const { configuration } = JSON.parse(readFileSync(file('again', 'run.json'), 'utf8'));
    expect(configuration).toMatchObject({ dtype: 'float32', webFile: file('problem.npz') });
  });
});
