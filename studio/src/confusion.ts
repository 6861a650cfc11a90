/** Which categories of a large confusion matrix are worth a row. */

/** Categories with the most mistakes, made or attracted, at most `most` of them, in their own order. */
export function confusedMost(counts: readonly (readonly number[])[], most: number): number[] {
  const all = counts.map((_, c) => c);
  if (all.length <= most) return all;
  const mistakes = all.map((c) =>
    all.reduce((sum, other) => sum + (other === c ? 0 : counts[c][other] + counts[other][c]), 0),
  );
  return all
    .sort((a, b) => mistakes[b] - mistakes[a] || a - b)
    .slice(0, most)
    .sort((a, b) => a - b);
}
