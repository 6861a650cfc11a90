/** A photograph of one bird: species, individual, pose, place, light and what stands in the way, all from one stream of random numbers. */
import sharp from 'sharp';
import type { Random } from '../linalg/index.js';
import { drawBird, randomPose } from './bird.js';
import { between, chance, n, pick } from './geometry.js';
import { bodyPlans } from './plumage.js';
import { drawBackground, drawBranch, drawOccluder, places } from './scene.js';
import type { Species } from './species.js';

/** Side of a photograph in pixels; what most networks look at. */
export const photographSize = 224;

/** The scene as SVG. */
export function birdScene(species: Species, random: Random): string {
  const size = photographSize;
  const pose = randomPose(random);
  const place = pose.view === 'flying' && chance(random, 0.6) ? 'sky' : pick(random, places);
  const background = drawBackground(place, size, random);
  const scale = between(random, 0.42, 0.92) * (pose.view === 'flying' ? 0.82 : 1);
  const [x, y] = [size * between(random, 0.3, 0.7), size * between(random, 0.34, 0.66)];
  const flip = chance(random, 0.5) ? -1 : 1;
  const { depth, legs } = bodyPlans[species.bodyPlan];
  const branch = pose.view === 'flying' ? '' : drawBranch(x, y + (depth + legs) * scale, size, random);
  const bird = drawBird(species, pose, random, 'k');
  const occluder = chance(random, 0.35) ? drawOccluder(size, random) : '';
  const placed = `translate(${n(x)},${n(y)}) scale(${n(flip * scale)},${n(scale)}) rotate(${n(between(random, -9, 9))})`;
  return svgDocument(
    size,
    `${background}${branch}<g transform="${placed}">${bird}</g>${occluder}${light(size, random)}`,
  );
}

export function svgDocument(size: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}">${content}</svg>`;
}

/** Sun from one side, and the warmth of the hour. */
function light(size: number, random: Random): string {
  const warmth = between(random, -1, 1);
  const tint = warmth > 0 ? '#ffb050' : '#5080d0';
  const [x, y] = [pick(random, [0, 1]), between(random, 0, 0.4)];
  return (
    `<defs><radialGradient id="l" cx="${x}" cy="${n(y)}" r="1.2"><stop offset="0" stop-color="#fff" stop-opacity="${n(between(random, 0, 0.28))}"/>` +
    `<stop offset="1" stop-color="#000" stop-opacity="${n(between(random, 0.05, 0.4))}"/></radialGradient></defs>` +
    `<rect width="${size}" height="${size}" fill="${tint}" fill-opacity="${n(Math.abs(warmth) * 0.2)}"/><rect width="${size}" height="${size}" fill="url(#l)"/>`
  );
}

/** Develops a scene: exposure, a lens that is not quite sharp, grain; as JPEG. */
export async function develop(scene: string, random: Random): Promise<Buffer> {
  const { data, info } = await sharp(Buffer.from(scene))
    .removeAlpha()
    .blur(between(random, 0.3, 1.1))
    .modulate({ brightness: between(random, 0.72, 1.2), saturation: between(random, 0.6, 1.15) })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const grain = between(random, 2, 9);
  for (let i = 0; i < data.length; i++) {
    // The sum of two uniform numbers, from one draw: sensor noise does not need a better bell.
    const draw = random.uint32();
    const noise = ((draw & 0xffff) + (draw >>> 16)) / 65535 - 1;
    data[i] = Math.max(0, Math.min(255, Math.round(data[i] + grain * noise)));
  }
  const raw = { width: info.width, height: info.height, channels: 3 as const };
  return sharp(data, { raw }).jpeg({ quality: 88 }).toBuffer();
}

export async function photograph(species: Species, random: Random): Promise<Buffer> {
  return develop(birdScene(species, random), random);
}
