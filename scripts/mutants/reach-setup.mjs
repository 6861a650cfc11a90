// Set-up of test files while it is found out which tests reach which mutant: says where to write and which test is running.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';

const { testPath } = expect.getState();
process.env.MUTANTS_REACHED = join(
  process.env.MUTANTS_REACHED_FOLDER,
  createHash('sha256').update(testPath).digest('hex').slice(0, 16),
);

beforeEach(({ task }) => {
  const names = [];
  for (let part = task; part?.name && part !== task.file; part = part.suite) names.unshift(part.name);
  globalThis.mutantsTest = task.concurrent ? '' : names.join(' ');
});
afterEach(() => {
  globalThis.mutantsTest = '';
});
