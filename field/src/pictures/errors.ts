/** A picture that gives no pixels, and why, in a word that the page has a sentence for. */
export type PictureTrouble = 'empty' | 'not-a-picture' | 'unsupported' | 'too-large' | 'damaged';

export class PictureError extends Error {
  readonly trouble: PictureTrouble;

  constructor(trouble: PictureTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** A JPEG of a kind that is left to the browser: CMYK, arithmetic coding, twelve bits. */
export class UncommonJpeg extends Error {}
