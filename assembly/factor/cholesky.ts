// Cholesky factorization of one small block that fits the first-level cache: A = L L', row by row,
// l_ij = (a_ij - Σ_{k<j} l_ik l_jk) / l_jj and l_ii = √(a_ii - Σ_{k<i} l_ik²). Only the lower triangle is touched.
import { dot } from './rows';

/** Returns 0, or 1 + the first pivot that is not positive and finite. */
// @ts-ignore: decorator
@inline
function choleskyBlock<T>(n: i32, a: usize, ldaBytes: usize): i32 {
  for (let i = 0; i < n; i++) {
    const row = a + usize(i) * ldaBytes;
    let other = a;
    for (let j = 0; j < i; j++) {
      const at = row + usize(j) * sizeof<T>();
      const pivot = load<T>(other + usize(j) * sizeof<T>());
      store<T>(at, (load<T>(at) - dot<T>(j, row, other)) / pivot);
      other += ldaBytes;
    }
    const at = row + usize(i) * sizeof<T>();
    const pivot = load<T>(at) - dot<T>(i, row, row);
    if (!(pivot > 0 && f64(pivot) < Infinity)) return i + 1;
    store<T>(at, sqrt<T>(pivot));
  }
  return 0;
}

export function choleskyBlock64(n: i32, a: usize, ldaBytes: usize): i32 {
  return choleskyBlock<f64>(n, a, ldaBytes);
}

export function choleskyBlock32(n: i32, a: usize, ldaBytes: usize): i32 {
  return choleskyBlock<f32>(n, a, ldaBytes);
}
