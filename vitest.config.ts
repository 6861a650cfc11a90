import { defineConfig } from 'vitest/config';

/** Where to write what became of every test, for scripts/ci.mjs. */
const results = process.env.BOWERBIRD_TEST_RESULTS;

/** Folders whose tests compute in their own process, or nearly so: two files at once do not disturb each other. */
const computing = [
  'ask',
  'catalog',
  'datasets',
  'evaluation',
  'fit',
  'formats',
  'language',
  'learner',
  'linalg',
  'methods',
  'numerics',
  'problem',
  'records',
  'registry',
  'report',
  'text',
  'vision',
  'workspace',
].map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: process.env.BOWERBIRD_LONG ? 1_800_000 : 120_000,
    hookTimeout: 120_000,
    setupFiles: ['test/setup.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'computing', include: computing, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      // Browsers, servers, killed processes and counted seconds want the machine for themselves.
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: computing,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    ...(results ? { reporters: ['default', 'json'], outputFile: { json: results } } : {}),
  },
});
