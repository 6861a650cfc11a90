import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compare } from '../../src/evaluation/index.js';
import { findMethod } from '../../src/methods/index.js';
import { loadProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const path = fileURLToPath(new URL('../../../shared/data/cub-web.npz', import.meta.url));
const folder = temporaryFolder();

describe.skipIf(!existsSync(path))('real photographs (skipped where ../shared/data is absent)', () => {
  it('are known for CUB and give the figures measured elsewhere', async () => {
    const problem = await loadProblem(path, { semantics: 'attributes' });
    const methods = ['lr', 'eszsl', 'prototype'].map(findMethod);
    const table = await compare({ problem, folder, methods, jobs: 2, origin: { path } });
    expect(table.paper?.dataset).toBe('cub');
    const [lr, eszsl] = table.rows;
    // Ridge regression on the web pictures 60.4 %, ESZSL with attributes 52 %, by another program with its own parameters.
    expect(Math.abs(lr.accuracy.mean - 0.604)).toBeLessThan(0.02);
    expect(Math.abs(eszsl.accuracy.mean - 0.52)).toBeLessThan(0.04);
    expect(lr.paperAccuracy).toBe(68.39);
    // 1461 pictures: the half-width of the interval is close to 1.96 √(p (1 − p)/n).
    const half = (lr.accuracy.high - lr.accuracy.low) / 2;
    expect(half).toBeCloseTo(1.96 * Math.sqrt((lr.accuracy.mean * (1 - lr.accuracy.mean)) / 1461), 2);
    expect(eszsl.againstReference!.mcnemar).toBeLessThan(0.01);
  });
});
