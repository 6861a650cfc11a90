/** Pictures that a search for a bird also finds: a landscape, a nest, eggs, a logo. */
import type { Random } from '../linalg/index.js';
import { between, chance, ellipsePoints, n, type Point, pick, polygon, smoothOutline } from './geometry.js';
import { photographSize, svgDocument } from './photograph.js';
import { drawBackground, drawBranch, type Place } from './scene.js';

export const offTopicSubjects = ['landscape', 'nest', 'eggs', 'logo'] as const;
export type OffTopicSubject = (typeof offTopicSubjects)[number];

export function offTopicScene(subject: OffTopicSubject, random: Random): string {
  const size = photographSize;
  return svgDocument(size, { landscape, nest, eggs, logo }[subject](size, random));
}

function landscape(size: number, random: Random): string {
  const ridge = (level: number, colour: string) => {
    const points: Point[] = [[-10, size + 10]];
    for (let x = -10; x <= size + 30; x += 28) points.push([x, size * level + between(random, -26, 26)]);
    return `<path d="${polygon([...points, [size + 40, size + 10]])}" fill="${colour}"/>`;
  };
  const hue = between(random, 80, 150);
  const trees = Array.from({ length: random.integer(9) }, () => {
    const [x, y, height] = [between(random, 0, size), size * between(random, 0.7, 0.95), between(random, 22, 60)];
    return `<path d="M${n(x)} ${n(y - height)}l${n(height * 0.28)} ${n(height)}h${n(-height * 0.56)}Z" fill="hsl(${(hue + 20) | 0},35%,20%)"/>`;
  });
  return (
    drawBackground('sky', size, random) +
    ridge(between(random, 0.4, 0.5), `hsl(${(hue + 60) | 0},18%,58%)`) +
    ridge(between(random, 0.55, 0.65), `hsl(${hue | 0},28%,42%)`) +
    ridge(between(random, 0.75, 0.85), `hsl(${hue | 0},38%,28%)`) +
    trees.join('')
  );
}

function twigs(x: number, y: number, radius: number, count: number, random: Random): string {
  const strokes = Array.from({ length: count }, () => {
    const angle = between(random, 0, Math.PI * 2);
    const r = radius * between(random, 0.72, 1.12);
    const [px, py] = [x + r * Math.cos(angle), y + r * 0.6 * Math.sin(angle)];
    return `M${n(px - between(random, 8, 26))} ${n(py + between(random, -7, 7))}L${n(px + between(random, 8, 26))} ${n(py + between(random, -7, 7))}`;
  });
  return `<path d="${strokes.join('')}" stroke="hsl(32,30%,${between(random, 24, 46) | 0}%)" stroke-width="2.6" fill="none"/>`;
}

function eggShapes(x: number, y: number, count: number, size: number, random: Random): string {
  const hue = pick(random, [40, 190, 205]);
  return Array.from({ length: count }, (_, i) => {
    const cx = x + (i - (count - 1) / 2) * size * 1.5;
    const cy = y + between(random, -3, 3);
    const specks = Array.from({ length: 12 }, () => {
      const [dx, dy] = [between(random, -0.6, 0.6) * size, between(random, -0.8, 0.8) * size];
      return `<circle cx="${n(cx + dx)}" cy="${n(cy + dy)}" r="1.3"/>`;
    });
    return `<ellipse cx="${n(cx)}" cy="${n(cy)}" rx="${n(size * 0.78)}" ry="${n(size)}" fill="hsl(${hue},35%,78%)" stroke="#000" stroke-opacity=".3"/><g fill="#4a3828" fill-opacity=".6">${specks.join('')}</g>`;
  }).join('');
}

function nest(size: number, random: Random): string {
  const place: Place = pick(random, ['foliage', 'garden']);
  const [x, y, r] = [size * between(random, 0.4, 0.6), size * between(random, 0.5, 0.65), between(random, 48, 70)];
  return (
    drawBackground(place, size, random) +
    drawBranch(x, y + r * 0.5, size, random) +
    `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(r)}" ry="${n(r * 0.6)}" fill="#4b3a26"/>` +
    `<ellipse cx="${n(x)}" cy="${n(y - r * 0.14)}" rx="${n(r * 0.72)}" ry="${n(r * 0.36)}" fill="#2a2016"/>` +
    (chance(random, 0.5) ? eggShapes(x, y - 6, 3, 13, random) : '') +
    twigs(x, y, r, 90, random)
  );
}

function eggs(size: number, random: Random): string {
  const background = `<rect width="${size}" height="${size}" fill="hsl(${between(random, 20, 60) | 0},25%,${between(random, 55, 88) | 0}%)"/>`;
  return (
    background +
    eggShapes(size / 2, size * between(random, 0.42, 0.58), 1 + random.integer(4), between(random, 20, 30), random)
  );
}

/** A flat emblem: badge, a bird's silhouette that could be any bird, a ribbon. */
function logo(size: number, random: Random): string {
  const hue = between(random, 0, 360) | 0;
  const silhouette = smoothOutline([
    [-52, 8],
    [-10, -18],
    [22, -30],
    [38, -22],
    [52, -16],
    [36, -8],
    [24, 14],
    [-6, 26],
    [-30, 18],
  ]);
  const badge = smoothOutline(ellipsePoints(size / 2, size / 2, size * 0.4, size * 0.4, pick(random, [6, 12])));
  return (
    `<rect width="${size}" height="${size}" fill="${pick(random, ['#fff', '#f3f0e8', '#20242c'])}"/>` +
    `<path d="${badge}" fill="hsl(${hue},60%,48%)"/>` +
    `<path d="${silhouette}" transform="translate(${size / 2},${size / 2}) scale(${n(between(random, 0.9, 1.4))})" fill="${pick(random, ['#fff', '#111'])}"/>` +
    `<rect x="${size * 0.18}" y="${size * 0.74}" width="${size * 0.64}" height="${size * 0.12}" fill="hsl(${(hue + 180) % 360},55%,40%)"/>`
  );
}
