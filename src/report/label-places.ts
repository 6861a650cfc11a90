/** Where the names on a map stand: close to their points, none on another name; one without room is left out. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Pixels from the point, and which end of the text stands there. */
export interface LabelPlace {
  readonly dx: number;
  readonly dy: number;
  readonly textAnchor: 'start' | 'middle' | 'end';
}

const lineHeight = 15;
const letterWidth = 7;
/** Half the side of a category's mark. */
const mark = 6;

const places: readonly LabelPlace[] = [
  { dx: 0, dy: -14, textAnchor: 'middle' },
  { dx: 0, dy: 15, textAnchor: 'middle' },
  { dx: 11, dy: 0, textAnchor: 'start' },
  { dx: -11, dy: 0, textAnchor: 'end' },
  { dx: 8, dy: -12, textAnchor: 'start' },
  { dx: -8, dy: -12, textAnchor: 'end' },
  { dx: 8, dy: 13, textAnchor: 'start' },
  { dx: -8, dy: 13, textAnchor: 'end' },
];

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * The first free place of each label in turn, inside the map; undefined where all are taken.
 * @param all everything on the map: its extent is that of the map
 * @param size of the map in pixels, without its margins
 */
export function labelPlaces(
  all: readonly Point[],
  labels: readonly (Point & { readonly text: string })[],
  { width, height }: { width: number; height: number },
): (LabelPlace | undefined)[] {
  const extent = (values: readonly number[]) =>
    values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const [left, right] = extent(all.map(({ x }) => x));
  const [bottom, top] = extent(all.map(({ y }) => y));
  const centres = labels.map(({ x, y }) => ({
    x: ((x - left) / (right - left || 1)) * width,
    y: ((top - y) / (top - bottom || 1)) * height,
  }));
  const marks = centres.map(({ x, y }) => ({ left: x - mark, right: x + mark, top: y - mark, bottom: y + mark }));
  const taken: Box[] = [];
  return labels.map(({ text }, k) => {
    const boxOf = ({ dx, dy, textAnchor }: LabelPlace): Box => {
      const long = text.length * letterWidth;
      const from = centres[k].x + dx - (textAnchor === 'middle' ? long / 2 : textAnchor === 'end' ? long : 0);
      const middle = centres[k].y + dy;
      return { left: from, right: from + long, top: middle - lineHeight / 2, bottom: middle + lineHeight / 2 };
    };
    const place = places.find((one) => {
      const box = boxOf(one);
      const inside = box.left > -20 && box.right < width + 20;
      return inside && [...taken, ...marks.filter((_, other) => other !== k)].every((other) => !overlap(box, other));
    });
    if (place) taken.push(boxOf(place));
    return place;
  });
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
