import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    allowOnly: false,
    testTimeout: process.env.BOWERBIRD_LONG ? 1_800_000 : 60_000,
    setupFiles: ['test/setup.ts'],
  },
});
