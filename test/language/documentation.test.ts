import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'bowerbird-language-'));
afterAll(() => rmSync(folder, { recursive: true }));
const page = readFileSync(new URL('../../docs/language.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^```ts runnable\n(.*?)```/gms)].map(([, example], i) => [i + 1, example] as const);

describe('examples of docs/language.md', () => {
  it.each(examples)('example %i runs', (number, example) => {
    const sources = new URL('../../src/language/index.ts', import.meta.url).href;
    const file = join(folder, `example-${number}.mts`);
    writeFileSync(file, example.replaceAll("'bowerbird/language'", `'${sources}'`));
    const tsx = new URL('../../node_modules/tsx/dist/esm/index.mjs', import.meta.url).href;
    const child = spawnSync(process.execPath, ['--import', tsx, file], { cwd: folder, encoding: 'utf8' });
    expect(child.status, child.stderr).toBe(0);
    expect(child.stdout).not.toBe('');
  });

  it('are found', () => {
    expect(examples.length).toBe(3);
  });
});
