/** Principal components of a domain: found once, and as many taken as a trial asks for. */
import type { Backend, Matrix } from '../../linalg/index.js';
import { type PrincipalComponents, principalComponents } from '../../numerics/index.js';
import { preparedNow } from '../blocks/preparation.js';

/** More than searches ask for; a product of the pictures with them all would cost more than it saves. */
const usual = 512;

export function leadingComponents(backend: Backend, features: Matrix, most: number): PrincipalComponents {
  const found = Math.max(most, usual);
  const { mean, directions, energies } = preparedNow('principal components', backend, [features], [found], () =>
    principalComponents(backend, features, found),
  );
  const count = Math.min(most, energies.length);
  return { mean, directions: directions.view(0, count), energies: energies.subarray(0, count) };
}
