/** What a decoding process can be asked, and what it answers: plain values that travel between processes. */
import type { PictureFault } from './errors.js';
import type { PictureFormat } from './sniff.js';

type Colour = readonly [red: number, green: number, blue: number];

/** RGB of exactly one size: scaled into `box`, then the part `cut` of it. */
export interface PixelTask {
  kind: 'pixels';
  box: { width: number; height: number };
  fit: 'fill' | 'contain' | 'cover';
  kernel: 'nearest' | 'linear' | 'cubic' | 'mitchell' | 'lanczos2' | 'lanczos3';
  cut?: { left: number; top: number; width: number; height: number };
  background: Colour;
  /** Left and right change places. */
  mirror?: boolean;
}

export type PictureTask =
  /** Sizes and the number of frames, from the header alone. */
  | { kind: 'header' }
  /** side × side grey values, transparency over white. */
  | { kind: 'grey'; side: number }
  /** The first frame as a PNG file. */
  | { kind: 'first-frame'; target: string }
  /** Encoded anew, no larger than side × side, or cut to exactly that. */
  | { kind: 'thumbnail'; side: number; fit: 'inside' | 'cover'; format: 'jpeg' | 'webp'; quality: number }
  | PixelTask;

export interface TaskLimits {
  /** Width × height. */
  pixels: number;
  /** Of the file. */
  bytes: number;
  seconds: number;
  /** Memory of the decoding process. */
  mebibytes: number;
}

export interface TaskRequest {
  /** A path, or the bytes themselves. */
  input: string | Uint8Array;
  task: PictureTask;
  limits: TaskLimits;
  /** Show what there is of a damaged picture. */
  tolerant: boolean;
}

export interface TaskAnswer {
  format: PictureFormat;
  /** Turned upright; of the first frame. */
  width: number;
  height: number;
  /** Not counted, 0, where pixels were asked for. */
  frames: number;
  channels: number;
  /** Bytes of the file. */
  bytes: number;
  /** Pixels or an encoded picture; empty where none were asked for. */
  data: Uint8Array;
}

export interface AnswerReply {
  kind: 'answer';
  answer: TaskAnswer;
  /** Bytes of its data that lie in the file of answers; 0 where they are in the answer itself. */
  filed: number;
}

export type TaskReply =
  | { kind: 'ready' }
  | AnswerReply
  | { kind: 'fault'; fault: PictureFault; message: string }
  /** The process is about to end itself. */
  | { kind: 'too-much-memory'; mebibytes: number }
  /** Trouble with our own disk or memory, not with the picture. */
  | { kind: 'system'; code: string; message: string };
