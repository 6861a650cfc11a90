/** What a file is by its first bytes, whatever its name says, and how many pixels it claims to have. */
export function isJpeg(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff && bytes[3] >= 0xc0 && bytes[3] < 0xff;
}

export interface Description {
  /** In words, for people. */
  readonly name: string;
  readonly picture: boolean;
}

export function describeBytes(bytes: Uint8Array): Description {
  const text = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (isJpeg(bytes)) return { name: 'JPEG', picture: true };
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return { name: 'PNG', picture: true };
  if (/^GIF8[79]a$/.test(text(0, 6))) return { name: 'GIF', picture: true };
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return { name: 'WebP', picture: true };
  if (/^(II[*+]\0|MM\0[*+])$/.test(text(0, 4))) return { name: 'TIFF', picture: true };
  if (text(4, 8) === 'ftyp' && /avif|avis|hei[cxms]|hev[cmx]|mif1|msf1/.test(text(8, 64)))
    return { name: text(8, 64).includes('avi') ? 'AVIF' : 'HEIC', picture: true };
  const start = text(0, 64).trimStart();
  if (/^</.test(start)) return { name: /svg/i.test(text(0, 256)) ? 'an SVG drawing' : 'a web page', picture: false };
  if (/^%PDF/.test(start)) return { name: 'a PDF document', picture: false };
  return { name: 'of no known format', picture: false };
}

/** Width × height as the header says, where it is one that is read here. */
export function pixelCount(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { name } = describeBytes(bytes);
  if (bytes.length < 32) return undefined;
  if (name === 'PNG') return view.getUint32(16) * view.getUint32(20);
  if (name === 'GIF') return view.getUint16(6, true) * view.getUint16(8, true);
  if (name !== 'WebP') return undefined;
  const kind = String.fromCharCode(...bytes.subarray(12, 16));
  if (kind === 'VP8X') return (1 + (view.getUint32(24, true) & 0xffffff)) * (1 + (view.getUint32(27, true) & 0xffffff));
  if (kind === 'VP8 ') return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
  if (kind !== 'VP8L') return undefined;
  const bits = view.getUint32(21, true);
  return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1);
}
