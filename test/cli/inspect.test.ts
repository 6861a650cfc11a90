import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import {
  matCellOf,
  matColumnOf,
  matColumnsOf,
  writeMat,
  writeNpy,
  writeNpz,
  writeSafetensors,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { catchOutput } from './output.js';

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);

const printed = catchOutput();

async function inspect(name: string, ...words: string[]): Promise<string> {
  expect(await run(['inspect', file(name), ...words])).toBe(0);
  return printed.out;
}

const problem = generateProblem({ wrong: 0.5, webPerCategory: 10 });

describe('bowerbird inspect', () => {
  it('shows the sets, counts, kinds and names of a problem', async () => {
    await saveProblem(file('problem.npz'), problem);
    const text = await inspect('problem.npz');
    expect(text).toContain('problem.npz: a problem, ');
    expect(text).toMatch(/^ {2}auxiliary +240 +12 +20$/m);
    expect(text).toMatch(/^ {2}web +60 +6 +10 {2}30 clean, 12 confused, 12 other, 6 offtopic$/m);
    expect(text).toMatch(/^ {2}test +120 +6 +20$/m);
    expect(text).toContain('features          40 per picture');
    expect(text).toContain(`test names        ${problem.testNames.slice(0, 3).join(', ')}, …`);
    expect(text).toContain('Nothing looks wrong.');
    expect(text).toMatch(/^ {2}web_labels +60 +int32 +0 to 5$/m);
  });

  it('counts the web pictures that a person vouched for', async () => {
    expect(await inspect('problem.npz')).not.toContain('vouched');
    const webVouched = Uint8Array.from(problem.webLabels, (_, i) => (i < 7 ? 1 : 0));
    await saveProblem(file('vouched.npz'), { ...problem, webVouched });
    expect(await inspect('vouched.npz')).toContain('vouched for       7 web pictures');
  });

  it('gives the same as JSON', async () => {
    await saveProblem(file('problem.npz'), problem);
    const report = JSON.parse(await inspect('problem.npz', '--json'));
    expect(report.kind).toBe('problem');
    expect(report.summary.sets[1]).toMatchObject({ name: 'web', pictures: 60, categories: 6, fewest: 10, most: 10 });
    expect(report.errors).toEqual([]);
    expect(report.arrays.find((array: { name: string }) => array.name === 'aux_features')).toMatchObject({
      shape: [240, 40],
      dtype: 'float64',
    });
  });

  it('lists every broken rule with its remedy', async () => {
    const webLabels = problem.webLabels.map((label) => label + 1);
    await saveProblem(file('broken.npz'), { ...problem, webLabels });
    const text = await inspect('broken.npz');
    expect(text).toContain('Broken rules: this problem cannot be fitted');
    expect(text).toContain('web_labels, row 50: label 6 is out of range');
    expect(text).toContain('If the labels count from 1, subtract 1 from each.');
    expect(text).toContain('category 0');
  });

  it('shows what looks wrong', async () => {
    const webFeatures = problem.webFeatures.copy();
    webFeatures.row(3).set(problem.testFeatures.row(5));
    await saveProblem(file('suspicious.npz'), { ...problem, webFeatures });
    expect(await inspect('suspicious.npz')).toContain(
      'web_features: 1 picture is also among the test pictures (row 3 is test row 5).',
    );
  });

  it('explains what a half-made problem lacks', async () => {
    await writeNpz(file('half.npz'), { aux_features: problem.auxiliaryFeatures, test_features: problem.testFeatures });
    const text = await inspect('half.npz');
    expect(text).toContain('As a problem');
    expect(text).toContain('is not a problem: aux_labels, aux_semantics, test_semantics missing');
    printed.out = '';
    const report = JSON.parse(await inspect('half.npz', '--json'));
    expect(report.errors[0].message).toContain('missing');
  });

  it('names the semantic vectors a file has when others were asked for', async () => {
    await saveProblem(file('problem.npz'), problem);
    expect(await inspect('problem.npz', '--semantics', 'colours')).toContain(
      'Semantic vectors in this file: semantics.',
    );
  });

  it('lists the arrays of other files with shape, type and range', async () => {
    const numbers = Matrix.from([
      [1, -2.5],
      [Number.NaN, 4],
    ]);
    await writeNpy(file('x.npy'), numbers);
    expect(await inspect('x.npy')).toMatch(/^ {2}x +2 × 2 +float64 +-2\.5 to 4, 1 NaN or infinite$/m);
    printed.out = '';
    await writeSafetensors(file('t.safetensors'), { weight: numbers.copy('float32') });
    expect(await inspect('t.safetensors')).toMatch(/^ {2}weight +2 × 2 +float32 +-2\.5 to 4/m);
    printed.out = '';
    await writeNpz(file('other.npz'), { y: numbers, words: { shape: [2], dtype: 'string', data: ['crow', 'owl'] } });
    const text = await inspect('other.npz');
    expect(text).toContain('other.npz: 2 arrays, ');
    expect(text).toMatch(/^ {2}words +2 +string +crow, owl$/m);
    expect(text).toContain('Not a problem file');
  });

  it('lists the variables of MATLAB files and reads an xlsa17 pair', async () => {
    const features = Matrix.from([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    await writeMat(file('res101.mat'), {
      features: matColumnsOf(features),
      labels: matColumnOf(Int32Array.of(1, 2, 2)),
    });
    await writeMat(file('att_splits.mat'), {
      att: matColumnsOf(
        Matrix.from([
          [1, 0],
          [0, 1],
        ]),
      ),
      allclasses_names: matCellOf(['crow', 'owl']),
      trainval_loc: matColumnOf(Int32Array.of(1)),
      test_unseen_loc: matColumnOf(Int32Array.of(2, 3)),
    });
    expect(await inspect('att_splits.mat')).toMatch(/^ {2}allclasses_names +2 × 1 +cell +crow, owl$/m);
    printed.out = '';
    expect(await inspect('res101.mat')).toMatch(/^ {2}test +2 +1 +2$/m);
  });

  it('says what it looks for in a folder without any arrays', async () => {
    mkdirSync(file('bare'));
    writeFileSync(file('bare/splits.mat'), '');
    expect(await inspect('bare')).toBe(
      'bare: 0 arrays\n\nNo array is here. Of a folder the .npy files are read, and an xlsa17 pair of .mat files.\n',
    );
  });

  it('says that words were counted only where they were', async () => {
    await saveProblem(file('counted.npz'), problem);
    expect(await inspect('counted.npz')).toMatch(/^ {2}text +\d+ words$/m);
    const { webText: _, ...titles } = problem;
    await saveProblem(file('titles.npz'), titles);
    expect(await inspect('titles.npz')).toMatch(/^ {2}text +\d+ words, counted in the titles$/m);
  });

  it('explains files that are not there or of another kind', async () => {
    expect(await run(['inspect', file('absent.npz')])).toBe(1);
    expect(printed.errors).toContain('no such file');
    writeFileSync(file('notes.txt'), 'hello');
    expect(await run(['inspect', file('notes.txt')])).toBe(1);
    expect(printed.errors).toContain('is not a .npz archive');
    expect(await run(['inspect'])).toBe(2);
  });
});
