/** What the page and its worker say to each other. */
import type { PictureTrouble } from './pictures/errors.js';
import type { Site } from './site.js';

/** How the network runs in this browser. */
export interface EngineChoice {
  kind: 'wasm' | 'webgpu';
  threads: number;
}

export type Request =
  | { kind: 'start'; base: string; site: Site; wish?: string }
  | { kind: 'classify'; id: number; picture: Blob };

export interface Candidate {
  category: string;
  score: number;
  /** Absent where it could not be learnt. */
  confidence?: number;
}

export interface Neighbour {
  /** Index into the gallery. */
  picture: number;
  likeness: number;
}

export interface Answer {
  /** All categories, the likeliest first. */
  candidates: Candidate[];
  /** Chance that it shows none of them, where that is known. */
  unlisted?: number;
  nearest: { web: Neighbour[]; auxiliary: Neighbour[] };
  milliseconds: { pixels: number; network: number };
}

export type Trouble = PictureTrouble | 'memory' | 'unknown';

export type Reply =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'ready'; engine: EngineChoice; kept: boolean }
  | { kind: 'failed'; problem: string }
  | { kind: 'answer'; id: number; answer: Answer; thumbnail: Blob }
  | { kind: 'trouble'; id: number; trouble: Trouble; message: string };
