/**
 * One picture, decoded in this process by libvips (sharp) with exactly the loader of its format: all others are blocked,
 * so that nothing a file says about itself hands it to a parser for drawings, documents or camera files. Usual JPEG files do
 * without its decoder where they are small or much larger than wanted, with the same result.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { canEnlarge, enlarge, enlargePlaced, type Pixels } from './enlarge.js';
import { PictureError } from './errors.js';
import { type JpegHeader, readJpegHeader } from './jpeg-header.js';
import { reducedJpeg } from './reduced-jpeg.js';
import { jpegFrame, type PictureFormat, sniff } from './sniff.js';
import type { PixelTask, TaskAnswer, TaskRequest } from './task.js';
import { decodeUsualJpeg } from './usual-jpeg.js';
import { checkWebpChunks } from './webp-chunks.js';

const loaders: Readonly<Record<PictureFormat, string>> = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  gif: 'VipsForeignLoadNsgif',
  webp: 'VipsForeignLoadWebp',
  tiff: 'VipsForeignLoadTiff',
  avif: 'VipsForeignLoadHeif',
};

/** What the JPEG decoder says when part of the picture is missing. It goes on, and fills that part with grey. */
const damage = /premature end|bad huffman code|instead of rst/i;

sharp.concurrency(1);
sharp.cache(false);

let allowed: PictureFormat | undefined;

function allowOnly(format: PictureFormat): void {
  if (format === allowed) return;
  allowed = undefined;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [loaders[format]] });
  allowed = format;
}

export async function perform(request: TaskRequest): Promise<TaskAnswer> {
  const { input, bytes } = content(request);
  const found = sniff(input);
  if (!('format' in found)) {
    if (bytes === 0) throw new PictureError('empty', 'the file has no bytes');
    if (found.picture)
      throw new PictureError('unsupported-format', `it is ${found.other}, which is not supported; convert it to PNG`);
    throw new PictureError('not-a-picture', `it is ${found.other}`);
  }
  const { format } = found;
  if (format === 'webp' && !request.tolerant) checkWebpChunks(input);
  allowOnly(format);
  try {
    return { ...(await decoded(input, format, request)), format, bytes };
  } catch (error) {
    throw fault(error as Error, request);
  }
}

/** Read without asking other threads: this process does nothing else meanwhile, and that would take longer. */
function content({ input, limits }: TaskRequest): { input: Uint8Array; bytes: number } {
  if (typeof input !== 'string') return { input, bytes: input.length };
  requireFile(input);
  const descriptor = openSync(input, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (size > limits.bytes)
      throw new PictureError('too-large', `the file has ${size} bytes, ${limits.bytes} are allowed`);
    const bytes = Buffer.allocUnsafeSlow(size);
    let read = 0;
    for (let some = -1; some !== 0 && read < size; read += some)
      some = readSync(descriptor, bytes, read, size - read, null);
    return { input: bytes.subarray(0, read), bytes: size };
  } finally {
    closeSync(descriptor);
  }
}

/** Asked before opening: opening a pipe would wait for somebody to write into it. */
function requireFile(path: string): void {
  try {
    if (statSync(path).isFile()) return;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new PictureError('missing', code === 'ENOENT' ? 'there is no such file' : message, error);
  }
  throw new PictureError('not-a-picture', 'it is not a regular file');
}

type Decoded = Omit<TaskAnswer, 'format' | 'bytes'>;

