import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: a plain script, without declarations
import { afterRepeating, count, filesWith, line, outcomes, together } from '../../scripts/test-results.mjs';

const root = join('/', 'nest');
const file = (name: string, tests: Record<string, string>, more = {}) => ({
  name: join(root, 'test', name),
  status: 'passed',
  message: '',
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
  ...more,
});

const bare = outcomes(
  {
    success: true,
    testResults: [
      file('a.test.ts', { 'lays eggs': 'passed', 'needs Redis': 'pending', 'needs a GPU': 'skipped' }),
      file('b.test.ts', { sings: 'passed' }),
    ],
  },
  root,
);

it('the sum of two runs counts a test once: failed where it ever did, skipped where it never ran', () => {
  const full = outcomes(
    {
      success: false,
      testResults: [
        file('a.test.ts', { 'lays eggs': 'failed', 'needs Redis': 'passed', 'needs a GPU': 'skipped', new: 'passed' }),
      ],
    },
    root,
  );
  expect(line(count(bare))).toBe('2 passed, 0 failed, 2 skipped');
  expect(line(count(together(bare, full)))).toBe('3 passed, 1 failed, 1 skipped');
  expect(line(count(together(full, bare)))).toBe('3 passed, 1 failed, 1 skipped');
});

it('files with skipped tests are named, once, as vitest takes them', () => {
  expect(filesWith('skipped', bare)).toEqual(['test/a.test.ts']);
});

it('files with failures are named, and what they say when run again stands', () => {
  const first = outcomes(
    {
      success: false,
      testResults: [
        file('a.test.ts', { 'lays eggs': 'failed', 'needs Redis': 'failed' }, { status: 'failed' }),
        file('b.test.ts', { sings: 'passed' }),
        file('c.test.ts', {}, { status: 'failed', message: 'cannot import' }),
      ],
    },
    root,
  );
  expect(filesWith('failed', first)).toEqual(['test/a.test.ts', 'test/c.test.ts']);
  const again = outcomes(
    {
      success: false,
      testResults: [
        file('a.test.ts', { 'lays eggs': 'failed', 'needs Redis': 'passed' }, { status: 'failed' }),
        file('c.test.ts', { flies: 'passed' }),
      ],
    },
    root,
  );
  const { outcomes: sum, unsteady } = afterRepeating(first, again);
  expect(line(count(sum))).toBe('3 passed, 1 failed, 0 skipped');
  expect(unsteady).toEqual(['test/a.test.ts > needs Redis', 'test/c.test.ts: cannot import']);
  // An error outside of the tests belongs to no file that could be run again.
  const stray = outcomes({ success: false, testResults: [file('b.test.ts', { sings: 'passed' })] }, root);
  expect(filesWith('failed', stray)).toEqual([]);
});

it('two tests of the same name are two', () => {
  const twice = { fullName: 'sings', status: 'passed' };
  const both = outcomes(
    { success: true, testResults: [file('a.test.ts', {}, { assertionResults: [twice, twice] })] },
    root,
  );
  expect(count(both).passed).toBe(2);
});

it('a file that does not load and an error outside of the tests are failures', () => {
  const broken = file('c.test.ts', {}, { status: 'failed', message: 'cannot import\nmore' });
  expect(count(outcomes({ success: false, testResults: [broken] }, root))).toMatchObject({ failed: 1 });
  const stray = outcomes({ success: false, testResults: [file('b.test.ts', { sings: 'passed' })] }, root);
  expect(count(stray)).toEqual({ passed: 1, failed: 1, skipped: 0 });
});
