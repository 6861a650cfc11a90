/** Shares as people read them: 0.4567 → `45.7`. Whoever shows one adds the sign, unless a heading says it. */
export function percent(share: number | undefined, digits = 1): string {
  return share === undefined || Number.isNaN(share) ? '–' : (100 * share).toFixed(digits);
}
