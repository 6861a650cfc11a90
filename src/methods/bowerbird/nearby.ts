/**
 * The nearest pictures among very many, where comparing every pair would take too long. Landmarks are placed among the pictures,
 * and two pictures are compared where the landmark nearest to one is among the few nearest to the other. How few are enough is
 * measured by some pictures whose nearest ones are known; where it would take many, every pair is compared after all.
 */
import { type Backend, Matrix, Random, visitRows } from '../../linalg/index.js';
import { byLabel } from '../../numerics/index.js';
import { selectRows } from '../../problem/index.js';
import type { Placed } from './ground.js';
import { Lists, nearestLandmarks, placeLandmarks } from './landmarks.js';

/** Pictures by which it is measured what is found, and the share of their nearest ones that must be. */
const measured = 256;
const wantedShare = 0.98;
/** Landmarks around a picture that are looked at, at most, and the part of all of them beyond which nothing is gained. */
const mostLooked = 48;
const mostPart = 0.25;
/** Pictures that are compared at a time. */
const blockRows = 2048;

/** Fills in what `Backend.nearestRows` would, nearly: equally many others of each picture. */
export function nearbyRows(backend: Backend, nearest: Int32Array, cosines: Float64Array, pictures: Placed): void {
  const { rows, squaredLengths } = pictures;
  const n = rows.rows;
  const count = nearest.length / n;
  const landmarks = placeLandmarks(backend, pictures, Math.ceil(Math.sqrt(n)));
  const most = Math.max(1, Math.min(mostLooked, Math.floor(mostPart * landmarks.rows)));
  const around = nearestLandmarks(backend, rows, landmarks, most);
  const looked = enoughLandmarks(backend, pictures, count, around, most);
  if (looked === undefined) backend.nearestRows(nearest, cosines, rows, squaredLengths);
  else
    compare(
      backend,
      new Lists(nearest, cosines, count),
      pictures,
      landmarks.rows,
      (i, k) => around[i * most + k],
      looked,
    );
}

/** How many landmarks around a picture show the wanted share of its nearest pictures; undefined where `most` do not. */
function enoughLandmarks(
  backend: Backend,
  { rows, squaredLengths }: Placed,
  count: number,
  around: Int32Array,
  most: number,
): number | undefined {
  const chosen = new Random(29).choice(rows.rows, Math.min(measured, rows.rows));
  const lists = new Lists(new Int32Array(chosen.length * count), new Float64Array(chosen.length * count), count);
  compareWithAll(backend, lists, { rows, squaredLengths }, Int32Array.from(chosen), (_, place) => place);
  const ranks: number[] = [];
  for (const [place, i] of chosen.entries())
    for (const j of lists.of(place)) {
      const [there, back] = [rankOf(around, i, around[j * most], most), rankOf(around, j, around[i * most], most)];
      ranks.push(Math.min(there, back));
    }
  ranks.sort((a, b) => a - b);
  const needed = ranks[Math.ceil(wantedShare * ranks.length) - 1] + 1;
  return needed <= most ? needed : undefined;
}

/** Place of a landmark among those around a picture; beyond the last where it is none of them. */
function rankOf(around: Int32Array, picture: number, landmark: number, most: number): number {
  const rank = around.subarray(picture * most, (picture + 1) * most).indexOf(landmark);
  return rank < 0 ? most : rank;
}

/** Compares the pictures at home at each landmark with those that look there. */
function compare(
  backend: Backend,
  lists: Lists,
  pictures: Placed,
  landmarks: number,
  landmarkOf: (picture: number, rank: number) => number,
  looked: number,
): void {
  const { rows, squaredLengths } = pictures;
  const n = rows.rows;
  const inverses = squaredLengths.map((square) => 1 / (Math.sqrt(square) || 1));
  const homes = byLabel(
    Int32Array.from({ length: n }, (_, i) => landmarkOf(i, 0)),
    landmarks,
  );
  const visits = byLabel(
    Int32Array.from({ length: n * looked }, (_, k) => landmarkOf(Math.floor(k / looked), k % looked)),
    landmarks,
  );
  for (let mark = 0; mark < landmarks; mark++) {
    const here = homes.order.subarray(homes.starts[mark], homes.starts[mark + 1]);
    if (here.length === 0) continue;
    const atHome = selectRows(rows, here);
    for (let start = visits.starts[mark]; start < visits.starts[mark + 1]; start += blockRows) {
      const visitors = visits.order
        .subarray(start, Math.min(visits.starts[mark + 1], start + blockRows))
        .map((visit) => Math.floor(visit / looked));
      const products = Matrix.zeros(visitors.length, here.length, rows.dtype);
      backend.gemm(products, selectRows(rows, visitors), atHome, { transposeB: true });
      const { data } = products;
      for (let a = 0, at = 0; a < visitors.length; a++) {
        const i = visitors[a];
        for (let b = 0; b < here.length; b++, at++) {
          const j = here[b];
          const cosine = data[at] * (inverses[i] * inverses[j]);
          // Pairs that look at each other meet twice.
          if (cosine > lists.last(i) && i !== j && !lists.has(i, j)) lists.enter(i, j, cosine);
          if (cosine > lists.last(j) && i !== j && !lists.has(j, i)) lists.enter(j, i, cosine);
        }
      }
    }
  }
  // A picture far from all others may have met too few.
  const short = Int32Array.from([...inverses.keys()].filter((i) => lists.last(i) === Number.NEGATIVE_INFINITY));
  for (const i of short) lists.clear(i);
  compareWithAll(backend, lists, pictures, short, (i) => i);
}

/** Fills the lists of some pictures by comparing them with all others. */
function compareWithAll(
  backend: Backend,
  lists: Lists,
  { rows, squaredLengths }: Placed,
  chosen: Int32Array,
  listOf: (picture: number, place: number) => number,
): void {
  const lengths = squaredLengths.map((square) => Math.sqrt(square) || 1);
  const own = selectRows(rows, chosen);
  const see = (block: Matrix, start: number) => {
    const products = Matrix.zeros(chosen.length, block.rows, rows.dtype);
    backend.gemm(products, own, block, { transposeB: true });
    chosen.forEach((i, place) => {
      const list = listOf(i, place);
      for (let j = start; j < start + block.rows; j++) {
        const cosine = products.at(place, j - start) / (lengths[i] * lengths[j]);
        if (cosine > lists.last(list) && i !== j) lists.enter(list, j, cosine);
      }
    });
  };
  visitRows(rows, see, blockRows);
}
