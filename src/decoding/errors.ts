/** Why a picture gives no pixels. */
import { BowerbirdError } from '../errors.js';

/** Stable words that are written to failures.csv. */
export type PictureFault =
  | 'missing'
  | 'empty'
  | 'not-a-picture'
  | 'unsupported-format'
  | 'too-large'
  | 'damaged'
  | 'too-slow'
  | 'no-feature';

/** A picture could not be turned into pixels. Extraction records it and goes on. */
export class PictureError extends BowerbirdError {
  readonly fault: PictureFault;
  /** It ended the process that decoded it, or had to be ended with it: not to be tried again. */
  readonly killedDecoder: boolean;

  constructor(fault: PictureFault, message: string, cause?: unknown, killedDecoder = false) {
    super('BOWERBIRD_PICTURE', message, { cause });
    this.fault = fault;
    this.killedDecoder = killedDecoder;
  }
}
