/** Ranges learnt from trials on validation categories, made by `npm run bench -- ranges --write`; not to be edited by hand. */
import type { LearntRange } from './searched-ranges.js';

export const learntRanges: Readonly<Record<string, Readonly<Record<string, LearntRange>>>> = {};
