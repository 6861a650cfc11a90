// The backend the learner's tests run on: the fastest there is, or the one another test file asks for.
import { createBackend } from '../../src/linalg/create.js';

type Device = NonNullable<Parameters<typeof createBackend>[0]>['device'];

export const backend = await createBackend({
  device: (process.env.BOWERBIRD_TEST_DEVICE ?? 'auto') as Device,
  threads: 1,
});
