/** Colours of categories: eight that go well together, and for more of them as many hues as are needed, none twice. */

const named = 8;
/** The golden angle: however many hues there are, neighbours in the list are far apart. */
const turn = 137.508;

export function categoryColour(category: number, categories: number): string {
  if (category < 0) return 'var(--muted)';
  if (categories <= named) return `var(--series-${category + 1})`;
  const hue = (category * turn) % 360;
  // Every third is a little darker and duller, since hues alone are soon too close.
  const [shift, chroma] = [
    [0, 0.15],
    [-0.12, 0.13],
    [0.1, 0.11],
  ][category % 3];
  return `oklch(calc(var(--hue-lightness) + ${shift}) ${chroma} ${hue.toFixed(1)})`;
}
