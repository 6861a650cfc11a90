/** The GPU of this machine, if there is one. */
import { findGpu } from '../../src/linalg/cuda/index.js';

export const gpu = await findGpu().catch(() => undefined);
