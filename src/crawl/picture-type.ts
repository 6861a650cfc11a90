/** The type of a fetched file, from its content; what the server or the file name says is not asked. */
import { describeBytes, type PictureFormat, pictureFormat } from '../decoding/index.js';
import { Refusal } from './network/failure.js';

export interface PictureType {
  mediaType: string;
  extension: string;
}

const types: Readonly<Record<PictureFormat, PictureType>> = {
  jpeg: { mediaType: 'image/jpeg', extension: 'jpg' },
  png: { mediaType: 'image/png', extension: 'png' },
  gif: { mediaType: 'image/gif', extension: 'gif' },
  webp: { mediaType: 'image/webp', extension: 'webp' },
  tiff: { mediaType: 'image/tiff', extension: 'tif' },
  avif: { mediaType: 'image/avif', extension: 'avif' },
};

/** @throws Refusal for anything but a picture of a type we keep */
export function expectPicture(head: Uint8Array): PictureType {
  const format = pictureFormat(head);
  if (format) return types[format];
  const { other, picture } = describeBytes(head);
  if (picture) throw new Refusal('unsupported-type', `it is ${other}, which is not used`);
  throw new Refusal('not-an-image', `the content is ${other}`);
}
