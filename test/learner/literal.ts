// The paper's algorithm as printed (with the corrections of its slips), matrices with instances as columns, nothing
// reduced and nothing shared with the product. Only for small problems.
import {
  add,
  identity,
  inner,
  jacobi,
  largest,
  multiply,
  pseudoInverse,
  type Rows,
  scale,
  scaleColumns,
  solve,
  subtract,
  transpose,
  zeros,
} from './plain.js';

export interface LiteralProblem {
  /** d×na, m×na (semantic vector of each picture's category) */
  xa: Rows;
  aa: Rows;
  /** d×nw, m×nw */
  xw: Rows;
  aw: Rows;
  /** d×nt */
  xt: Rows;
  /** d̃×nw */
  text?: Rows;
}

export interface LiteralOptions {
  lambda1: number;
  lambda2: number;
  lambda3: number;
  lambda4: number;
  bound: number;
  gamma: number;
  /** ε as a share of the mean square of a word. */
  textRidge?: number;
  /** false: the zero-shot special case, without web images. */
  useWeb: boolean;
  maxIterations: number;
}

export interface LiteralResult {
  d: Rows;
  a: Rows;
  theta: number[];
  iterations: number;
  /** Of the objective after the last iteration. */
  terms: { reconstruction: number; transfer: number; nuclear: number; discrepancy: number; error: number };
}

export function literalFit(problem: LiteralProblem, options: LiteralOptions): LiteralResult {
  const { xa, aa, xw, aw, xt, text } = problem;
  const { lambda1, lambda2, lambda3, lambda4, bound, gamma, useWeb } = options;
  const m = aa.length;
  const nw = xw[0].length;
  const nt = xt[0].length;
  const t = transpose;
  const da = t(solve(add(multiply(aa, t(aa)), identity(m)), multiply(aa, t(xa))));
  let d = da;
  let mu = 0.1;
  let a = solve(add(multiply(t(d), d), scale(identity(m), mu)), multiply(t(d), xt));
  let theta = new Array<number>(nw).fill(1);
  let r = zeros(xw.length, nw);
  let tt = zeros(m, nt);
  let e = zeros(xw.length, nw);
  let w = text ? zeros(xw.length, text.length) : undefined;
  const testSum = xt.map((row) => row.reduce((sum, value) => sum + value, 0));
  const gram = multiply(t(xw), xw);
  for (let iteration = 1; ; iteration++) {
    if (useWeb) {
      const q = subtract(scaleColumns(subtract(xw, multiply(d, aw)), theta), scale(r, 1 / mu));
      const norms = t(q).map((column) => Math.hypot(...column));
      e = scaleColumns(
        q,
        norms.map((norm) => (norm > lambda4 / mu ? (norm - lambda4 / mu) / norm : 0)),
      );
    }
    const z = singularThreshold(add(a, scale(tt, 1 / mu)), lambda2 / mu);

    let right = add(multiply(xt, t(a)), scale(da, lambda1));
    let system = add(multiply(a, t(a)), scale(identity(m), lambda1));
    if (useWeb) {
      const inside = subtract(subtract(scale(scaleColumns(xw, theta), mu), scale(e, mu)), r);
      right = add(right, multiply(scaleColumns(inside, theta), t(aw)));
      system = add(
        system,
        scale(
          multiply(
            scaleColumns(
              aw,
              theta.map((value) => value * value),
            ),
            t(aw),
          ),
          mu,
        ),
      );
      if (text && w) {
        right = add(right, scale(multiply(subtract(xw, multiply(w, text)), t(aw)), gamma));
        system = add(system, scale(multiply(aw, t(aw)), gamma));
      }
    }
    d = lambda1 > 0 ? t(solve(system, t(right))) : multiply(right, pseudoInverse(system));
    a = solve(add(multiply(t(d), d), scale(identity(m), mu)), subtract(add(multiply(t(d), xt), scale(z, mu)), tt));
    let webResidual = zeros(1, 1);
    if (useWeb) {
      const b = subtract(xw, multiply(d, aw));
      const columns = t(b);
      const diagonal = columns.map((column) => mu * inner([column], [column]));
      const h = gram.map((row, i) => row.map((value, j) => (lambda3 / nw ** 2) * value + (i === j ? diagonal[i] : 0)));
      const [be, rb] = [t(e), t(r)].map((other) => columns.map((column, i) => inner([column], [other[i]])));
      const f = t(xw).map((column, i) => (lambda3 / (nw * nt)) * inner([column], [testSum]) + mu * be[i] + rb[i]);
      theta = solveQuadratic(h, f, nw, bound, theta);
      if (text) {
        const words = multiply(text, t(text));
        const square = words.reduce((sum, row, j) => sum + row[j], 0) / words.length;
        const ridge = (options.textRidge ?? 0) * square;
        w = multiply(multiply(b, t(text)), pseudoInverse(add(words, scale(identity(words.length), ridge))));
      }
      webResidual = subtract(e, scaleColumns(b, theta));
      r = add(r, scale(webResidual, mu));
    }
    const difference = subtract(a, z);
    tt = add(tt, scale(difference, mu));
    mu = Math.min(1e6, 1.1 * mu);
    const done = largest(webResidual) < 1e-5 && largest(difference) < 1e-5;
    if (!done && iteration < options.maxIterations) continue;
    const squares = (rows: Rows) => inner(rows, rows);
    const weighted = xw.map((row) => row.reduce((sum, value, i) => sum + value * theta[i], 0) / nw);
    const terms = {
      reconstruction: squares(subtract(xt, multiply(d, a))) / 2,
      transfer: (lambda1 / 2) * squares(subtract(d, da)),
      nuclear:
        lambda2 * jacobi(multiply(z, t(z))).values.reduce((sum, value) => sum + Math.sqrt(Math.max(0, value)), 0),
      discrepancy: useWeb ? (lambda3 / 2) * squares([weighted.map((value, j) => value - testSum[j] / nt)]) : 0,
      error: useWeb ? lambda4 * t(e).reduce((sum, column) => sum + Math.hypot(...column), 0) : 0,
    };
    return { d, a, theta, iterations: iteration, terms };
  }
}

