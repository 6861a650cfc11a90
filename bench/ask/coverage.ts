/** Simulated folders in which pictures are checked among questions chosen for their worth: how often the interval holds. */
import { type AccuracyEstimate, type AnsweredQuestion, drawCheck, estimateAccuracy } from '../../src/fit/index.js';
import { Random } from '../../src/linalg/index.js';

export interface SimulatedFolder {
  readonly confidence: Float64Array;
  /** 1 where the fit is right. */
  readonly right: Uint8Array;
}

/** A folder whose confidence is off by an unknown factor and offset, as real ones are. */
export function drawSimulatedFolder(random: Random, most = 1500): SimulatedFolder {
  const n = 150 + random.integer(most - 150);
  const [sure, slope, shift] = [0.5 + 2.5 * random.uniform(), 0.5 + 0.8 * random.uniform(), 0.7 * random.normal()];
  const confidence = new Float64Array(n);
  const right = new Uint8Array(n);
  for (let j = 0; j < n; j++) {
    const odds = sure + 1.5 * random.normal();
    confidence[j] = 1 / (1 + Math.exp(-odds));
    right[j] = random.uniform() < 1 / (1 + Math.exp(-slope * odds - shift)) ? 1 : 0;
  }
  return { confidence, right };
}

/** Between two checks up to three of the least sure pictures are asked about; the truth is the share that is right afterwards. */
function check({ confidence, right }: SimulatedFolder, checks: number, random: Random) {
  const order = [...confidence.keys()].sort((a, b) => confidence[a] - confidence[b]);
  const open = new Set(order);
  const start = random.uniform();
  const questions: AnsweredQuestion[] = [];
  for (let k = 0; k < checks; k++) {
    let chosen = random.integer(4);
    for (const j of open) {
      if (chosen-- <= 0) break;
      open.delete(j);
      questions.push({ right: right[j] === 1 });
    }
    const rows = [...open];
    const found = drawCheck(
      Float64Array.from(rows, (j) => confidence[j]),
      k,
      start,
    );
    if (!found) break;
    open.delete(rows[found.picture]);
    questions.push({ right: right[rows[found.picture]] === 1, drawn: found.drawn });
  }
  const n = confidence.length;
  const wrong = [...open].filter((j) => right[j] === 0).length;
  return { truth: 1 - wrong / n, estimate: estimateAccuracy(questions, n - open.size, n) as AccuracyEstimate };
}

export interface Coverage {
  /** Share of folders whose accuracy lies in the interval. */
  readonly held: number;
  readonly width: number;
  readonly bias: number;
}

export function coverage(folders: number, checks: number, seed: number, most?: number): Coverage {
  const random = new Random(seed, checks);
  let [held, width, bias] = [0, 0, 0];
  for (let k = 0; k < folders; k++) {
    const { truth, estimate } = check(drawSimulatedFolder(random, most), checks, random);
    if (estimate.low <= truth && truth <= estimate.high) held++;
    width += (estimate.high - estimate.low) / folders;
    bias += (estimate.accuracy - truth) / folders;
  }
  return { held: held / folders, width, bias };
}
