/**
 * Web problems out of labelled photographs, for splits of which there are no web pictures: the data set's own training
 * half of the test categories plays the web pictures, some of them exchanged for pictures of other categories; its other
 * half is to be classified. No picture is in two places. There is no text.
 */
import { Random } from '../../src/linalg/index.js';
import type { Problem } from '../../src/problem/index.js';
import { type Cub, type CubSplit, cubProblem, readCub } from '../zero-shot/cub.js';

/** As in `cub-web.npz`. */
const wrongShare = 0.38;
/** Half of the wrong pictures show one of this many categories with the most similar attributes. */
const confusable = 5;

export async function plantedProblem(path: string, split: CubSplit): Promise<Problem> {
  const cub = await readCub(path, split);
  const random = new Random(1);
  const shuffled = (values: number[]) => Array.from(random.permutation(values.length), (k) => values[k]);
  const training = cub.names.map((_, category) =>
    shuffled([...cub.labels.keys()].filter((i) => cub.labels[i] === category && cub.officialTrain[i])),
  );
  const web: { row: number; claimed: number; kind: string }[] = [];
  const wrong = new Map<number, number>();
  // What a test category gives up may turn up under another name.
  for (const category of cub.test) {
    wrong.set(category, Math.round(wrongShare * training[category].length));
    for (const row of training[category].splice(wrong.get(category)!))
      web.push({ row, claimed: category, kind: 'clean' });
  }
  const spare = training;
  for (const [category, count] of wrong) {
    const near = nearest(cub, category).slice(0, confusable);
    const far = [...cub.names.keys()].filter((other) => other !== category && !near.includes(other));
    for (let k = 0; k < count; k++) {
      const kind = k % 2 === 0 ? 'confused' : 'other';
      const source = shuffled(kind === 'confused' ? near : far).find((other) => spare[other].length > 0);
      if (source !== undefined) web.push({ row: spare[source].pop()!, claimed: category, kind });
    }
  }
  const taken = new Set(web.map(({ row }) => row));
  const rest = [...cub.labels.keys()].filter((row) => !taken.has(row));
  const unseen = rest.filter((row) => !cub.officialTrain[row]);
  return cubProblem(cub, rest, unseen, web);
}

/** All other categories, those with the most similar attributes first. */
function nearest({ names, attributes }: Cub, category: number): number[] {
  const own = Array.from(attributes.row(category));
  const cosines = names.map((_, c) => {
    const row = Array.from(attributes.row(c));
    return row.reduce((sum, value, j) => sum + value * own[j], 0) / Math.hypot(...row);
  });
  return [...names.keys()].filter((c) => c !== category).sort((a, b) => cosines[b] - cosines[a]);
}
