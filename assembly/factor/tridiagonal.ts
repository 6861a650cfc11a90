// One panel of the blocked Householder reduction of a symmetric matrix to tridiagonal form T = Q' A Q (Dongarra,
// Sorensen and Hammarling 1989). Row i, from the last one upwards, is brought to (0, …, 0, e_{i-1}, d_i) by the
// reflector H_i = I - τ v v', v_{i-1} = 1. The two-sided update A - v w' - w v' of the rows above is only applied to a
// row when its turn comes; the host applies it to the rest at the end of the panel.
import { addScaled, dot, dotRows, scaleInto, subtractRows } from './rows';
import { symvLower } from './symv';

/** Below this, a squared norm means "nothing to eliminate": the matrix is scaled so that its largest element is near 1. */
const NEGLIGIBLE: f64 = 1e-270;

/**
 * Reduces rows order-1 … order-count of the leading order×order block. `panel` holds three groups of `count` rows: the
 * vectors v, the vectors w, the vectors v again, so that the host's update is one product of rows [v; w] and [w; v].
 * Row i of A receives v, padded by zeros to n columns. `coefficients` is scratch of 16 count bytes.
 */
export function tridiagonalPanel(
  n: i32,
  order: i32,
  count: i32,
  a: usize,
  ldaBytes: usize,
  panel: usize,
  panelBytes: usize,
  diagonal: usize,
  offDiagonal: usize,
  tau: usize,
  coefficients: usize,
): void {
  const vRows = panel;
  const wRows = panel + usize(count) * panelBytes;
  const vAgain = wRows + usize(count) * panelBytes;
  const more = coefficients + usize(count) * 8;
  for (let p = 0; p < count; p++) {
    const i = order - 1 - p;
    const row = a + usize(i) * ldaBytes;
    for (let q = 0; q < p; q++) {
      store<f64>(coefficients + usize(q) * 8, load<f64>(wRows + usize(q) * panelBytes + usize(i) * 8));
      store<f64>(more + usize(q) * 8, load<f64>(vRows + usize(q) * panelBytes + usize(i) * 8));
    }
    subtractRows(i + 1, p, vRows, panelBytes, coefficients, row);
    subtractRows(i + 1, p, wRows, panelBytes, more, row);
    store<f64>(diagonal + usize(i) * 8, load<f64>(row + usize(i) * 8));

    const v = vRows + usize(p) * panelBytes;
    const w = wRows + usize(p) * panelBytes;
    memory.fill(row + usize(i) * 8, 0, usize(n - i) * 8);
    if (i === 0) return;
    const t = reflector(i, row, offDiagonal + usize(i - 1) * 8);
    store<f64>(tau + usize(i) * 8, t);
    memory.copy(v, row, usize(i) * 8);
    memory.copy(vAgain + usize(p) * panelBytes, row, usize(i) * 8);
    if (t === 0) {
      memory.fill(w, 0, usize(i) * 8);
      continue;
    }
    // w = τ (A - V W' - W V') v, then made orthogonal enough: w - ½ τ (w·v) v.
    symvLower(i, a, ldaBytes, v, w);
    dotRows(i, p, wRows, panelBytes, v, coefficients);
    dotRows(i, p, vRows, panelBytes, v, more);
    subtractRows(i, p, vRows, panelBytes, coefficients, w);
    subtractRows(i, p, wRows, panelBytes, more, w);
    scaleInto(i, t, w, w);
    addScaled(i, -0.5 * t * dot<f64>(i, w, v), v, w);
  }
}

/**
 * Replaces x (length n) by v with v_{n-1} = 1 such that (I - τ v v') x = (0, …, 0, β); stores β and returns τ, which is 0
 * when x has nothing to eliminate.
 */
function reflector(n: i32, x: usize, beta: usize): f64 {
  const last = x + usize(n - 1) * 8;
  const alpha = load<f64>(last);
  const rest = dot<f64>(n - 1, x, x);
  if (rest < NEGLIGIBLE) {
    store<f64>(beta, alpha);
    memory.fill(x, 0, usize(n - 1) * 8);
    store<f64>(last, 1);
    return 0;
  }
  const b = -copysign<f64>(sqrt(alpha * alpha + rest), alpha);
  store<f64>(beta, b);
  scaleInto(n - 1, 1 / (alpha - b), x, x);
  store<f64>(last, 1);
  return (b - alpha) / b;
}
