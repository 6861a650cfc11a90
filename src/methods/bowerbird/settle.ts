/**
 * The way from what the web pictures say to an answer for a folder: rounds that describe the folder, then rounds that each
 * raise the objective until the answers rest.
 */
import { type BowerbirdSolver, webRest } from './solver.js';
import { type TestSide, TestState } from './test-state.js';

/** Rounds that describe the folder; after two thirds of them its shift is estimated. */
const describing = 12;
/** The same where the last estimate of the same folder is gone on from, and all rounds of such a refit. */
const describingAgain = 2;
export const mostRoundsAgain = 12;
/** While the folder is described: many web pictures whose trust rests are looked at only once in so many rounds. */
const webPause = 3;
/** Mean change of the answers at which they are taken to rest. */
const rest = 1e-3;

export interface Settled {
  readonly solver: BowerbirdSolver;
  readonly state: TestState;
  readonly rounds: number;
  readonly converged: boolean;
  /** After each of the rounds that raise it. */
  readonly objective: readonly number[];
}

/**
 * @param start has learnt from the web pictures; it is left as it is
 * @param pause called after every round with the number of rounds and the change of the answers
 * @param heat share of the sharpness that the first round has; it rises to all of it while the folder is described. Low, it
 * lets the shares speak first: right in a folder of few categories, where many look alike
 * @param last where an estimate of the same folder came to rest, before more was known of it
 */
export async function settle(
  start: BowerbirdSolver,
  side: TestSide,
  mostRounds: number,
  pause: (rounds: number, change: number) => Promise<void>,
  { heat = 1, last }: { heat?: number; last?: TestState } = {},
): Promise<Settled> {
  const solver = start.fork();
  const state = new TestState(solver, side);
  if (last) state.goOnFrom(last);
  const objective: number[] = [];
  let [rounds, change] = [0, 1];
  const described = Math.min(last ? describingAgain : describing, mostRounds);
  const shifting = Math.round((2 * describing) / 3);
  // The round in which the web pictures are looked at next.
  let due = 0;
  for (let step = 0; step < described; ) {
    if (!last && step === shifting) state.updateShift(start);
    state.heat = last ? 1 : Math.min(1, heat + (1 - heat) * (step / (describing - 2)));
    state.updateVariance();
    if (rounds >= due || step === described - 1) {
      solver.shiftWeb();
      solver.updateMeans(state);
      due = rounds + (solver.judgeWeb() < webRest && solver.manyWeb ? webPause : 1);
    } else solver.updateMeans(state);
    state.candidates.stretch();
    change = state.assign(true);
    step++;
    // In a large folder that rests already the rounds before the shift, and those between it and the last one, are left out.
    if (state.large && heat === 1 && change <= rest)
      step = Math.max(step, step <= shifting ? Math.min(shifting, described - 1) : described - 1);
    await pause(++rounds, change);
  }
  state.heat = 1;
  solver.hold();
  if (mostRounds > 0) objective.push(solver.webTerms() + state.terms());
  while (rounds < mostRounds && change > rest) {
    solver.updateMeans(state);
    solver.judgeWeb();
    change = state.assign(false);
    objective.push(solver.webTerms() + state.terms());
    await pause(++rounds, change);
  }
  return { solver, state, rounds, converged: change <= rest, objective };
}

/** The answer for a picture without company: its scores, and what is known of the shares beforehand. */
export function answerAlone(state: TestState): void {
  const { shares } = state.side;
  if (typeof shares !== 'string') state.offsets = shares.map((share) => Math.log(Math.max(share, 1e-12)));
}
