/**
 * What was learnt as formulas in the features, for pictures that come later: a picture x of `power` and unit length lies at
 * (x − centre) M of the whitened space, so scale · (x·μ − ½‖μ‖² − μ·δ) + offset is linear in x.
 */
import type { Matrix } from '../../linalg/index.js';
import { type LinearModel, transposedModel } from '../../numerics/index.js';
import { type StrangerDecision, stackRows } from '../../problem/index.js';
import type { WhitenedSpace } from '../blocks/whitened-space.js';
import type { BowerbirdSolver } from './solver.js';
import type { StrangerModel } from './strangers.js';

export function linearFormula(
  space: WhitenedSpace,
  given: Matrix,
  scale: number,
  { offsets, shift }: { offsets?: Float64Array; shift?: Float64Array } = {},
): LinearModel {
  const means = given.copy('float64');
  const weights = space.pullBack(means);
  const intercepts = new Float64Array(means.rows);
  const centre = space.auxiliaryCentre;
  for (let c = 0; c < means.rows; c++) {
    const [mean, row] = [means.row(c), weights.row(c)];
    let [squares, along] = [0, 0];
    for (let k = 0; k < mean.length; k++) {
      squares += mean[k] * mean[k];
      along += mean[k] * (shift?.[k] ?? 0);
    }
    intercepts[c] = (offsets?.[c] ?? 0) - scale * (squares / 2 + along);
    for (let k = 0; k < row.length; k++) {
      row[k] *= scale;
      intercepts[c] -= row[k] * centre[k];
    }
  }
  return { weights, intercepts };
}

/** The judgement of `lonelyRows` and its detector, at the odds of strangers in the folder. */
export function strangerFormula(later: {
  solver: BowerbirdSolver;
  variance: number;
  model: StrangerModel;
  odds: number;
}): Omit<StrangerDecision, 'power'> {
  const { solver, variance, model, odds } = later;
  const { ground, options } = solver;
  const { own, prior } = model.lonely;
  const means = solver.candidateMeans();
  const all = stackRows(means, solver.otherMeans());
  return {
    ...transposedModel(linearFormula(ground.space, all, options.sharpness / variance)),
    candidates: means.rows,
    coefficients: own.weights,
    intercept: own.intercept - prior + odds,
  };
}
