/** The few shapes that drawings are made of, as SVG path data. */
import type { Random } from '../linalg/index.js';

export type Point = readonly [x: number, y: number];

/** A uniform number between two bounds. */
export function between(random: Random, least: number, most: number): number {
  return least + (most - least) * random.uniform();
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.integer(items.length)];
}

export function chance(random: Random, probability: number): boolean {
  return random.uniform() < probability;
}

/** Two decimals are finer than a pixel and keep the drawings small. */
export function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export function polygon(points: readonly Point[]): string {
  return `M${points.map(([x, y]) => `${n(x)} ${n(y)}`).join('L')}Z`;
}

/** A closed smooth curve through the points (Catmull and Rom 1974, as cubic Bézier segments). */
export function smoothOutline(points: readonly Point[]): string {
  const at = (i: number) => points[(i + points.length) % points.length];
  const segments = points.map((_, i) => {
    const [before, from, to, after] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
    const control = (p: Point, q: Point, r: Point, sign: number) =>
      `${n(p[0] + (sign * (r[0] - q[0])) / 6)} ${n(p[1] + (sign * (r[1] - q[1])) / 6)}`;
    return `C${control(from, before, to, 1)} ${control(to, from, after, -1)} ${n(to[0])} ${n(to[1])}`;
  });
  return `M${n(at(0)[0])} ${n(at(0)[1])}${segments.join('')}Z`;
}

export function ellipsePoints(cx: number, cy: number, rx: number, ry: number, count = 24): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });
}

/** The convex hull in order around it (Andrew 1979). */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (order: readonly Point[]) => {
    const chain: Point[] = [];
    for (const point of order) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
