import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decode, PictureError } from '../../src/decoding/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const grey = { kind: 'grey', side: 8 } as const;

async function picture(name: string, red: number): Promise<string> {
  const file = join(folder, name);
  await sharp({ create: { width: 90, height: 70, channels: 3, background: { r: red, g: 9, b: 9 } } })
    .png()
    .toFile(file);
  return file;
}

/** Processes that this one has started. */
function children(): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  return listed
    .split('\n')
    .filter((line) => line.includes('decoder-process'))
    .map((line) => Number.parseInt(line, 10));
}

function residentBytes(pid: number): number {
  try {
    return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return 0;
  }
}

describe('decoding processes', () => {
  it('answer many pictures at the same time, each its own', async () => {
    const files = await Promise.all(Array.from({ length: 30 }, (_, i) => picture(`many-${i}.png`, i * 8)));
    const answers = await Promise.all(files.map((file) => decode(file, grey)));
    const values = answers.map(({ data }) => data[0]);
    expect([...values].sort((a, b) => a - b)).toEqual(values);
    expect(new Set(values).size).toBeGreaterThan(20);
    expect(children().length).toBeGreaterThan(0);
  });

  it('are killed when one hangs, and the picture is not tried again', async () => {
    const file = await picture('hangs.png', 1);
    const waiting = decode(file, grey, { seconds: 1 }).catch((error: unknown) => error);
    // As if the decoder hung: it neither answers nor hears.
    for (const pid of children()) process.kill(pid, 'SIGSTOP');
    const error = (await waiting) as PictureError;
    expect(error).toBeInstanceOf(PictureError);
    expect(error).toMatchObject({ fault: 'too-slow', killedDecoder: true });
    for (const pid of children()) process.kill(pid, 'SIGKILL');
    const begun = performance.now();
    await expect(decode(file, grey)).rejects.toMatchObject({ killedDecoder: true, message: error.message });
    expect(performance.now() - begun).toBeLessThan(200);
    expect((await decode(await picture('next.png', 2), grey)).width).toBe(90);
  });

  it('that others end take no picture with them', async () => {
    const file = await picture('dies.png', 3);
    await decode(file, grey);
    const waiting = decode(file, grey);
    for (const pid of children()) process.kill(pid, 'SIGKILL');
    expect((await waiting).height).toBe(70);
  });

  it('that end twice with the same picture take it with them, not the others', async () => {
    const file = join(folder, 'kills.png');
    writeFileSync(file, interlacedPng(6000, 6000));
    const waiting = decode(file, grey).catch((thrown: unknown) => thrown);
    const killing = setInterval(() => {
      for (const pid of children()) if (residentBytes(pid) > 2e8) process.kill(pid, 'SIGKILL');
    }, 5);
    const error = await waiting;
    clearInterval(killing);
    expect(error).toMatchObject({ fault: 'damaged', killedDecoder: true });
    const after = await Promise.all(
      [4, 5, 6, 7].map(async (red) => decode(await picture(`after-${red}.png`, red), grey)),
    );
    expect(after.map(({ height }) => height)).toEqual([70, 70, 70, 70]);
  });

  it('stop at once when nobody waits any more', async () => {
    const stop = new AbortController();
    const file = await picture('stopped.png', 8);
    const waiting = decode(file, grey, { signal: stop.signal });
    for (const pid of children()) process.kill(pid, 'SIGSTOP');
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(waiting).rejects.toThrow('enough');
    for (const pid of children()) process.kill(pid, 'SIGKILL');
    expect((await decode(file, grey)).width).toBe(90);
  });

  it('end by themselves when a picture takes too much memory', async () => {
    const file = join(folder, 'large.png');
    writeFileSync(file, interlacedPng(6000, 6000));
    const error = await decode(file, grey, { mebibytes: 300 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault: 'too-large', killedDecoder: true });
  });
});

describe('the loader of a picture', () => {
  const slow = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><filter id="f"><feTurbulence numOctaves="9999"/></filter><rect width="900" height="900" filter="url(#f)"/></svg>`;
  it.each([
    ['<!--ftypavif-->', 'not-a-picture'],
    ['\0\0\0\x18ftypavif\0\0\0\0avifmif1', 'damaged'],
    ['GIF89a', 'damaged'],
    ['\xff\xd8\xff\xe0', 'damaged'],
    ['RIFF\x20\0\0\0WEBPVP8 ', 'damaged'],
    ['II*\0', 'damaged'],
  ])('is that of its format and no other: a drawing behind %j', async (start, fault) => {
    const bytes = Buffer.concat([Buffer.from(start, 'latin1'), Buffer.from(slow)]);
    const begun = performance.now();
    const error = await decode(bytes, grey, { seconds: 5 }).catch((thrown: unknown) => thrown);
    expect(['unsupported-format', fault]).toContain((error as PictureError).fault);
    expect(performance.now() - begun).toBeLessThan(4000);
  });
});

/** 16 bits a channel with Adam7 interlacing: the decoder must hold all of it. */
function interlacedPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([16, 6, 0, 0, 1], 8);
  let bytes = 0;
  for (const [x, y, dx, dy] of [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ])
    bytes += Math.ceil((height - y) / dy) * (1 + 8 * Math.ceil((width - x) / dx));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(bytes), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Uint8Array): Buffer {
  const frame = Buffer.alloc(8);
  const body = Buffer.concat([Buffer.from(type), content]);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

function crc32(bytes: Uint8Array): number {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let k = 0; k < 8; k++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return ~value >>> 0;
}
