/** The programs of docs/extending.md and the examples, as a user has them: beside an installed package. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(root, join(folder, 'node_modules', 'bowerbird'));
const page = readFileSync(join(root, 'docs/extending.md'), 'utf8');
for (const [, name, code] of page.matchAll(/^```js file=(\S+)\n(.*?)```/gms)) writeFileSync(join(folder, name), code);

function run(...args: string[]): string {
  const child = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  expect(child.status, child.stderr).toBe(0);
  return child.stdout;
}
const command = (...args: string[]) => run(join(root, 'dist/cli/main.js'), ...args);

describe('the programs of docs/extending.md', () => {
  it('compare a method of their own on two threads', () => {
    const lines = run('compare.mjs').trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual(['eszsl', 'lr', 'nearest']);
    expect(lines.find((line) => line.startsWith('nearest'))).toMatch(/"neighbours":\d+/);
  }, 120_000);

  it('crawl from a source of their own', () => {
    const lines = run('run.mjs').trim().split('\n');
    const count = (category: string) => lines.filter((line) => line.startsWith(`${category} pictures/`)).length;
    for (const category of ['Red Wren', 'Blue Finch']) {
      expect(count(category)).toBeGreaterThan(1);
      expect(count(category)).toBeLessThanOrEqual(6);
    }
  }, 120_000);

  it('fit, stop a fit and dispose of what they hold', () => {
    const output = run('fit.mjs');
    expect(output).toContain('the second fit:');
    expect(output).toMatch(/bowerbird: \d+\.\d % right/);
  }, 120_000);

  it('work from the command line too', () => {
    writeFileSync(
      join(folder, 'problem.mjs'),
      "import { generateProblem, saveProblem } from 'bowerbird';\nawait saveProblem('p.npz', generateProblem({ seed: 1 }));\n",
    );
    run('problem.mjs');
    expect(command('methods', 'nearest', '--plugin', 'nearest.mjs')).toContain(
      'web pictures of each category that count',
    );
    const fitted = JSON.parse(
      command('fit', 'p.npz', '--plugin', 'nearest.mjs', '--method', 'nearest', '--out', 'own', '--json'),
    );
    expect(fitted).toMatchObject({ method: 'nearest', metrics: { accuracy: expect.any(Number) } });
    const missing = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'methods', '--plugin', 'no.mjs'], {
      encoding: 'utf8',
    });
    expect(missing.status).toBe(1);
    expect(missing.stderr).toContain('BOWERBIRD_PLUGIN');
  }, 120_000);
});

it('examples/generated.mjs needs nothing from outside', () => {
  copyFileSync(join(root, 'examples/generated.mjs'), join(folder, 'generated.mjs'));
  expect(run('generated.mjs', 'out')).toMatch(/bowerbird: \d+\.\d % of \d+ pictures right/);
  expect(existsSync(join(folder, 'out/report.html'))).toBe(true);
}, 120_000);

it('the root exports at most forty names', () => {
  const text = readFileSync(join(root, 'src/index.ts'), 'utf8');
  const names = [...text.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) =>
    list.split(',').filter((name) => name.trim() !== ''),
  );
  expect(names.length).toBeLessThanOrEqual(40);
});
