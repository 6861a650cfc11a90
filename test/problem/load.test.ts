import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileError, FormatError, ProblemError } from '../../src/errors.js';
import type { NdArray } from '../../src/formats/array.js';
import { writeNpy } from '../../src/formats/npy.js';
import { writeNpz } from '../../src/formats/npz.js';
import type { Matrix } from '../../src/linalg/matrix.js';
import {
  generalize,
  generateProblem,
  loadProblem,
  normalize,
  problemHash,
  readProblem,
  saveProblem,
} from '../../src/problem/index.js';
import { openStreamedProblem } from '../../src/problem/streamed.js';
import { temporaryFolder } from '../temporary-folder.js';
import { smallProblem } from './small-problem.js';

const folder = temporaryFolder();

const integers = (...data: number[]): NdArray => ({
  shape: [data.length],
  dtype: 'int64',
  data: BigInt64Array.from(data, BigInt),
});
const strings = (...data: string[]): NdArray => ({ shape: [data.length], dtype: 'string', data });

/** The arrays of the small problem as a user's script would write them, with changes; null leaves one out. */
function arrays(changes: Record<string, NdArray | Matrix | null> = {}): [string, NdArray | Matrix][] {
  const small = smallProblem();
  const all: Record<string, NdArray | Matrix | null> = {
    aux_features: small.auxiliaryFeatures,
    aux_labels: integers(0, 1, 1),
    aux_semantics: small.auxiliarySemantics,
    aux_names: strings('crow', 'raven'),
    web_features: small.webFeatures,
    web_labels: integers(0, 1),
    test_features: small.testFeatures,
    test_labels: integers(0, 1),
    test_semantics: small.testSemantics,
    test_names: strings('rook', 'jackdaw'),
    ...changes,
  };
  return Object.entries(all).filter((entry): entry is [string, NdArray | Matrix] => entry[1] !== null);
}

async function written(name: string, changes: Record<string, NdArray | Matrix | null> = {}): Promise<string> {
  const path = join(folder, name);
  await writeNpz(path, arrays(changes));
  return path;
}

describe('saveProblem and loadProblem', () => {
  it.each(['round.npz', 'round-folder'])('bring back everything, to the bit (%s)', async (name) => {
    const generated = generateProblem({ dtype: 'float32' });
    const auxiliaryUsed = Uint8Array.from(generated.auxiliaryLabels, (_, i) => i % 2);
    const webVouched = Uint8Array.from(generated.webLabels, (_, i) => (i % 5 === 0 ? 1 : 0));
    const problem = { ...generated, webVouched, validationWeb: { ...generated.validationWeb!, auxiliaryUsed } };
    await saveProblem(join(folder, name), problem);
    expect((await stat(join(folder, name))).isDirectory()).toBe(!name.endsWith('.npz'));
    const loaded = await loadProblem(join(folder, name), { dtype: 'float32', scaling: 'none' });
    expect(problemHash(loaded)).toBe(problemHash(problem));
    expect(loaded.webVouched).toEqual(webVouched);
  });

  it('keep the generalized setting', async () => {
    const problem = generalize(generateProblem({ text: false, validation: false }), 1);
    await saveProblem(join(folder, 'generalized.npz'), problem);
    const loaded = await loadProblem(join(folder, 'generalized.npz'), { scaling: 'none' });
    expect(problemHash(loaded)).toBe(problemHash(problem));
  });

  it('write half precision on request', async () => {
    const problem = generateProblem();
    await saveProblem(join(folder, 'half.npz'), problem, { dtype: 'float16', compress: true });
    const loaded = await readProblem(join(folder, 'half.npz'));
    expect(loaded.webFeatures.dtype).toBe('float64');
    expect(loaded.webFeatures.at(5, 7)).not.toBe(problem.webFeatures.at(5, 7));
    expect(Math.abs(loaded.webFeatures.at(5, 7) - problem.webFeatures.at(5, 7))).toBeLessThan(2 ** -11);
  });

  it('do not mix with arrays of another problem', async () => {
    const path = join(folder, 'occupied');
    await saveProblem(path, generateProblem());
    await expect(saveProblem(path, generateProblem({ text: false }))).rejects.toThrow('is not empty');
  });
});

