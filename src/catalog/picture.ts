/** A picture as the catalog knows it. */
import { createHash } from 'node:crypto';
import type { DropReason, FailureKind, PictureState } from './states.js';

/** What is known when a source lists a picture. */
export interface FoundPicture {
  /** From `pictureId`; also the name of its file. */
  id: string;
  category: string;
  source: string;
  /** The source's own name for it. */
  sourceId: string;
  /** Position in the source's answers for this category, from 1. */
  rank: number;
  imageUrl: string;
  pageUrl?: string;
  author?: string;
  authorUrl?: string;
  /** A code such as `cc-by-sa`, or `unknown`. */
  licence: string;
  licenceUrl?: string;
  title?: string;
  tags?: readonly string[];
  description?: string;
  publishedAt?: string;
  takenAt?: string;
}

/** What is learnt about it later. */
export interface PictureMeasurements {
  attempts?: number;
  /** Relative to the workspace, with forward slashes; empty when there is no file any more. */
  path?: string;
  bytes?: number;
  /** Of what was fetched. */
  sha256?: string;
  /** Of the file, where it is not what was fetched: the first frame of an animation. */
  fileSha256?: string;
  /** 64-bit perceptual hash as 16 hexadecimal digits. */
  perceptualHash?: string;
  /** The same of slightly cropped windows, with spaces between. */
  cropHashes?: string;
  mediaType?: string;
  width?: number;
  height?: number;
  /** Of the original; only the first is kept. */
  frames?: number;
  /** JSON array of `{ author, text, date }`. */
  comments?: string;
}

export interface StateChange extends PictureMeasurements {
  id: string;
  from: PictureState;
  to: PictureState;
  reason?: DropReason | FailureKind;
  /** A sentence for people. */
  detail?: string;
}

/** Which picture another one repeats; without `duplicateOf` it repeats none. */
export interface DuplicateMark {
  id: string;
  /** The id of the picture that stays, or the path of one that is not of the catalog. */
  duplicateOf?: string;
  duplicateBy?: 'exact' | 'perceptual' | 'features';
  /** A sentence for people. */
  duplicateDetail?: string;
}

export type PictureRow = FoundPicture &
  PictureMeasurements &
  Omit<DuplicateMark, 'id'> & { state: PictureState; reason?: string; detail?: string };

/** Where a source stands with a category: `cursor` is what to ask next. */
export interface Lane {
  category: string;
  source: string;
  cursor?: string;
  nextRank: number;
  state: 'open' | 'exhausted' | 'failed';
  reason?: string;
  detail?: string;
}

/** The same picture found again gets the same id, and an id is safe as a file name whatever the source says. */
export function pictureId(category: string, source: string, sourceId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([category, source, sourceId]))
    .digest('hex')
    .slice(0, 24);
}
