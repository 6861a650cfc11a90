/** What is around a bird: sky, foliage, water, a plain wall of a blurred garden; a branch to sit on; leaves in front. */
import type { Random } from '../linalg/index.js';
import { between, chance, ellipsePoints, n, pick, smoothOutline } from './geometry.js';

export type Place = 'sky' | 'foliage' | 'water' | 'garden';
export const places: readonly Place[] = ['sky', 'foliage', 'water', 'garden'];

const hsl = (hue: number, saturation: number, lightness: number) =>
  `hsl(${hue | 0},${saturation | 0}%,${lightness | 0}%)`;

/** Fills a square of side `size`; the ids it uses begin with `b`. */
export function drawBackground(place: Place, size: number, random: Random): string {
  const blur = `<filter id="bb" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="${n(between(random, 2.5, 7))}"/></filter>`;
  const drawn = { sky, foliage, water, garden }[place](size, random);
  return `<defs>${blur}</defs>${drawn}${distance(place, size, random)}`;
}

/** Out of focus behind everything: trunks, a bank or a roof line, patches of sun and shade; no two places are alike. */
function distance(place: Place, size: number, random: Random): string {
  const shapes: string[] = [];
  const tone = () => hsl(between(random, 25, 130), between(random, 8, 35), between(random, 12, 80));
  const trunks = random.integer(place === 'sky' ? 2 : 4);
  for (let i = 0; i < trunks; i++) {
    const [from, to] = [between(random, -20, size + 20), between(random, -20, size + 20)];
    shapes.push(
      `<path d="M${n(from)} ${size + 10}L${n(to)} -10" stroke="${tone()}" stroke-width="${n(between(random, 4, 26))}" stroke-opacity="${n(between(random, 0.4, 0.9))}"/>`,
    );
  }
  if (chance(random, 0.5)) {
    const [left, right] = [between(random, 0.35, 1.05) * size, between(random, 0.35, 1.05) * size];
    shapes.push(
      `<path d="M-10 ${n(left)}L${size + 10} ${n(right)}V${size + 10}H-10Z" fill="${tone()}" fill-opacity="${n(between(random, 0.4, 0.95))}"/>`,
    );
  }
  for (let i = random.integer(5); i > 0; i--)
    shapes.push(
      `<ellipse cx="${n(between(random, 0, size))}" cy="${n(between(random, 0, size))}" rx="${n(between(random, 0.08, 0.3) * size)}" ry="${n(between(random, 0.06, 0.25) * size)}" fill="${tone()}" fill-opacity="${n(between(random, 0.3, 0.8))}"/>`,
    );
  return `<g filter="url(#bb)">${shapes.join('')}</g>`;
}

function gradient(from: string, to: string, size: number): string {
  return (
    `<defs><linearGradient id="bg" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${from}"/>` +
    `<stop offset="1" stop-color="${to}"/></linearGradient></defs><rect width="${size}" height="${size}" fill="url(#bg)"/>`
  );
}

function blobs(count: number, size: number, random: Random, colour: () => string, radius: [number, number]): string {
  const shapes = Array.from({ length: count }, () => {
    const [rx, ry] = [between(random, ...radius), between(random, ...radius)];
    return `<ellipse cx="${n(between(random, 0, size))}" cy="${n(between(random, 0, size))}" rx="${n(rx)}" ry="${n(ry)}" fill="${colour()}" fill-opacity="${n(between(random, 0.3, 0.85))}"/>`;
  });
  return `<g filter="url(#bb)">${shapes.join('')}</g>`;
}

function sky(size: number, random: Random): string {
  const hue = between(random, 196, 222);
  const cloud = () => hsl(hue, 15, between(random, 84, 97));
  return (
    gradient(hsl(hue, between(random, 30, 70), between(random, 50, 68)), hsl(hue, 35, between(random, 76, 90)), size) +
    blobs(random.integer(9), size, random, cloud, [size * 0.06, size * 0.24])
  );
}

function foliage(size: number, random: Random): string {
  const hue = between(random, 72, 135);
  const leaf = () => hsl(hue + between(random, -22, 22), between(random, 22, 60), between(random, 16, 52));
  return (
    gradient(hsl(hue, 35, between(random, 26, 46)), hsl(hue, 35, between(random, 14, 30)), size) +
    blobs(42, size, random, leaf, [size * 0.02, size * 0.14])
  );
}

function water(size: number, random: Random): string {
  const hue = between(random, 185, 215);
  const horizon = size * between(random, 0.05, 0.5);
  const ripples = Array.from({ length: 26 }, () => {
    const y = between(random, horizon, size);
    const x = between(random, -20, size);
    const length = between(random, 12, 70);
    return `M${n(x)} ${n(y)}q${n(length / 2)} ${n(between(random, -5, 5))} ${n(length)} 0`;
  });
  return (
    gradient(hsl(hue, 25, between(random, 60, 82)), hsl(hue, 28, 70), size) +
    `<rect y="${n(horizon)}" width="${size}" height="${n(size - horizon)}" fill="${hsl(hue + 5, between(random, 22, 50), between(random, 30, 52))}"/>` +
    `<path d="${ripples.join('')}" stroke="#fff" stroke-opacity=".35" stroke-width="2" fill="none"/>`
  );
}

function garden(size: number, random: Random): string {
  const hue = between(random, 20, 110);
  const patch = () => hsl(hue + between(random, -30, 40), between(random, 12, 38), between(random, 35, 75));
  return gradient(patch(), patch(), size) + blobs(14, size, random, patch, [size * 0.1, size * 0.34]);
}

/** Through the point where the feet are. */
export function drawBranch(x: number, y: number, size: number, random: Random): string {
  const slope = between(random, -0.22, 0.22);
  const bark = hsl(between(random, 18, 38), between(random, 12, 32), between(random, 18, 42));
  const at = (px: number) => n(y + (px - x) * slope);
  const width = between(random, 6, 13);
  const twig = chance(random, 0.6)
    ? `<path d="M${n(x + 40)} ${at(x + 40)}q18 -14 ${n(between(random, 22, 46))} ${n(between(random, -50, 34))}" stroke="${bark}" stroke-width="4" fill="none"/>`
    : '';
  return `<path d="M-10 ${at(-10)}Q${n(x)} ${n(y + between(random, -3, 3))} ${size + 10} ${at(size + 10)}" stroke="${bark}" stroke-width="${n(width)}" fill="none"/>${twig}`;
}

/** Leaves or a twig between the camera and the bird. */
export function drawOccluder(size: number, random: Random): string {
  const hue = between(random, 70, 130);
  const [cx, cy] = [between(random, 0.15, 0.85) * size, between(random, 0.25, 0.95) * size];
  const leaves = Array.from({ length: 2 + random.integer(4) }, () => {
    const [x, y] = [cx + between(random, -38, 38), cy + between(random, -30, 30)];
    const outline = smoothOutline(ellipsePoints(0, 0, between(random, 11, 22), between(random, 4, 9), 8));
    return `<path d="${outline}" transform="translate(${n(x)},${n(y)}) rotate(${n(between(random, 0, 180))})" fill="${hsl(hue + between(random, -15, 15), 40, between(random, 22, 46))}"/>`;
  });
  const stem = `<path d="M${n(cx - 50)} ${n(size + 8)}Q${n(cx)} ${n(cy + 20)} ${n(cx + between(random, -20, 30))} ${n(cy - 20)}" stroke="${hsl(pick(random, [30, 90]), 25, 28)}" stroke-width="3" fill="none"/>`;
  return `<g>${stem}${leaves.join('')}</g>`;
}