describe('loadProblem', () => {
  it('scales to unit length unless told otherwise', async () => {
    const path = await written('plain.npz');
    expect(problemHash(await loadProblem(path))).toBe(problemHash(normalize(smallProblem())));
    expect(problemHash(await loadProblem(path, { scaling: 'none' }))).toBe(problemHash(smallProblem()));
    const options = { scaling: 'zscore', centreSemantics: true } as const;
    expect(problemHash(await loadProblem(path, options))).toBe(problemHash(normalize(smallProblem(), options)));
  });

  it('reads a folder of .npy files', async () => {
    const path = join(folder, 'npy');
    await mkdir(path);
    for (const [name, array] of arrays()) await writeNpy(join(path, `${name}.npy`), array);
    expect(problemHash(await loadProblem(path))).toBe(problemHash(normalize(smallProblem())));
  });

  it('numbers categories that have no names and does without test labels', async () => {
    const problem = await loadProblem(
      await written('bare.npz', { aux_names: null, test_names: null, test_labels: null }),
    );
    expect(problem.auxiliaryNames).toEqual(['auxiliary 0', 'auxiliary 1']);
    expect(problem.testNames).toEqual(['test 0', 'test 1']);
    expect(problem.testLabels).toBeUndefined();
  });

  it('picks other semantic vectors by name, and lists them when the name is wrong', async () => {
    const small = smallProblem();
    const path = await written('named.npz', {
      aux_colours: small.testSemantics,
      test_colours: small.auxiliarySemantics,
    });
    const problem = await loadProblem(path, { semantics: 'colours' });
    expect([...problem.auxiliarySemantics.row(1)]).toEqual([1, -1]);
    const error = await loadProblem(path, { semantics: 'color' }).catch((e) => e);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain('no semantic vectors "color" (aux_color, test_color)');
    expect(error.hint).toBe('Semantic vectors in this file: semantics, colours.');
  });

  it('turns titles into term frequencies over the words of web and validation pictures', async () => {
    const titles = ['rook on roof', 'jackdaw roof'];
    const path = await written('titles.npz', {
      web_texts: strings(...titles),
      validation_web_features: smallProblem().webFeatures,
      validation_web_labels: integers(0, 1),
      validation_web_texts: strings('crow roof', 'raven rook'),
    });
    const problem = await loadProblem(path);
    expect(problem.webTexts).toEqual(titles);
    expect([...problem.webText!.row(0)]).toEqual([1, 1]);
    expect([...problem.validationWeb!.text!.row(1)]).toEqual([0, 1]);
  });

  it('leaves term frequencies of the file alone', async () => {
    const path = await written('counts.npz', {
      web_text: smallProblem().webFeatures,
      web_texts: strings('aa bb', 'aa'),
    });
    const problem = await loadProblem(path);
    expect([...problem.webText!.row(0)]).toEqual([2, 1]);
  });

  it('takes web pictures from a file of their own', async () => {
    const path = await written('without-web.npz', { web_features: null, web_labels: null });
    const webFile = join(folder, 'web.npz');
    await writeNpz(
      webFile,
      arrays().filter(([name]) => name.startsWith('web_')),
    );
    expect(problemHash(await loadProblem(path, { webFile }))).toBe(problemHash(normalize(smallProblem())));
    await expect(loadProblem(path)).rejects.toThrow('there is no array "web_features"');
    expect((await loadProblem(path, { web: 'optional' })).webFeatures.rows).toBe(0);
  });

  it('says which arrays a file that is no problem lacks, and which it has', async () => {
    const path = join(folder, 'other.npz');
    await writeNpz(path, { features: smallProblem().webFeatures, labels: integers(1, 2) });
    const error = await loadProblem(path).catch((e) => e);
    expect(error.message).toContain('is not a problem: aux_features, aux_labels, test_features, aux_semantics');
    expect(error.hint).toBe('It has: features, labels.');
  });

  it('explains files of other kinds and absent ones', async () => {
    await writeFile(join(folder, 'notes.txt'), 'hello');
    await expect(loadProblem(join(folder, 'notes.txt'))).rejects.toThrow('is not a .npz archive');
    await expect(loadProblem(join(folder, 'absent.npz'))).rejects.toThrow(FileError);
    await mkdir(join(folder, 'empty'));
    await expect(loadProblem(join(folder, 'empty'))).rejects.toMatchObject({ hint: 'It has no arrays at all.' });
  });

  it('checks what it read', async () => {
    const fractions: NdArray = { shape: [2], dtype: 'float64', data: Float64Array.of(0, 0.5) };
    await expect(loadProblem(await written('fraction.npz', { web_labels: fractions }))).rejects.toThrow(
      /"web_labels" holds 0\.5 at element 1/,
    );
    await expect(loadProblem(await written('range.npz', { web_labels: integers(1, 2) }))).rejects.toThrow(ProblemError);
    await expect(loadProblem(await written('text.npz', { web_labels: strings('a', 'b') }))).rejects.toThrow(
      'expected integers',
    );
    await expect(loadProblem(await written('marks.npz', { web_vouched: integers(1) }))).rejects.toThrow(
      'web_vouched: has 1 rows, web_features has 2',
    );
    // 256 is 0 in a byte.
    for (const mark of [2, -1, 256])
      await expect(loadProblem(await written('mark.npz', { web_vouched: integers(1, mark) }))).rejects.toThrow(
        `"web_vouched" holds ${mark} at element 1; 0 or 1 was expected`,
      );
    const cube: NdArray = { shape: [2, 1, 1], dtype: 'float64', data: Float64Array.of(1, 2) };
    await expect(loadProblem(await written('cube.npz', { web_features: cube }))).rejects.toThrow('two dimensions');
  });

  it('reads whom a person vouched for beside streamed web features too', async () => {
    const path = await written('streamed.npz', { web_vouched: integers(0, 1) });
    const { problem, close } = await openStreamedProblem(path);
    await close();
    expect(problem.webVouched).toEqual(Uint8Array.of(0, 1));
    await expect(openStreamedProblem(await written('streamed.npz', { web_vouched: integers(1) }))).rejects.toThrow(
      'web_vouched: has 1 rows, web_features has 2',
    );
  });

  it('knows two precisions', async () => {
    await expect(loadProblem('problem.npz', { dtype: 'float16' as never })).rejects.toMatchObject({
      code: 'BOWERBIRD_ARGUMENT',
      message: 'loadProblem: dtype is "float16"; it must be float64 or float32',
    });
  });

  it('stops when it is told to', async () => {
    const path = await written('stopped.npz');
    await expect(loadProblem(path, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});
