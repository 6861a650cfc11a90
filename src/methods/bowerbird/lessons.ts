/** What the worlds of a rehearsal teach of web pictures and of strangers: there, right and wrong are known. */
import { type Backend, Matrix } from '../../linalg/index.js';
import { selectPlaced } from './ground.js';
import { column, fitLogistic } from './logistic.js';
import { Neighbours } from './neighbours.js';
import { meanYardstick, SignReader } from './signs.js';
import type { BowerbirdSolver, Evidence } from './solver.js';
import { lonelyRows, type Seen, type StrangerModel, teachDetector } from './strangers.js';
import { distances, logOdds } from './vectors.js';
import { shareOfRightLabels } from './web-trust.js';
import { allOccur, fewOccur, folderWith, isListed, type Occurring, type World } from './worlds.js';

/** The share of wrong web pictures as their trust has it, without what is usual. */
export function meanDistrust(solvers: readonly BowerbirdSolver[]): number {
  const trust = solvers.flatMap((solver) => [...solver.trust]);
  return 1 - trust.reduce((sum, value) => sum + value, 0) / Math.max(1, trust.length);
}

/** Squared distances of web pictures from the means of clean pictures, which a real fit does not have, of listed and known categories. */
function distancesToCleanMeans({ ground, solver, pictures, truth }: World): Matrix<Float64Array> {
  const { backend, known, web, dimension } = ground;
  const count = solver.categories;
  const clean = Matrix.zeros(count + known.means.rows, dimension);
  const numbers = new Float64Array(count);
  const here = pictures.rows.copy();
  for (let j = 0; j < truth.length; j++) {
    if (!isListed(truth[j], solver)) continue;
    const [to, from] = [clean.row(truth[j]), here.row(j)];
    for (let k = 0; k < to.length; k++) to[k] += from[k];
    numbers[truth[j]]++;
  }
  // As far as the pictures of a category determine its mean.
  const ratio = known.within / known.between;
  for (let c = 0; c < count; c++) {
    const row = clean.row(c);
    for (let k = 0; k < row.length; k++) row[k] /= numbers[c] + ratio;
  }
  clean.view(count, clean.rows).copyFrom(known.means);
  for (let c = 0; c < clean.rows; c++) {
    const row = clean.row(c);
    for (let k = 0; k < row.length; k++) row[k] += solver.webShift[k];
  }
  const all = Matrix.zeros(web.count, clean.rows);
  web.visit((rows, start) => {
    const squaredLengths = web.squaredLengths.subarray(start, start + rows.rows);
    all.view(start, start + rows.rows).copyFrom(distances(backend, { rows, squaredLengths }, clean));
  });
  return all;
}

const sharpnessAt = ({ solver, variance }: World): number => (0.5 * solver.options.sharpness) / variance;

/** The chance that each crawled picture is right. */
function judgedByCleanMeans(world: World): Float64Array {
  const { webLabels } = world.ground;
  const far = distancesToCleanMeans(world);
  const sharpness = sharpnessAt(world);
  return Float64Array.from(webLabels, (label, i) => {
    const row = far.row(i);
    let others = 0;
    for (let c = 0; c < row.length; c++) if (c !== label) others += Math.exp(-sharpness * (row[c] - row[label]));
    // Right and wrong are as likely beforehand; a wrong one shows any other category.
    return 1 / (1 + others / (row.length - 1));
  });
}

/** The share of crawled pictures that are right, as their labels and the clean pictures tell it. */
export function shareOfRight(world: World): number {
  const { ground, solver } = world;
  return shareOfRightLabels(distancesToCleanMeans(world), ground.webLabels, solver.categories, sharpnessAt(world));
}

/** How far the evidence of web pictures' looks is to be believed beside that of their words. */
export function learnEvidence(worlds: readonly World[], text: number): Evidence {
  const evidence: number[] = [];
  const targets: number[] = [];
  const offsets: number[] = [];
  for (const world of worlds) {
    const { looks, words } = world.solver.webEvidence();
    const right = world.right ?? judgedByCleanMeans(world);
    for (let i = 0; i < looks.length; i++) {
      evidence.push(Math.max(-30, Math.min(30, looks[i])));
      targets.push(right[i]);
      offsets.push(text * (words?.[i] ?? 0));
    }
  }
  const share = targets.reduce((sum, value) => sum + value, 0) / targets.length;
  if (!(share > 0.02 && share < 0.98)) return { slope: 1, intercept: 0, text };
  const { weights, intercept } = fitLogistic(column(evidence), targets, 1, offsets);
  return {
    slope: Math.min(2, Math.max(0.25, weights[0])),
    intercept: Math.min(3, Math.max(-8, intercept - logOdds(share))),
    text,
  };
}

/** Shares of strangers in folders of few categories, and that in folders of all of them beside the many of the plays. */
const fewStrangerShares = [0.3, 0.2, 0.5];
const smallShares = [0.1];
/** Web pictures of a category below which means are so poor that listed pictures look strange: strangers are then claimed with caution. */
const fewWeb = 8;

export function learnStrangers(backend: Backend, worlds: readonly World[], nearest: number): StrangerModel {
  const readers = worlds.map(({ solver, variance }) => new SignReader(solver, variance));
  const yardsticks = readers.map((reader) => reader.yardstick());
  const usual = meanYardstick(yardsticks.filter((yardstick) => yardstick !== undefined));
  const seen = ({ pictures, truth }: World, k: number, rows?: Int32Array, walking = true): Seen => {
    const chosen = rows ? selectPlaced(backend, pictures, rows) : pictures;
    const neighbours = new Neighbours(backend, chosen, nearest);
    const strange = Float64Array.from(rows ?? truth.keys(), (j) => (truth[j] < 0 ? 1 : 0));
    const signs = readers[k].read(chosen, neighbours, yardsticks[k] ?? usual, walking);
    return { rows: signs, strange, neighbours };
  };
  const company = worlds.map((world, k) => seen(world, k));
  const drawn = (shares: readonly number[], occurring: Occurring, walking: boolean) =>
    worlds.flatMap((world, k) =>
      shares.flatMap((share, draw) => {
        const rows = folderWith(world, share, occurring, k + worlds.length * draw);
        return rows ? seen(world, k, rows, walking) : [];
      }),
    );
  const few = drawn(fewStrangerShares, fewOccur, false);
  const lonely = worlds.map(({ solver, pictures, variance }, k) => ({
    rows: lonelyRows(solver, pictures, variance),
    strange: company[k].strange,
  }));
  const isPoor = ({ ground, solver }: World) => ground.web.count < fewWeb * solver.categories;
  const thinned = worlds.some(isPoor) ? [] : drawn(smallShares, allOccur, true);
  const walking = !worlds.some(({ ground }) => ground.generalized);
  const standing = (all: readonly Seen[]) => (walking ? all.map(withoutWalks) : all);
  const detector = teachDetector(standing(company), standing(thinned));
  return {
    company: detector,
    ...(walking && { walking: teachDetector(company, thinned) }),
    few: few.length > 0 ? teachDetector(few) : detector,
    lonely: teachDetector(lonely),
    yardstick: usual,
  };
}

/** Where walks end is the last sign. */
function withoutWalks({ rows, ...seen }: Seen): Seen {
  return { ...seen, rows: rows.view(0, rows.rows, 0, rows.cols - 1) };
}
