/** Two hundred files that a crawl could bring home and that a decoder could choke on, with what must become of them. */
import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { numbers } from './keras-json.js';
import { pattern } from './test-pictures.js';

export interface HostileFile {
  name: string;
  bytes: Uint8Array;
  /** `either` where it depends on which bytes were hit. */
  expected: 'read' | 'reported' | 'either';
}

const formats = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const;
const suffix = { jpeg: 'jpg', png: 'png', webp: 'webp', gif: 'gif', tiff: 'tif', avif: 'avif' };

export async function hostileFiles(): Promise<HostileFile[]> {
  const good = new Map<string, Buffer>();
  for (const format of formats) good.set(format, await pattern(3, 120, 90).toFormat(format).toBuffer());
  const files = [
    ...truncated(good),
    ...flipped(good),
    ...misnamed(good),
    ...(await unusual()),
    ...bombs(),
    ...notPictures(),
  ];
  return files;
}

/** 6 formats × 12 lengths. */
function truncated(good: Map<string, Buffer>): HostileFile[] {
  return formats.flatMap((format) => {
    const whole = good.get(format)!;
    return Array.from({ length: 12 }, (_, i) => ({
      name: `truncated-${i}.${suffix[format]}`,
      bytes: whole.subarray(0, Math.floor((whole.length * i) / 12)),
      // A GIF or AVIF may have shown its only frame before it breaks off.
      expected: i < 6 ? ('reported' as const) : ('either' as const),
    }));
  });
}

/** 6 formats × 10, with a few random bytes changed. */
function flipped(good: Map<string, Buffer>): HostileFile[] {
  return formats.flatMap((format, f) =>
    Array.from({ length: 10 }, (_, i) => {
      const bytes = Buffer.from(good.get(format)!);
      const next = numbers(f * 100 + i + 1);
      for (let k = 0; k < 8; k++)
        bytes[Math.floor(((next() + 1) / 2) * bytes.length)] = Math.floor((next() + 1) * 127.9);
      return { name: `flipped-${i}.${suffix[format]}`, bytes, expected: 'either' as const };
    }),
  );
}

/** Every format under another one's name, and under none. */
function misnamed(good: Map<string, Buffer>): HostileFile[] {
  return formats.flatMap((format, f) =>
    [suffix[formats[(f + 1) % 6]], 'txt', 'exe'].map((wrong) => ({
      name: `really-${format}.${wrong}`,
      bytes: good.get(format)!,
      expected: 'read' as const,
    })),
  );
}

async function unusual(): Promise<HostileFile[]> {
  const read = (name: string, bytes: Uint8Array): HostileFile => ({ name, bytes, expected: 'read' });
  const { data, info } = await pattern(8, 80, 60).raw().toBuffer({ resolveWithObject: true });
  const frames = Buffer.concat(Array.from({ length: 20 }, () => data));
  const raw = { width: info.width, height: info.height * 20, channels: 3 as const, pageHeight: info.height };
  const clear = { create: { width: 50, height: 40, channels: 4 as const, background: { r: 9, g: 9, b: 9, alpha: 0 } } };
  return [
    read('cmyk.jpg', await pattern(9).toColourspace('cmyk').jpeg().toBuffer()),
    read('cmyk.tif', await pattern(9).toColourspace('cmyk').tiff().toBuffer()),
    read('grey.jpg', await pattern(9).toColourspace('b-w').jpeg().toBuffer()),
    read('lab.tif', await pattern(9).toColourspace('lab').tiff().toBuffer()),
    read('deep.png', await pattern(9).toColourspace('rgb16').png().toBuffer()),
    read('deep.tif', await pattern(9).toColourspace('rgb16').tiff().toBuffer()),
    read('clear.png', await sharp(clear).png().toBuffer()),
    read('clear.webp', await sharp(clear).webp().toBuffer()),
    read('animated.gif', await sharp(frames, { raw }).gif().toBuffer()),
    read('animated.webp', await sharp(frames, { raw }).webp().toBuffer()),
    read('progressive.jpg', await pattern(9).jpeg({ progressive: true }).toBuffer()),
    read('interlaced.png', await pattern(9).png({ progressive: true }).toBuffer()),
    read('turned.jpg', await pattern(9).withMetadata({ orientation: 7 }).jpeg().toBuffer()),
    read('trailing.jpg', Buffer.concat([await pattern(9).jpeg().toBuffer(), Buffer.alloc(5000, 0x41)])),
    read(
      'one-pixel.png',
      await sharp({ create: { width: 1, height: 1, channels: 3, background: '#123' } })
        .png()
        .toBuffer(),
    ),
    read(
      'needle.png',
      await sharp({ create: { width: 1, height: 9000, channels: 3, background: '#123' } })
        .png()
        .toBuffer(),
    ),
    read(
      'beam.png',
      await sharp({ create: { width: 9000, height: 1, channels: 3, background: '#123' } })
        .png()
        .toBuffer(),
    ),
  ];
}

