/**
 * Tells what a file is by its structure, whatever its name, its server or a word somewhere in it says. Crawled folders are
 * full of web pages named .jpg, and a drawing may carry the letters of another format near its beginning.
 */

export type PictureFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'avif';

/** Bytes of the beginning that are enough to tell. */
export const signatureBytes = 256;

/** A picture format we read, or what the file is instead. */
export type Sniffed = { format: PictureFormat } | { other: string; picture: boolean };

/** The format, where it is one we read. */
export function pictureFormat(head: Uint8Array): PictureFormat | undefined {
  const found = sniff(head);
  return 'format' in found ? found.format : undefined;
}

/** What the bytes are, in words: `a web page`, `an SVG drawing`; and whether that is a picture of any kind. */
export function describeBytes(head: Uint8Array): { other: string; picture: boolean } {
  const found = sniff(head);
  return 'format' in found ? { other: found.format, picture: true } : found;
}

export function sniff(head: Uint8Array): Sniffed {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, signatureBytes));
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (bytes.length === 0) return { other: 'an empty file', picture: false };
  // A start of image is followed by a marker, never by data.
  if (text(0, 3) === '\xff\xd8\xff' && bytes[3] >= 0xc0 && bytes[3] < 0xff) return { format: 'jpeg' };
  if (text(0, 8) === '\x89PNG\r\n\x1a\n' && text(8, 16) === '\0\0\0\x0dIHDR') return { format: 'png' };
  if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return { format: 'gif' };
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP' && /^VP8[ LX]$/.test(text(12, 16))) return { format: 'webp' };
  // Classic TIFF is version 42, BigTIFF 43, in either byte order.
  if (/^(II[*+]\0|MM\0[*+])$/.test(text(0, 4))) return { format: 'tiff' };
  const media = text(4, 8) === 'ftyp' ? isoMedia(bytes) : undefined;
  if (media) return media;
  const start = otherStarts.find(([letters]) => text(0, letters.length) === letters);
  if (start) return { other: start[1], picture: start[2] };
  const beginning = text(0, signatureBytes)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  const markup = otherTexts.find(([pattern]) => pattern.test(beginning));
  return markup ? { other: markup[1], picture: markup[2] } : { other: 'of no known format', picture: false };
}

/** The first box of an ISO media file: its length, `ftyp`, a brand, a version, and more brands of four letters each. */
function isoMedia(bytes: Buffer): Sniffed | undefined {
  const length = bytes.readUInt32BE(0);
  if (length < 16 || length % 4 !== 0 || length > signatureBytes) return undefined;
  const brands = [bytes.toString('latin1', 8, 12)];
  for (let at = 16; at < Math.min(length, bytes.length); at += 4) brands.push(bytes.toString('latin1', at, at + 4));
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return { format: 'avif' };
  if (brands.some((brand) => /^(hei[cxms]|hev[cmx]|mif1|msf1)$/.test(brand)))
    return { other: 'a HEIC picture', picture: true };
  return { other: 'a video or audio file', picture: false };
}

const otherStarts: readonly [letters: string, name: string, picture: boolean][] = [
  ['PK\x03\x04', 'a ZIP archive', false],
  ['\x1f\x8b', 'a gzip archive', false],
  ['\xff\x0a', 'a JPEG XL picture', true],
  ['\0\0\0\x0cJXL ', 'a JPEG XL picture', true],
  ['\0\0\0\x0cjP', 'a JPEG 2000 picture', true],
  ['\xff\x4f\xff\x51', 'a JPEG 2000 picture', true],
  ['\0\0\x01\0', 'an icon (ICO)', true],
  ['BM', 'a BMP picture', true],
  ['%PDF-', 'a PDF document', true],
];

const otherTexts: readonly [pattern: RegExp, name: string, picture: boolean][] = [
  [/^<(!doctype html|html|head|body|script)/i, 'a web page', false],
  [/^(<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!doctype svg[^>]*>\s*)*<svg[\s>]/i, 'an SVG drawing', true],
  [/^<\?xml/i, 'an XML document', false],
  [/^</, 'markup', false],
  [/^[{[]/, 'JSON or other text', false],
];

/** What the headers of a JPEG file say of its pixels. */
export interface JpegFrame {
  /** Before the picture is turned upright. */
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** Whether the file may say that it has to be turned. */
  readonly exif: boolean;
}

export function jpegFrame(bytes: Uint8Array): JpegFrame | undefined {
  const word = (at: number) => bytes[at] * 256 + bytes[at + 1];
  let exif = false;
  for (let at = 2; at + 10 <= bytes.length && bytes[at] === 0xff; at += 2 + word(at + 2)) {
    const marker = bytes[at + 1];
    if (marker === 0xe1) exif = true;
    // Tables, extensions and settings have markers of the same range.
    if (marker < 0xc0 || marker > 0xcf || marker === 0xc4 || marker === 0xc8 || marker === 0xcc) continue;
    return { height: word(at + 5), width: word(at + 7), channels: bytes[at + 9], exif };
  }
  return undefined;
}
