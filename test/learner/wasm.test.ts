// The learner's suite on the WebAssembly backend, also where a faster one is there.
import { describe } from 'vitest';

process.env.BOWERBIRD_TEST_DEVICE = 'wasm';
describe('on wasm', async () => {
  await import('./agreement.test.js');
  await import('./updates.test.js');
  await import('./resume.test.js');
  await import('./noise.test.js');
  await import('./paper-learner.test.js');
});
