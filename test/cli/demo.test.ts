import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { run } from '../../src/cli/run.js';
import { temporaryFolder } from '../temporary-folder.js';
import { catchOutput } from './output.js';

const folder = temporaryFolder();
const printed = catchOutput();

interface DemoResult {
  methods: { method: string; accuracy: number; recognized?: number }[];
  strangers: number;
  weights: { right: number; wrong: number; wrongLow: number; rightLow: number };
  stages: { stage: string; outcome: string }[];
}

describe('bowerbird demo', () => {
  const workspace = () => join(folder, 'aviary');
  let first: DemoResult;

  // About ten seconds on two free cores.
  it('runs every stage on a small aviary and scores the methods', async () => {
    expect(await run(['demo', '--small', '--json', '--out', workspace()])).toBe(0);
    first = JSON.parse(printed.out) as DemoResult;
    expect(first.stages.filter(({ outcome }) => outcome !== 'ran')).toMatchObject([
      { stage: 'tune', outcome: 'omitted' },
    ]);
    const accuracies = Object.fromEntries(first.methods.map(({ method, accuracy }) => [method, accuracy]));
    // Four species: chance is a quarter.
    expect(accuracies.lr).toBeGreaterThan(0.4);
    expect(accuracies.eszsl).toBeGreaterThan(0.4);
    // Two species nobody listed, four pictures of each, and three of something else.
    expect(first.strangers).toBe(11);
    expect(first.methods.filter(({ recognized }) => recognized !== undefined).map(({ method }) => method)).toEqual([
      'bowerbird',
      'bowerbird, no text',
    ]);
    expect(first.weights.wrong).toBeGreaterThan(8);
    expect(first.weights.right).toBeGreaterThan(8);
    expect(existsSync(join(workspace(), 'report.html'))).toBe(true);
  }, 240_000);

  it('finds everything done when the folder is given again, and prints the same figures as a table', async () => {
    expect(await run(['demo', '--small', '--out', workspace()])).toBe(0);
    for (const { method, accuracy } of first.methods)
      expect(printed.out).toMatch(new RegExp(`${method} +.* ${(100 * accuracy).toFixed(1)} %`));
    expect(printed.out).toContain('wrong web pictures');
    expect(printed.out).toContain(workspace());
    expect(printed.errors).not.toContain('crawl:');
  });

  it('does not write into a folder that holds something else, nor another aviary', async () => {
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    expect(await run(['demo', '--small', '--out', folder])).toBe(2);
    expect(printed.errors).toContain('holds no demonstration');
    expect(await run(['demo', '--small', '--seed', '9', '--out', workspace()])).toBe(2);
    expect(printed.errors).toContain('another demonstration (seed 1');
  });

  it('leaves nothing when it is interrupted, and says how it could be gone on with', async () => {
    const place = join(folder, 'temporary');
    mkdirSync(place);
    const child = spawn(process.execPath, [fileURLToPath(artefact('cli/main.js')), 'demo', '--small'], {
      env: { ...process.env, TMPDIR: place },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    while (readdirSync(place).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect([code, errors]).toEqual([130, expect.stringContaining('With --out FOLDER it goes on')]);
    expect(readdirSync(place)).toEqual([]);
  }, 60_000);
});
