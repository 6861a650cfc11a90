/** A folder, a strategy and a simulated person: how right the folder is after so many answers. */
import { beliefsOf, costOf, verdicts } from '../../src/ask/index.js';
import { type Backend, Random } from '../../src/linalg/index.js';
import { createMethod, findMethod } from '../../src/methods/index.js';
import { type Folder, unanswered } from '../../src/problem/index.js';
import { strategies } from './strategies.js';

export const checkpoints = [0, 20, 50, 70, 100, 200];
/** Questions between two refits, the same for all strategies; somebody at the keyboard has one after every answer. */
const [firstBatch, laterBatch] = [10, 25];

export interface Curve {
  /** Share of the folder that is right at each checkpoint, answered pictures included; strangers are right as strangers. */
  readonly accuracy: number[];
  readonly seconds: number[];
}

export async function simulate(
  { problem, truth }: Folder,
  strategy: string,
  wrong: number,
  backend: Backend,
  seed: number,
): Promise<Curve> {
  const method = await createMethod(findMethod('bowerbird'), {}, seed).fit(problem, { backend });
  const known = new Int32Array(truth.length).fill(unanswered);
  const mixed = new Set<number>();
  const random = new Random(seed, 17);
  const right = () => {
    const said = verdicts(beliefsOf(method, problem, known).chances);
    return truth.filter((category, j) => said[j] === category).length / truth.length;
  };
  const label = (row: number) => {
    if (random.uniform() >= wrong) return truth[row];
    // Any other category, as likely as the next.
    const others = [...problem.testNames.keys()].filter((category) => category !== truth[row]);
    return others[random.integer(others.length)];
  };
  const curve: Curve = { accuracy: [right()], seconds: [] };
  let spent = 0;
  for (const goal of checkpoints.slice(1)) {
    while (spent < goal) {
      const batch = Math.min(spent < 50 ? firstBatch : laterBatch, goal - spent);
      let left = batch;
      for (const asking of strategies[strategy]({ method, problem, known, mixed, seed }, batch)) {
        if (left <= 0) break;
        left -= costOf(asking);
        if (asking.kind === 'picture') known[asking.row] = label(asking.row);
        else if (asking.kind === 'group') {
          const same = asking.rows.every((row) => truth[row] < 0) && random.uniform() >= wrong;
          for (const row of asking.rows) {
            if (same) known[row] = -1;
            else mixed.add(row);
          }
        }
      }
      // What a group cost beyond the batch comes off the next one.
      spent += left === batch ? batch : batch - left;
      const begun = performance.now();
      await method.refit!({ test: known.slice() });
      curve.seconds.push((performance.now() - begun) / 1000);
    }
    curve.accuracy.push(right());
  }
  return curve;
}
