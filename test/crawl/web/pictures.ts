/** Pictures made on the spot: small, valid, and different for every name. */
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

const side = 72;
const bases: Buffer[] = [];

/** A few dozen base pictures; every name gets one of them with the name as a comment inside, so that bytes differ. */
export async function prepareBases(count = 32): Promise<void> {
  for (let i = bases.length; i < count; i++) bases.push(await texture(i, side, side).jpeg({ quality: 80 }).toBuffer());
}

/** A smooth random pattern, different for every seed. */
export function texture(seed: number, width: number, height: number): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  const random = generator(seed);
  const waves = Array.from({ length: 9 }, () => ({
    x: (random() - 0.5) * 0.35,
    y: (random() - 0.5) * 0.35,
    phase: random() * 7,
    channel: Math.floor(random() * 3),
    strength: 20 + random() * 40,
  }));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      const values = [128, 128, 128];
      for (const wave of waves) {
        const value = Math.sin(((wave.x * x) / width) * 72 + ((wave.y * y) / height) * 72 + wave.phase) * wave.strength;
        values[wave.channel] += value;
        values[(wave.channel + 1) % 3] += value / 2;
      }
      for (let c = 0; c < 3; c++) pixels[at + c] = Math.max(0, Math.min(255, values[c]));
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export function generator(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A complete JPEG whose bytes depend on the name. */
export function jpegNamed(name: string): Buffer {
  const base = bases[crc32(name) % bases.length];
  const comment = Buffer.from(name);
  const segment = Buffer.alloc(4);
  segment.writeUInt16BE(0xfffe, 0);
  segment.writeUInt16BE(comment.length + 2, 2);
  return Buffer.concat([base.subarray(0, 2), segment, comment, base.subarray(2)]);
}

/** A PNG of a few hundred bytes that claims to unpack to billions of pixels. */
export function pngBomb(width = 60_000, height = 60_000): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const result = Buffer.alloc(data.length + 12);
    result.writeUInt32BE(data.length, 0);
    result.write(type, 4, 'latin1');
    data.copy(result, 8);
    result.writeUInt32BE(crc32(result.subarray(4, 8 + data.length)), 8 + data.length);
    return result;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
