import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

describe('bowerbird report', () => {
  const folder = temporaryFolder();
  beforeAll(async () => {
    await saveProblem(join(folder, 'p.npz'), generateProblem({ seed: 2, testCategories: 3, dimensions: 12 }));
  });

  const bowerbird = (...words: string[]) =>
    spawnSync(process.execPath, [main, ...words], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });

  it('makes a page of a fit that says how to repeat it', async () => {
    const fitted = bowerbird(
      'fit',
      'p.npz',
      '--out',
      'run',
      '--device',
      'wasm',
      '--method',
      'paper',
      '--lambda2',
      '0.01',
    );
    expect(fitted.status, fitted.stderr).toBe(0);
    const made = bowerbird('report', 'run', '--out', 'report.html', '--title', 'Three birds', '--json');
    expect(made.status, made.stderr).toBe(0);
    const { out, bytes } = JSON.parse(made.stdout) as { out: string; bytes: number };
    const page = await readFile(join(folder, out), 'utf8');
    expect(Buffer.byteLength(page)).toBe(bytes);
    expect(page).toContain('<h1>Three birds</h1>');
    const line = /<pre>(bowerbird fit [^<]*)<\/pre>/.exec(page)![1];
    expect(line).toContain('--lambda2 0.01');
    const again = bowerbird(...line.split(' ').slice(1, -2), '--out', 'again', '--device', 'wasm');
    expect(again.status, again.stderr).toBe(0);
    const predictions = (run: string) => readFile(join(folder, run, 'predictions.csv'), 'utf8');
    expect(await predictions('again')).toBe(await predictions('run'));
  });

  it('shows the listed pictures, wherever they lie, and names those that cannot be read', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } }).toFile(join(elsewhere, 'a.png'));
    const rows = Array.from({ length: 90 }, (_, row) => `${row},${row < 30 ? join(elsewhere, 'a.png') : 'gone.png'}\n`);
    await writeFile(join(folder, 'list.csv'), `row,file\n${rows.join('')}`);
    const made = bowerbird('report', 'run', '--pictures', 'list.csv', '--per-category', '2', '--out', 'shown.html');
    expect(made.status, made.stderr).toBe(3);
    expect(made.stderr).toContain(`8 of the pictures cannot be read, and only their words are shown: ${folder}`);
    expect((await readFile(join(folder, 'shown.html'), 'utf8')).match(/<img src="data:image\/webp/g)).toHaveLength(4);
  });

  it('refuses folders without results, and to guess where the page shall go', () => {
    const nothing = bowerbird('report', '.', '--out', 'nothing.html');
    expect(nothing.status).toBe(2);
    expect(nothing.stderr).toContain('holds no finished results');
    expect(existsSync(join(folder, 'nothing.html'))).toBe(false);
    expect(bowerbird('report', 'run').stderr).toContain('--out is missing');
  });
});
