/** The decoder fills a truncated WebP with grey without a word; its container says how long its parts should be. */
import { PictureError } from './errors.js';

/** @throws PictureError where the file or one of its chunks is shorter than it says */
export function checkWebpChunks(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = view.getUint32(4, true) + 8;
  if (bytes.length < end)
    throw new PictureError('damaged', `the WebP file should have ${end} bytes, it has ${bytes.length}`);
  let at = 12;
  while (at + 8 <= end) {
    const length = view.getUint32(at + 4, true);
    if (at + 8 + length > end)
      throw new PictureError(
        'damaged',
        `a part of the WebP file should have ${length} bytes, ${end - at - 8} are left`,
      );
    at += 8 + length + (length % 2);
  }
}