async function decoded(input: Uint8Array, format: PictureFormat, request: TaskRequest): Promise<Decoded> {
  const { task, limits, tolerant } = request;
  const options: SharpOptions = {
    failOn: tolerant ? 'none' : 'error',
    limitInputPixels: limits.pixels,
    sequentialRead: true,
    pages: 1,
    autoOrient: true,
  };
  // What is asked for pixels says their number by itself, and too many are refused on the way to them.
  const base = task.kind === 'pixels' ? unknown : await header(input, options);
  if (task.kind === 'header') return base;
  if (base.width * base.height > limits.pixels)
    throw new PictureError('too-large', `the picture has more than ${limits.pixels} pixels`);
  const small = task.kind === 'pixels' && format === 'jpeg' && isSmall(input, task);
  const usual = format === 'jpeg' ? usualHeader(input, limits.pixels) : undefined;
  if (small && usual && !usual.exif) {
    const found = decodeUsualJpeg(input, usual);
    if (found) return { ...base, ...enlargePlaced(found, task) };
  }
  const arrange = async (picture: Sharp): Promise<Decoded> => {
    const timed = picture.timeout({ seconds: limits.seconds });
    const { data, info } = await arranged(timed, task).toBuffer({ resolveWithObject: true });
    return { ...base, ...(task.kind === 'pixels' && info), channels: info.channels, data };
  };
  const reduced = usual && (await reducedJpeg(input, usual, task));
  if (reduced) return arrange(reduced);
  const run = async (failOn: SharpOptions['failOn']): Promise<Decoded> => {
    const open = () => sharp(input, { ...options, failOn });
    if (small) {
      const found = await asItIs(open().timeout({ seconds: limits.seconds }));
      // What the file says need not be so.
      if (canEnlarge(found, task)) return { ...base, ...enlarge(found, task) };
    }
    return arrange(open());
  };
  if (task.kind === 'first-frame') {
    const frame = await sharp(input, options).timeout({ seconds: limits.seconds }).png().toBuffer();
    // Not written by the decoder, whose errors do not tell a full disk from a damaged picture.
    await writeFile(task.target, frame);
    return base;
  }
  if (format !== 'jpeg' || tolerant) return run(options.failOn);
  // Most warnings are about odd metadata and harmless; those about missing data are not.
  return run('warning').catch((error: Error) => {
    if (damage.test(error.message) || /timeout/i.test(error.message)) throw error;
    return run('error');
  });
}

const unknown: Decoded = { width: 0, height: 0, frames: 0, channels: 0, data: new Uint8Array(0) };

async function header(input: Uint8Array, options: SharpOptions): Promise<Decoded> {
  const {
    autoOrient,
    pages = 1,
    channels = 0,
  } = await sharp(input, { ...options, limitInputPixels: false }).metadata();
  return { ...unknown, ...autoOrient, frames: pages, channels };
}

function arranged(picture: Sharp, task: TaskRequest['task']): Sharp {
  if (task.kind === 'pixels') return pixels(picture, task);
  if (task.kind === 'thumbnail')
    return picture
      .resize(task.side, task.side, { fit: task.fit, withoutEnlargement: task.fit === 'inside' })
      .flatten({ background: '#ffffff' })
      .toFormat(task.format, { quality: task.quality });
  if (task.kind === 'grey')
    return picture.flatten({ background: '#ffffff' }).resize(task.side, task.side, { fit: 'fill' }).greyscale().raw();
  throw new Error(`no picture comes of ${task.kind}`);
}

/** Where a picture is turned, libvips cuts and turns in an order of its own. */
function isSmall(input: Uint8Array, task: PixelTask): boolean {
  const frame = jpegFrame(input);
  return frame !== undefined && !frame.exif && canEnlarge(frame, task);
}

/** Of a JPEG that our own decoder may know, and that has no more pixels than are allowed. */
function usualHeader(input: Uint8Array, allowedPixels: number): JpegHeader | undefined {
  const header = readJpegHeader(input);
  return header && header.width * header.height <= allowedPixels ? header : undefined;
}

async function asItIs(picture: Sharp): Promise<Pixels> {
  const pixels = picture.toColourspace('srgb').raw({ depth: 'uchar' });
  const { data, info } = await pixels.toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

/** Resizing is left to one pass of libvips, which then computes only the pixels that are kept. */
function pixels(picture: Sharp, { box, fit, kernel, cut, background, mirror = false }: PixelTask): Sharp {
  const [r, g, b] = background;
  const scaled = picture
    .toColourspace('srgb')
    .flatten({ background: { r, g, b } })
    .flop(mirror)
    .resize({ ...box, fit, kernel, position: 'centre', background: { r, g, b } });
  return (cut ? scaled.extract(cut) : scaled).raw({ depth: 'uchar' });
}

function fault(error: Error, { limits }: TaskRequest): Error {
  if (error instanceof PictureError || /^E[A-Z]+$/.test((error as NodeJS.ErrnoException).code ?? '')) return error;
  const problem = error.message.replace(/\s+/g, ' ').trim();
  if (/pixel limit/i.test(problem))
    return new PictureError('too-large', `the picture has more than ${limits.pixels} pixels`);
  if (/timeout/i.test(problem))
    return new PictureError('too-slow', `decoding took more than ${limits.seconds} seconds`);
  if (/not built in|not built with|unsupported (feature|codec)/i.test(problem))
    return new PictureError('unsupported-format', problem);
  return new PictureError('damaged', problem);
}
