import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './numpy.js';

const folder = temporaryFolder();
const page = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^## ([^\n]*)\n(?:(?!^## )[^\n]*\n)*?```ts runnable\n(.*?)```/gms)];

/** The examples import the package by its name; here that is the sources. */
function withSources(example: string): string {
  const url = (part: string) => new URL(`../../src/${part}`, import.meta.url).href;
  return example
    .replaceAll("'bowerbird/formats'", `'${url('formats/index.ts')}'`)
    .replaceAll("'bowerbird/linalg'", `'${url('linalg/matrix.ts')}'`);
}

describe('examples of docs/formats.md', () => {
  it.each(examples.map(([, title, example]) => [title, example]))('run: %s', (title, example) => {
    const file = join(folder, `example-${examples.findIndex((found) => found[1] === title)}.mts`);
    writeFileSync(file, withSources(example));
    const tsx = new URL('../../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href;
    const child = spawnSync(process.execPath, ['--import', tsx, file], { cwd: folder, encoding: 'utf8' });
    expect(child.status, child.stderr).toBe(0);
    expect(child.stdout).not.toBe('');
  });

  it('are found', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });
});
