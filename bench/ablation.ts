/**
 * What each part of `bowerbird` is worth: the method without it, in folders of several regimes.
 *
 * Problems and regimes are those of the benchmark wild. Options: `--data DIR`, `--cache DIR` (features of birds-mini), `--problem NAME`,
 * `--regimes A,B`, `--seed N`, `--write` (into docs/method.md).
 */
import { parseArgs } from 'node:util';
import { createBackend } from '../src/linalg/index.js';
import { markdownTable } from './shared/document.js';
import { writeResults } from './shared/results.js';
import { calibrationError } from './wild/calibration.js';
import { type Measurement, measure } from './wild/measure.js';
import { wildSources } from './wild/problems.js';
import { drawRegime, regimes } from './wild/regimes.js';

const variants: readonly [title: string, method: string][] = [
  ['everything', 'bowerbird'],
  ['web pictures and words, the folder hardly looked at (1 round)', 'bowerbird:rounds=1'],
  ['plain distances (no whitening)', 'bowerbird:shrinkage=1000000'],
  ['features as they are (power 1)', 'bowerbird:power=1'],
  ['without words (trust 0)', 'bowerbird:trust=0'],
  ['words fully trusted (trust 0.99)', 'bowerbird:trust=0.99'],
  ['without titles and tags', 'bowerbird:textWeight=0'],
  ['without neighbours', 'bowerbird:neighbourWeight=0'],
  ['shares stated to be equal', 'bowerbird:shares=equal'],
  ['Gaussian web pictures', 'bowerbird:tails=1000'],
  ['sharpness of rehearsals', 'bowerbird:sharpness=1'],
];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      cache: { type: 'string', default: 'scratch/wild/features' },
      problem: { type: 'string', default: 'cub-web' },
      regimes: { type: 'string', default: 'equal,long-tail,fifth,strangers-30' },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const source = wildSources(values.data, values.cache)[values.problem];
  const [names, seed] = [values.regimes.split(','), Number(values.seed)];
  const found = variants.map((): Measurement[] => []);
  const backend = await createBackend();
  try {
    for (const name of names) {
      const folder = drawRegime(regimes[name], await source.make(seed, regimes[name].web ?? {}), 1000 * seed);
      for (const [k, [title, method]] of variants.entries()) {
        const measured = await measure(method, folder, backend, seed);
        if ('failure' in measured) throw new Error(`${title}, ${name}: ${measured.failure}`);
        found[k].push(measured);
        console.error(`${regimes[name].title}, ${title}: ${percentRight(measured)}`);
      }
    }
  } finally {
    backend.dispose();
  }
  const rows = variants.map(([title], k) => {
    const confidence = found[k].reduce((sum, each) => sum + calibrationError(each.confidence), 0) / names.length;
    const area = found[k].reduce((sum, each) => sum + (each.webArea ?? Number.NaN), 0) / names.length;
    return [title, ...found[k].map(percentRight), confidence.toFixed(3), area.toFixed(3)];
  });
  const text = [
    `${source.title}: one folder of each regime (seed ${seed}), default parameters but for the change. Accuracy in percent; means over the regimes of the`,
    'calibration error of the confidence and of the area under the curve of the trust in web pictures. Differences below a point are chance.',
    `Command: \`npm run bench -- ablation${values.problem === 'cub-web' ? '' : ` --problem ${values.problem}`}\`.`,
    '',
    markdownTable(['', ...names.map((name) => regimes[name].title), 'confidence', 'trust'], rows),
  ].join('\n');
  console.log(text);
  if (values.write) writeResults('ablation', text, 'method.md');
}

const percentRight = ({ right, pictures }: Measurement): string => ((100 * right) / pictures).toFixed(1);
