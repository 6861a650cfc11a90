import { defineConfig } from 'vitest/config';

/** Where to write what became of every test, for scripts/ci.mjs. */
const results = process.env.BOWERBIRD_TEST_RESULTS;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: process.env.BOWERBIRD_LONG ? 1_800_000 : 60_000,
    setupFiles: ['test/setup.ts'],
    ...(results ? { reporters: ['default', 'json'], outputFile: { json: results } } : {}),
  },
});
