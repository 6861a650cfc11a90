import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { experimentNames, methodGroups } from '../../src/evaluation/index.js';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/evaluation.md', root), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'bowerbird-evaluation-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('docs/evaluation.md', () => {
  it('has an example that runs', () => {
    const example = /```ts runnable\n(.*?)```/s.exec(page)![1];
    const source = (part: string) => new URL(`src/${part}/index.ts`, root).href;
    const file = join(folder, 'example.mts');
    writeFileSync(
      file,
      example.replaceAll(/'bowerbird\/(\w+)'/g, (_, part) => `'${source(part)}'`),
    );
    const tsx = new URL('node_modules/tsx/dist/esm/index.mjs', root).href;
    const env = { ...process.env, TMPDIR: folder };
    const child = spawnSync(process.execPath, ['--import', tsx, file], { cwd: folder, encoding: 'utf8', env });
    expect(child.status, child.stderr).toBe(0);
    expect(child.stdout).toContain('eszsl');
  });

  it('names every experiment and group of methods', () => {
    for (const name of experimentNames.filter((each) => !each.startsWith('table')))
      expect(page).toContain(`\`${name}\``);
    for (const name of Object.keys(methodGroups)) expect(page).toContain(name);
  });
});
