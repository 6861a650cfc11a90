/** Pictures from anywhere into pixels, in processes that can be killed. */
export { type DecodeOptions, decode, type PictureInput } from './decoder-pool.js';
export { PictureError, type PictureFault } from './errors.js';
export { describeBytes, type PictureFormat, pictureFormat, signatureBytes } from './sniff.js';
export type { PictureTask, PixelTask, TaskAnswer } from './task.js';
