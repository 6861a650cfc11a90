/** What rehearsals teach bowerbird of strangers. */
import { expect, it } from 'vitest';
import { createBackend } from '../../../src/linalg/create.js';
import { parameters } from '../../../src/methods/bowerbird/options.js';
import { Rehearsal } from '../../../src/methods/bowerbird/rehearsal.js';
import { resolveParameters } from '../../../src/parameters.js';
import { generateProblem } from '../../../src/problem/generate.js';

const backend = await createBackend({ threads: 1 });
const sizes = { auxiliaryCategories: 24, auxiliaryPerCategory: 30, testCategories: 8, dimensions: 32, noise: 3 };

it.each([
  [6, false],
  [12, true],
])(
  '%i web pictures of a category let neighbours speak for the share of strangers: %s',
  async (webPerCategory, heard) => {
    const problem = generateProblem({ ...sizes, webPerCategory, text: false, validation: false, seed: 5 });
    const options = resolveParameters('bowerbird', parameters, {});
    const rehearsal = await Rehearsal.hold(problem, backend, options, async () => {});
    const { weights, intercept } = rehearsal!.strangers.company.ofShare;
    expect(weights[0] < 1 || intercept !== 0).toBe(heard);
  },
);
