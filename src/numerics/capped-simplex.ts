/**
 * Projection on the capped simplex {θ : Σθ = total, 0 ≤ θ ≤ bound} in a diagonal metric:
 * min ½ Σ mᵢ (θᵢ − yᵢ)². The answer is θᵢ = clip(yᵢ − τ/mᵢ, 0, bound) for the one τ that meets the sum, a root of a
 * decreasing piecewise linear function: bracketed, then Newton steps (exact on the last linear piece). Returns τ, a good
 * guess for a similar point.
 */
export function projectCappedSimplex(
  out: Float64Array,
  point: Float64Array,
  metric: Float64Array,
  total: number,
  bound: number,
  guess = 0,
): number {
  const n = point.length;
  if (n === 0) return 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    low = Math.min(low, (point[i] - bound) * metric[i]);
    high = Math.max(high, point[i] * metric[i]);
  }
  let tau = Math.min(Math.max(guess, low), high);
  for (let step = 0; step < 200; step++) {
    let excess = -total;
    let slope = 0;
    // Summed in pieces, so that rounding does not grow with the number of weights.
    for (let start = 0; start < n; start += 1024) {
      let sum = 0;
      for (let i = start; i < Math.min(n, start + 1024); i++) {
        const value = point[i] - tau / metric[i];
        if (value >= bound) sum += bound;
        else if (value > 0) {
          sum += value;
          slope += 1 / metric[i];
        }
      }
      excess += sum;
    }
    if (Math.abs(excess) <= 1e-14 * total) break;
    if (excess > 0) low = tau;
    else high = tau;
    let next = slope > 0 ? tau + excess / slope : (low + high) / 2;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next === tau || next === low || next === high) break;
    tau = next;
  }
  for (let i = 0; i < n; i++) out[i] = Math.min(bound, Math.max(0, point[i] - tau / metric[i]));
  return tau;
}