/** U (Σ − threshold)₊ V' through the eigenvectors of M M'. */
export function singularThreshold(m: Rows, threshold: number): Rows {
  const { values, vectors } = jacobi(multiply(m, transpose(m)));
  const factors = values.map((value) => {
    const sigma = Math.sqrt(Math.max(0, value));
    return sigma > threshold ? 1 - threshold / sigma : 0;
  });
  return multiply(multiply(scaleColumns(vectors, factors), transpose(vectors)), m);
}

/**
 * min ½θ'Hθ − f'θ over Σθ = total, 0 ≤ θ ≤ bound: guess which weights sit on a bound, solve the equations of the
 * others exactly, correct the guess, repeat until it is consistent (primal-dual active set).
 */
export function solveQuadratic(h: Rows, f: number[], total: number, bound: number, start: number[]): number[] {
  const n = f.length;
  let state: number[] = start.map((value) => (value <= 0 ? -1 : value >= bound ? 1 : 0));
  let theta = [...start];
  for (let round = 0; round < 500; round++) {
    const free = state.flatMap((s, i) => (s === 0 ? [i] : []));
    const fixed = (i: number) => (state[i] > 0 ? bound : 0);
    const rows: Rows = free.map((i) => [...free.map((j) => h[i][j]), 1]);
    rows.push([...free.map(() => 1), 0]);
    const right: Rows = free.map((i) => [
      f[i] - h[i].reduce((sum, value, j) => sum + (state[j] === 0 ? 0 : value * fixed(j)), 0),
    ]);
    right.push([total - state.reduce((sum, s, i) => sum + (s === 0 ? 0 : fixed(i)), 0)]);
    const solution = solve(rows, right).map((row) => row[0]);
    const tau = solution[free.length];
    theta = state.map((s, i) => (s === 0 ? 0 : fixed(i)));
    free.forEach((i, k) => {
      theta[i] = solution[k];
    });
    const next = state.map((s, i) => {
      if (s === 0) return theta[i] < 0 ? -1 : theta[i] > bound ? 1 : 0;
      const slope = h[i].reduce((sum, value, j) => sum + value * theta[j], 0) - f[i] + tau;
      return s < 0 ? (slope < 0 ? 0 : -1) : slope > 0 ? 0 : 1;
    });
    if (next.every((s, i) => s === state[i])) return theta;
    state = next;
    if (!state.includes(0)) state[state.indexOf(-1) >= 0 ? state.indexOf(-1) : n - 1] = 0;
  }
  throw new Error('the active set did not settle');
}
