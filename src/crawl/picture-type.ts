/** The real type of a picture, from its first bytes; what the server or the file name says is not asked. */
export interface PictureType {
  mediaType: string;
  extension: string;
}

/** Bytes needed to tell. */
export const signatureBytes = 64;

const ascii = (bytes: Buffer, start: number, end: number) => bytes.toString('latin1', start, end);

/** A type we keep, the name of one we do not, or undefined for anything that is not a picture. */
export function pictureType(head: Buffer): PictureType | string | undefined {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return { mediaType: 'image/jpeg', extension: 'jpg' };
  if (ascii(head, 0, 8) === '\x89PNG\r\n\x1a\n') return { mediaType: 'image/png', extension: 'png' };
  if (/^GIF8[79]a$/.test(ascii(head, 0, 6))) return { mediaType: 'image/gif', extension: 'gif' };
  if (ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP')
    return { mediaType: 'image/webp', extension: 'webp' };
  if (/^(II\*\0|MM\0\*)$/.test(ascii(head, 0, 4))) return { mediaType: 'image/tiff', extension: 'tif' };
  if (ascii(head, 4, 8) === 'ftyp') {
    const brands = ascii(head, 8, Math.min(head.length, 40));
    if (/avi[fs]/.test(brands)) return { mediaType: 'image/avif', extension: 'avif' };
    if (/hei[cxms]|hev[cx]|mif1/.test(brands)) return 'HEIC';
  }
  if (ascii(head, 0, 2) === 'BM' && head.length > 14 && head.readUInt32LE(6) === 0) return 'BMP';
  if (/^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(ascii(head, 0, signatureBytes))) return 'SVG';
  if (ascii(head, 0, 4) === '\0\0\x01\0') return 'ICO';
  if (ascii(head, 0, 2) === '\xff\x0a' || ascii(head, 4, 8) === 'JXL ') return 'JPEG XL';
  return undefined;
}

/** What a file that is not a picture seems to be, for the record. */
export function describeOther(head: Buffer): string {
  const start = ascii(head, 0, signatureBytes).trimStart().toLowerCase();
  if (head.length === 0) return 'an empty file';
  if (start.startsWith('<!doctype html') || start.startsWith('<html') || start.startsWith('<head'))
    return 'an HTML page';
  if (start.startsWith('<')) return 'markup';
  if (start.startsWith('{') || start.startsWith('[')) return 'JSON';
  if (start.startsWith('%pdf')) return 'a PDF';
  return 'not a picture';
}
