/**
 * What each part of `bowerbird` is worth: the method without it, on validation categories and on test categories.
 *
 * Options: `--data FILE`, `--semantics NAME,NAME` (`semantics` are the plain arrays), `--write` (into docs/method.md).
 */
import { parseArgs } from 'node:util';
import { accuracy, rocArea } from '../src/fit/index.js';
import { createBackend } from '../src/linalg/index.js';
import { Bowerbird, type BowerbirdOptions } from '../src/methods/index.js';
import { loadProblem, validationSplit } from '../src/problem/index.js';
import { markdownTable } from './shared/document.js';
import { writeResults } from './shared/results.js';

const variants: readonly [title: string, change: Partial<BowerbirdOptions>][] = [
  ['everything', {}],
  ['one round: web pictures and words, all trusted alike', { rounds: 1 }],
  ['plain distances (no whitening)', { shrinkage: 1e6 }],
  ['features as they are (power 1)', { power: 1 }],
  ['without words (trust 0)', { trust: 0 }],
  ['words fully trusted (trust 0.99)', { trust: 0.99 }],
  ['without titles and tags', { textWeight: 0 }],
  ['without neighbours', { neighbourWeight: 0 }],
  ['shares stated to be equal', { shares: 'equal' }],
  ['Gaussian web pictures', { tails: 1e3 }],
  ['sharpness of rehearsals', { sharpness: 1 }],
];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data/cub-web.npz' },
      semantics: { type: 'string', default: 'attributes,semantics' },
      write: { type: 'boolean', default: false },
    },
  });
  const names = values.semantics.split(',');
  const backend = await createBackend();
  const cells = variants.map(([title]) => [title]);
  for (const semantics of names) {
    const problem = await loadProblem(values.data, { semantics });
    for (const rehearsal of [true, false]) {
      const given = rehearsal ? validationSplit(problem) : problem;
      for (const [k, [title, change]] of variants.entries()) {
        const method = await new Bowerbird(change).fit(given, { backend });
        const percent = 100 * accuracy(method.predict(given.testFeatures), given.testLabels!);
        cells[k].push(percent.toFixed(1));
        if (!rehearsal && given.webKinds) {
          const clean = given.webKinds.map((kind) => kind === 'clean');
          cells[k].push(rocArea(method.webWeights_, clean).toFixed(3));
        }
        console.error(`${semantics}, ${rehearsal ? 'validation' : 'test'}, ${title}: ${percent.toFixed(1)}`);
      }
    }
  }
  backend.dispose();
  const text = [
    'Accuracy in percent with default parameters, and the area under the curve of the trust in web pictures.',
    `Command: \`npm run bench -- ablation\`.`,
    '',
    markdownTable(['', ...names.flatMap((name) => [`${name}: validation`, 'test', 'area'])], cells),
  ].join('\n');
  console.log(text);
  if (values.write) writeResults('ablation', text, 'method.md');
}
