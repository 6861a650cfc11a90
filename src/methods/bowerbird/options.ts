/** The parameters of the method, and what is taken where nothing could be rehearsed. */
import { choice, linear, log, number, type OptionsOf, whole } from '../../parameters.js';
import type { Rehearsal } from './rehearsal.js';
import type { SolverOptions } from './solver.js';

export const parameters = {
  shrinkage: number('added to the within-category covariance, as a share of its mean eigenvalue', 0.2, {
    above: 0,
    range: log(0.05, 1),
  }),
  power: number('exponent of the features, signs kept', 0.75, { above: 0, range: linear(0.5, 1) }),
  sharpness: number('how sharply distances decide in a folder, times what rehearsals say', 1.3, {
    above: 0,
    range: log(0.7, 3),
  }),
  neighbourWeight: number('how much similar test pictures count; 0: not at all', 2.5, {
    least: 0,
    range: linear(0, 5),
  }),
  // Not searched for: it decides how well wrong pictures are told, which accuracy on other categories hardly shows.
  textWeight: number('how much titles and tags count; 0: not at all', 0.2, { least: 0 }),
  shares: choice('shares of the categories among the test pictures', 'unknown', ['unknown', 'equal']),
  trust: number('trust in words from 0 to 1; -1: learnt from auxiliary categories', -1, { least: 0, most: 1, or: -1 }),
  tails: number('degrees of freedom of web pictures, per dimension', 0.2, { above: 0 }),
  neighbours: whole('similar pictures each test picture is joined with', 10),
  answerWeight: number('pictures that one which a person named counts for among its neighbours', 3, { least: 1 }),
  smoothing: number('words of prior in the language model of a category', 200, { above: 0 }),
  rounds: whole('most rounds of the alternation', 100),
};

export type BowerbirdOptions = OptionsOf<typeof parameters>;

/** Where there are too few auxiliary categories to rehearse with. */
export const withoutRehearsal = {
  sharpness: 0.1,
  spread: 1.2,
  evidence: { slope: 0.5, intercept: 1 },
  sureness: { factor: 0.5, doubt: 0.05 },
};

/** Of web pictures in a folder (solver.ts). */
const folderCaution = 0.5;

/** What a picture by itself is answered with. */
export function aloneOptions(options: BowerbirdOptions, rehearsal: Rehearsal | undefined): SolverOptions {
  return {
    sharpness: rehearsal?.sharpness ?? withoutRehearsal.sharpness,
    tails: options.tails,
    evidence: rehearsal?.evidence ?? { ...withoutRehearsal.evidence, text: options.textWeight },
    caution: 1,
  };
}

/** What a folder is settled with. */
export function folderOptions(options: BowerbirdOptions, alone: SolverOptions): SolverOptions {
  return { ...alone, sharpness: options.sharpness * alone.sharpness, caution: folderCaution };
}
