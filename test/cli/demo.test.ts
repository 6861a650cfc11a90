import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.js';

let out = '';
beforeEach(() => {
  out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface DemoResult {
  methods: { method: string; accuracy: number }[];
  weightRocArea: number;
}

describe('bowerbird demo', () => {
  it('learns more from both sources than from either, and tells right web pictures from wrong ones', async () => {
    expect(await run(['demo', '--json', '--device', 'wasm', '--threads', '1'])).toBe(0);
    const { methods, weightRocArea } = JSON.parse(out) as DemoResult;
    const [web, names, both] = methods.map((row) => row.accuracy);
    expect(both).toBeGreaterThan(web);
    expect(both).toBeGreaterThan(names);
    expect(weightRocArea).toBeGreaterThan(0.9);
  });

  it('prints a table for people', async () => {
    expect(await run(['demo', '--seed', '2'])).toBe(0);
    expect(out).toMatch(/both \(bowerbird\) +\d+\.\d %/);
  });
});
