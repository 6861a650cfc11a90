import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a plain script, without declarations
import { allMutants, draw } from '../../scripts/mutants/draw.mjs';
// @ts-expect-error: a plain script, without declarations
import { equivalent } from '../../scripts/mutants/equivalent.mjs';
// @ts-expect-error: a plain script, without declarations
import { sourcesOf, testFilesFor, testFilesOf } from '../../scripts/mutants/folders.mjs';
// @ts-expect-error: a plain script, without declarations
import { filesToTry, Journal } from '../../scripts/mutants/journal.mjs';
import { temporaryFolder } from '../temporary-folder.js';

const root = new URL('../../', import.meta.url).pathname;
const folder = temporaryFolder();

interface Mutant {
  name: string;
  line: number;
  original: string;
  replacement: string;
  occurrence: number;
}

async function mutantsOf(name: string, text: string): Promise<Mutant[]> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return allMutants(folder, [name]);
}

describe('mutants', () => {
  it('are changes of the text at their place', async () => {
    const mutants = await mutantsOf('sum.ts', 'export const sum = (a: number, b: number) => a + b;\n');
    expect(mutants.map(({ original, replacement }) => [original, replacement])).toContainEqual(['a + b', 'a - b']);
  });

  it('leave the wording of errors alone, but not their codes', async () => {
    const text =
      "class OddError extends Error {}\nexport const odd = () => new OddError('BOWERBIRD_ODD', 'it is odd', { hint: 'even' });\n";
    const changed = (await mutantsOf('odd.ts', text)).map(({ original }) => original);
    expect(changed).toContain("'BOWERBIRD_ODD'");
    expect(changed).not.toContain("'it is odd'");
    expect(changed).not.toContain("'even'");
    const failure = "class Failure extends Error {}\nexport const late = () => new Failure('timeout', 'it is late');\n";
    const other = (await mutantsOf('late.ts', failure)).map(({ original }) => original);
    expect(other).toContain("'timeout'");
    expect(other).not.toContain("'it is late'");
  });

  it('leave sentences alone wherever they stand, and the words chosen inside them, but nothing that is computed', async () => {
    const text = [
      'export const told = (n: number, all: number) =>',
      `  \`\${n - 1} \${n === 1 ? 'picture' : 'pictures'} of \${all * 2} are left\`;`,
      "export const fail = (n: number) => new Error(n > 2 ? 'several' : ['one', 'two'].join(' or '));",
      "export const hint = 'Choose another name.';",
    ].join('\n');
    const changed = (await mutantsOf('told.ts', text)).map(({ original }) => original);
    expect(changed).toEqual(expect.arrayContaining(['n - 1', 'all * 2', "'one'"]));
    for (const wording of ["'picture'", "'pictures'", 'n === 1', "'several'", "' or '", "'Choose another name.'"])
      expect(changed).not.toContain(wording);
    expect(changed.filter((original) => original.startsWith('`'))).toEqual([]);
  });

  it('change what programs read, though it has words in it', async () => {
    const read = [
      "'SELECT state FROM picture'",
      "'text/html; charset=utf-8'",
      '\'<p class="a b">\'',
      "'accuracy,seconds'",
      "'a photo of a {}.'",
    ];
    const text = `export const read = [${read}];\nexport const known = (a: string, b: string[]) => a === 'web picture' || b.includes('test picture');\n`;
    const changed = (await mutantsOf('read.ts', text)).map(({ original }) => original);
    expect(changed).toEqual(expect.arrayContaining([...read, "'web picture'", "'test picture'"]));
  });

  it('are drawn alike by the same seed, and keep their names when lines are added above', async () => {
    const text = Array.from({ length: 20 }, (_, i) => `export const f${i} = (a: number) => a * ${i};`).join('\n');
    const before = await mutantsOf('many.ts', text);
    const after = await mutantsOf('many.ts', `// A line more.\n${text}`);
    const names = (mutants: Mutant[], seed: string) => draw(mutants, 5, seed).map(({ name }: Mutant) => name);
    expect(names(after, '1')).toEqual(names(before, '1'));
    expect(names(before, '2')).not.toEqual(names(before, '1'));
    expect(names(before, '1')).toHaveLength(5);
  });
});

describe('the journal of mutants', () => {
  const mutant = { name: 'a', source: 'as it was' };

  const tests = { 'one.test.ts': 'old', 'two.test.ts': 'old' };
  const changed = { 'one.test.ts': 'old', 'two.test.ts': 'new', 'three.test.ts': 'new' };

  it('believes that a mutant is noticed while its source is the same, whatever became of the tests', () => {
    const file = join(folder, 'noticed.jsonl');
    new Journal(file).add({ ...mutant, tests, status: 'killed' });
    const journal = new Journal(file);
    expect(filesToTry(journal.known(mutant), changed)).toEqual([]);
    expect(journal.known({ ...mutant, source: 'changed' })).toBeUndefined();
    expect(filesToTry(undefined, changed)).toEqual(Object.keys(changed));
  });

  it('tries a survivor again with the tests that changed, and reads past the last line of a run that was killed', () => {
    const file = join(folder, 'survived.jsonl');
    new Journal(file).add({ ...mutant, tests, status: 'survived' });
    writeFileSync(file, '{"name": "b", "sta', { flag: 'a' });
    const journal = new Journal(file);
    expect(filesToTry(journal.known(mutant), tests)).toEqual([]);
    expect(filesToTry(journal.known(mutant), changed)).toEqual(['two.test.ts', 'three.test.ts']);
  });
});

describe('the tables of mutants', () => {
  it('give every folder the tests of its name, and some more', () => {
    expect(sourcesOf(root, 'linalg')).toContain(join('src', 'linalg', 'matrix.ts'));
    expect(testFilesOf(root, 'formats')).toContain(join('test', 'formats', 'csv.test.ts'));
    expect(testFilesOf(root, 'methods/blocks')).toContain(join('test', 'fit', 'linear.test.ts'));
    expect(testFilesOf(root, 'formats').join()).not.toContain('memory.test.ts');
  });

  it('give a source the tests of the nearest folder that is listed', () => {
    const tests = (source: string) => testFilesFor(root, 'crawl', join('src', 'crawl', source)) as string[];
    expect(tests(join('dedupe', 'nearby.ts')).every((file) => file.startsWith(join('test', 'crawl', 'dedupe')))).toBe(
      true,
    );
    expect(tests('lane.ts')).toEqual(testFilesOf(root, 'crawl'));
    expect(tests('lane.ts')).toContain(join('test', 'crawl', 'checks.test.ts'));
  });

  it('give every equivalent mutant a reason', () => {
    for (const { file, before, after, reason } of equivalent) {
      expect(after).not.toBe(before);
      expect(reason.length, file).toBeGreaterThan(15);
    }
  });
});
