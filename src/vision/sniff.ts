/** Tells by its first bytes what a file is, whatever its name says. Crawled folders are full of web pages named .jpg. */
import { PictureError, type PictureFault } from './errors.js';

export type PictureFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'avif';

/** The picture format of a file. @throws PictureError saying what the file is instead */
export function sniffPicture(bytes: Uint8Array): PictureFormat {
  if (bytes.length === 0) throw new PictureError('empty', 'the file has no bytes');
  const starts = (values: readonly number[]) => values.every((value, i) => bytes[i] === value);
  const format = pictureStarts.find(([start]) => starts(start));
  if (format) return format[1];
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp';
  if (text(4, 8) === 'ftyp') return isoBrand(text(8, 64));
  const beginning = text(0, 256).trimStart();
  const other = otherStarts.find(([start]) => starts(start)) ?? otherTexts.find(([pattern]) => pattern.test(beginning));
  throw new PictureError(other?.[1] ?? 'not-a-picture', other?.[2] ?? 'the first bytes are of no known picture format');
}

const pictureStarts: readonly (readonly [readonly number[], PictureFormat])[] = [
  [[0xff, 0xd8, 0xff], 'jpeg'],
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'png'],
  [[0x47, 0x49, 0x46, 0x38], 'gif'],
  // Classic TIFF is version 42, BigTIFF 43, in either byte order.
  [[0x49, 0x49, 42, 0], 'tiff'],
  [[0x49, 0x49, 43, 0], 'tiff'],
  [[0x4d, 0x4d, 0, 42], 'tiff'],
  [[0x4d, 0x4d, 0, 43], 'tiff'],
];

const otherStarts: readonly (readonly [readonly number[], PictureFault, string])[] = [
  [[0x50, 0x4b, 3, 4], 'not-a-picture', 'it is a ZIP archive'],
  [[0x1f, 0x8b], 'not-a-picture', 'it is a gzip archive'],
  [[0xff, 0x0a], 'unsupported-format', 'JPEG XL pictures are not supported'],
  [[0, 0, 0, 12, 0x4a, 0x58, 0x4c], 'unsupported-format', 'JPEG XL pictures are not supported'],
  [[0, 0, 0, 12, 0x6a, 0x50], 'unsupported-format', 'JPEG 2000 pictures are not supported'],
  [[0xff, 0x4f, 0xff, 0x51], 'unsupported-format', 'JPEG 2000 pictures are not supported'],
  [[0x42, 0x4d], 'unsupported-format', 'BMP pictures are not supported; convert them to PNG'],
];

const otherTexts: readonly (readonly [RegExp, PictureFault, string])[] = [
  [/^<(!doctype html|html|head|body|script)/i, 'not-a-picture', 'it is a web page'],
  [/^(<\?xml[\s\S]*?<svg|<svg)/i, 'unsupported-format', 'SVG drawings are not supported'],
  [/^<\?xml/i, 'not-a-picture', 'it is an XML document'],
  [/^%PDF-/, 'unsupported-format', 'PDF documents are not supported'],
  [/^[{[]/, 'not-a-picture', 'it is JSON or other text'],
];

function isoBrand(brands: string): PictureFormat {
  if (/avif|avis/.test(brands)) return 'avif';
  if (/hei[cxms]|hev[cm]|mif1|msf1/.test(brands))
    throw new PictureError('unsupported-format', 'HEIC pictures are not supported; convert them to JPEG');
  throw new PictureError('not-a-picture', 'it is a video or audio file (ISO media)');
}