/** Small files that claim to be, or unpack to, enormous pictures. */
function bombs(): HostileFile[] {
  const report = (name: string, bytes: Uint8Array): HostileFile => ({ name, bytes, expected: 'reported' });
  const sides = [20000, 65000, 2 ** 31 - 1];
  return [
    ...sides.map((side) => report(`claim-${side}.png`, png(side, side, Buffer.alloc(100)))),
    report('claim-zero.png', png(0, 100, Buffer.alloc(100))),
    report('wall.png', png(2 ** 31 - 1, 1, Buffer.alloc(100))),
    // 30,000 × 30,000 one-bit pixels, all there, in about 110 KB.
    report('unpacks.png', png(30000, 30000, Buffer.alloc((30000 / 8 + 1) * 30000), 1, 0)),
    report('claim.gif', gif(65535, 65535)),
    report('claim.jpg', jpeg(65500, 65500)),
    report(
      'claim.tif',
      tiff([
        [256, 4, 1, 60000],
        [257, 4, 1, 60000],
        [258, 3, 1, 8],
        [262, 3, 1, 1],
        [273, 4, 1, 8],
        [279, 4, 1, 100],
      ]),
    ),
    report(
      'circle.tif',
      tiff(
        [
          [256, 4, 1, 10],
          [257, 4, 1, 10],
        ],
        8,
      ),
    ),
    report(
      'many-tags.tif',
      Buffer.concat([Buffer.from('II*\0\x08\0\0\0'), Buffer.alloc(2, 0xff), Buffer.alloc(600, 0x11)]),
    ),
    report('claim.webp', webp(16383, 16383)),
    report('comment-bomb.png', pngWithText()),
  ];
}

function notPictures(): HostileFile[] {
  const report = (name: string, bytes: Uint8Array | string): HostileFile => ({
    name,
    bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
    expected: 'reported',
  });
  const entities = Array.from({ length: 9 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('');
  const next = numbers(31);
  return [
    report('empty.jpg', ''),
    report('empty.png', ''),
    report('page.jpg', '<!doctype html><html><body>404</body></html>'),
    report('page-later.png', '\n\n   <html><head></head></html>'),
    report('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    report(
      'laughs.svg',
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY e0 "ha">${entities}]><svg><text>&e9;</text></svg>`,
    ),
    report('file.svg', '<?xml version="1.0"?><svg><image href="file:///etc/passwd"/></svg>'),
    report('paper.jpg', '%PDF-1.4 %âãÏÓ'),
    report('script.gif', '#!/bin/sh\necho gif'),
    report('answer.jpg', '{"error":"rate limited"}'),
    report('archive.png', gzipSync('x')),
    report('zip.webp', Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(60)])),
    report('film.avif', '\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41'),
    report('phone.heic', '\0\0\0\x18ftypheic\0\0\0\0mif1heic'),
    report('riff.webp', Buffer.concat([Buffer.from('RIFF\x10\0\0\0WAVEfmt '), Buffer.alloc(20)])),
    report('magic-only.jpg', Buffer.from([0xff, 0xd8, 0xff])),
    report('magic-only.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
    report('magic-only.gif', 'GIF89a'),
    report('zeros.tif', Buffer.alloc(10000)),
    report('noise.jpg', Buffer.from(Array.from({ length: 5000 }, () => (next() + 1) * 127))),
  ];
}

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function png(width: number, height: number, pixels: Uint8Array, depth = 8, colour = 2, extra: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, 0], 8);
  const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    magic,
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A compressed comment of 200 MB in front of pixels that are missing. */
function pngWithText(): Buffer {
  const text = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(Buffer.alloc(2e8))]);
  return png(100, 100, Buffer.alloc(10), 8, 2, [chunk('zTXt', text)]);
}

function crc(bytes: Uint8Array): number {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let k = 0; k < 8; k++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return ~value >>> 0;
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\0\0\0\0\0\x02\x02D\x01\0;', 'latin1');
  for (const at of [6, 24]) {
    bytes.writeUInt16LE(width, at);
    bytes.writeUInt16LE(height, at + 2);
  }
  return bytes;
}

/** A frame header that claims a size, and nothing behind it. */
function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    frame,
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]),
    Buffer.alloc(50),
  ]);
}

function tiff(tags: [tag: number, type: number, count: number, value: number][], nextDirectory = 0): Buffer {
  const bytes = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  bytes.write('II*\0', 0, 'latin1');
  bytes.writeUInt32LE(8, 4);
  bytes.writeUInt16LE(tags.length, 8);
  tags.forEach(([tag, type, count, value], i) => {
    const at = 10 + i * 12;
    bytes.writeUInt16LE(tag, at);
    bytes.writeUInt16LE(type, at + 2);
    bytes.writeUInt32LE(count, at + 4);
    bytes.writeUInt32LE(value, at + 8);
  });
  bytes.writeUInt32LE(nextDirectory, bytes.length - 4);
  return bytes;
}

function webp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(30);
  bytes.write('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0', 0, 'latin1');
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}
