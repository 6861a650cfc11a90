/** Where the names on a map stand, so that none covers another. */

interface Point {
  x: number;
  y: number;
}

const lineHeight = 15;
const letterWidth = 7.2;
/** Above the point, below it, then farther away in turn. */
const shifts = [-13, 15, -28, 30, -43, 45, -58, 60];

/**
 * Vertical distances in pixels of labels from their points, found one after the other; a label that fits nowhere stays
 * above its point.
 * @param all everything on the map: its extent is that of the map
 * @param size of the map in pixels, without its margins
 */
export function labelShifts(
  all: readonly Point[],
  labels: readonly (Point & { text: string })[],
  { width, height }: { width: number; height: number },
): number[] {
  const extent = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;
  const [left, right] = extent(all.map(({ x }) => x));
  const [bottom, top] = extent(all.map(({ y }) => y));
  const taken: { x: number; y: number; half: number }[] = [];
  return labels.map(({ x, y, text }) => {
    const at = {
      x: ((x - left) / (right - left || 1)) * width,
      y: ((top - y) / (top - bottom || 1)) * height,
      half: (text.length * letterWidth) / 2,
    };
    const free = (shift: number) =>
      taken.every(
        (other) => Math.abs(other.x - at.x) > other.half + at.half || Math.abs(other.y - at.y - shift) >= lineHeight,
      );
    const shift = shifts.find(free) ?? shifts[0];
    taken.push({ ...at, y: at.y + shift });
    return shift;
  });
}
