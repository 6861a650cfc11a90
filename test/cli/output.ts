/** What commands print while a test runs: caught, not shown. */
import { afterEach, beforeEach, vi } from 'vitest';

/** Catches stdout and stderr in every test of the file, or of the `describe`, that calls it; both start empty. */
export function catchOutput(): { out: string; errors: string } {
  const printed = { out: '', errors: '' };
  beforeEach(() => {
    [printed.out, printed.errors] = ['', ''];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed.out += text;
      return true;
    });
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      printed.errors += text;
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return printed;
}
