/** What the thread of a session and whoever started it say to each other. */
import type { Progress } from '../progress.js';
import type { Question, Standing } from './question.js';

export type ToAskThread = { readonly kind: 'look' } | { readonly kind: 'close' };

export type FromAskThread =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | {
      readonly kind: 'looked';
      readonly questions: readonly Question[];
      readonly standing: Standing;
      readonly names: readonly string[];
    }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: string; readonly hint?: string };
