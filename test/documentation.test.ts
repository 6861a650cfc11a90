import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandPage, parameterPage } from '../src/cli/command-pages.js';
import { temporaryFolder } from './temporary-folder.js';

const folder = temporaryFolder();
const page = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const source = (part: string) => new URL(`../src/${part}`, import.meta.url).href;

/** The examples import the package by its name; here that is the sources. */
function withSources(example: string): string {
  return example
    .replaceAll(/'bowerbird\/(\w+)'/g, (_, part) => `'${source(`${part}/index.ts`)}'`)
    .replaceAll("from 'bowerbird'", `from '${source('index.ts')}'`);
}

const pages = ['README.md', ...readdirSync(new URL('../docs', import.meta.url)).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md'),
);
const examples = pages.flatMap((name) =>
  [...page(name).matchAll(/^```ts runnable\n(.*?)```/gms)].map(([, code], i) => [`${name}, example ${i + 1}`, code]),
);

describe('the documentation', () => {
  it.each(examples)('has a program that runs: %s', (name, code) => {
    const file = join(folder, `${name.replaceAll(/\W+/g, '-')}.mts`);
    writeFileSync(file, withSources(code));
    const tsx = new URL('../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href;
    const env = { ...process.env, TMPDIR: folder };
    const child = spawnSync(process.execPath, ['--import', tsx, file], { cwd: folder, encoding: 'utf8', env });
    expect(child.status, child.stderr).toBe(0);
    expect(child.stdout).not.toBe('');
  });

  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(11);
  });

  it('names the two commands that package.json has', () => {
    const { scripts } = JSON.parse(page('package.json'));
    for (const command of ['npm ci && npm run demo', 'npm ci && npm test'])
      expect(page('README.md')).toContain(command);
    expect(scripts).toMatchObject({ demo: expect.any(String), test: expect.any(String) });
  });

  it('lists every command and option as the commands have them (npm run docs writes the page)', async () => {
    expect(page('docs/commands.md')).toBe(await commandPage());
  });

  it('lists every method and parameter as it is declared (npm run docs writes the page)', () => {
    expect(page('docs/parameters.md')).toBe(parameterPage());
  });

  it('leads nowhere that is not there', () => {
    for (const name of pages)
      for (const [, target] of page(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g))
        expect(existsSync(new URL(target, new URL(`../${name}`, import.meta.url))), `${name}: ${target}`).toBe(true);
  });

  it('gives the reason for every dependency, and for no other', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(page('package.json'));
    const explained = [...page('docs/dependencies.md').matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name);
    const names = [dependencies, devDependencies, optionalDependencies].flatMap(Object.keys);
    expect(explained.sort()).toEqual(names.sort());
  });
});
