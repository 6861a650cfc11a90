/** The strangers of a folder: what they are told by, and how many there seem to be. */
import type { Placed } from './ground.js';
import type { Neighbours } from './neighbours.js';
import type { Rehearsal } from './rehearsal.js';
import { SignReader } from './signs.js';
import type { BowerbirdSolver } from './solver.js';
import {
  type Detector,
  leastCompany,
  lonelyRows,
  ratiosInCompany,
  reluctance,
  type Signs,
  type StrangerModel,
  type Strangers,
  strangerRatios,
  strangersAmong,
  walkingDetector,
} from './strangers.js';
import type { TestSide } from './test-state.js';

/** What strangers are told by: signs of the pictures, and how many pictures each listed category has at first sight. */
export interface StrangerSigns {
  readonly rows: Signs;
  readonly counts: Float64Array;
  /** Share of the web pictures that are believed. */
  readonly believed: number;
}

export function rowsOfStrangers(
  alone: BowerbirdSolver,
  pictures: Placed,
  variance: number,
  neighbours: Neighbours,
  { yardstick }: StrangerModel,
): Signs {
  if (pictures.rows.rows < leastCompany) return lonelyRows(alone, pictures, variance);
  const reader = new SignReader(alone, variance);
  return reader.read(pictures, neighbours, reader.yardstick() ?? yardstick, true);
}

export function findStrangers(
  { pictures, known }: TestSide,
  signs: StrangerSigns | undefined,
  neighbours: Neighbours,
  rehearsal: Rehearsal | undefined,
): Strangers {
  const n = pictures.rows.rows;
  if (!rehearsal || !signs) {
    const said = Float64Array.from({ length: n }, (_, j) => (known?.[j] === -1 ? 1 : 0));
    return { unlisted: said, share: 0, weights: said.map((chance) => 1 - chance) };
  }
  const { strangers: model } = rehearsal;
  const { rows, counts, believed } = signs;
  if (n < leastCompany) return strangersAmong(strangerRatios(model.lonely, rows), reluctance.lonely, known);
  const among = (ratios: Float64Array, detector: Detector) =>
    strangersAmong(ratios, reluctance.company, known, detector);
  const standing = among(ratiosInCompany(model, rows, neighbours, counts, known), model.company);
  const walking = walkingDetector(model, counts, believed);
  if (!walking) return standing;
  // Weighing pictures by where walks end costs accuracy where there are no strangers.
  return { ...among(strangerRatios(walking, rows, neighbours, known), walking), weights: standing.weights };
}
