/** The plane of the two principal components of some rows, and any rows in it. */
import type { Backend, Matrix } from '../linalg/index.js';
import { centred, principalComponents, project, squaredLengths } from '../numerics/index.js';

export interface Projection {
  /** Share of the variance along each of the two directions. */
  shares: [number, number];
  /** Two coordinates for each row. */
  of(rows: Matrix): [number, number][];
}

export function principalPlane(backend: Backend, rows: Matrix): Projection {
  const { mean, directions, energies } = principalComponents(backend, rows, 2);
  const total = squaredLengths(centred(rows, mean)).reduce((sum, square) => sum + square, 0);
  const share = (k: number) => (k < energies.length ? energies[k] / total : 0);
  return {
    shares: [share(0), share(1)],
    of: (points) => {
      const coordinates = project(backend, points, mean, directions);
      const along = (i: number, k: number) => (k < directions.rows ? coordinates.at(i, k) : 0);
      return Array.from({ length: points.rows }, (_, i) => [along(i, 0), along(i, 1)]);
    },
  };
}
