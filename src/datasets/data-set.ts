/** A set of labelled pictures that was opened: what it is, what is in it, and what was passed over. */
import { open } from 'node:fs/promises';
import { describeBytes, pictureFormat, signatureBytes } from '../decoding/index.js';
import { fileError } from '../formats/index.js';
import type { DataPicture, Provenance } from './picture.js';

/** A picture on the web, to be fetched by a crawl. */
export interface AddressedPicture extends Provenance {
  readonly id: string;
  readonly category?: string;
  readonly address: string;
}

export interface DataSet {
  /** In words, for people. */
  readonly kind: string;
  readonly pictures: readonly DataPicture[];
  /** Pictures that the set names only by their addresses. */
  readonly addresses: readonly AddressedPicture[];
  /** What was passed over, and why. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** What a reader wants to know beside the path. */
export interface ReadOptions {
  /** The column of a table that says what a picture shows. @default one of the usual names */
  label?: string;
  /** The column of a table that says where a picture lies. @default one of the usual names */
  image?: string;
  /** Where the pictures of a table lie. @default the table's folder */
  root?: string;
  signal?: AbortSignal;
}

export function dataSet(kind: string, parts: Partial<Omit<DataSet, 'kind'>>): DataSet {
  return { kind, pictures: [], addresses: [], notes: [], close: async () => {}, ...parts };
}

/** Suffixes of files that are taken for pictures where no list says which are. */
export const pictureSuffix = /\.(jpe?g|jpe|png|gif|webp|tiff?|avif|heic|bmp)$/i;

/** What a file is, where it is no picture we read; undefined where it is one. */
export async function notAPicture(file: string): Promise<string | undefined> {
  const handle = await open(file).catch((error) => {
    throw fileError(file, error, 'opened');
  });
  try {
    const head = Buffer.alloc(signatureBytes);
    const { bytesRead } = await handle.read(head, 0, signatureBytes, 0);
    return describeUnlessPicture(head.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

export function describeUnlessPicture(head: Uint8Array): string | undefined {
  return pictureFormat(head) ? undefined : describeBytes(head).other;
}

/** A name with the suffix of what its bytes are, where it has none of a picture. */
export function withSuffix(id: string, head: Uint8Array): string {
  if (pictureSuffix.test(id)) return id;
  const format = pictureFormat(head) ?? 'jpeg';
  return `${id}.${format === 'jpeg' ? 'jpg' : format}`;
}
