/**
 * Views of a picture: the whole of it as a network expects it, mirrored, nearer, or one of its corners. Features of several
 * views say more than those of one: what is small in the picture is seen larger, and what leans to one side, from both.
 */
import type { Preprocessing } from './preprocessing.js';

/** The middle part of each side that a near view shows. */
const nearPart = 0.72;

interface View {
  readonly mirror?: boolean;
  /** Share of each side that is looked at. */
  readonly part?: number;
  /** Where the cut lies in what was scaled: 0 left or top, 1 right or bottom. @default the middle */
  readonly at?: readonly [x: number, y: number];
}

const views = {
  plain: {},
  mirror: { mirror: true },
  zoom: { part: nearPart },
  'zoom-mirror': { part: nearPart, mirror: true },
  'top-left': { at: [0, 0] },
  'top-right': { at: [1, 0] },
  'bottom-left': { at: [0, 1] },
  'bottom-right': { at: [1, 1] },
} as const satisfies Record<string, View>;

export type ViewName = keyof typeof views;
export const viewNames = Object.keys(views) as ViewName[];

/** The usual set of five: the middle and the corners. */
export const fiveCrops: readonly ViewName[] = ['plain', 'top-left', 'top-right', 'bottom-left', 'bottom-right'];

/** How a picture is scaled and cut for a view: into a box, then a part of it. */
export interface Cut {
  readonly box: { readonly width: number; readonly height: number };
  readonly left: number;
  readonly top: number;
  readonly mirror: boolean;
}

/** Corners of a picture that is not cut at all are those of its near view. */
export function cutOf({ size: [height, width], resize, shorterSide, view = 'plain' }: Preprocessing): Cut {
  const { mirror = false, part, at = [0.5, 0.5] }: View = views[view];
  const growth = resize === 'crop' ? shorterSide / Math.min(height, width) : 1;
  const corner = at[0] !== 0.5 || at[1] !== 0.5;
  const scale = growth / (part ?? (corner && growth === 1 ? nearPart : 1));
  const box = { width: Math.round(width * scale), height: Math.round(height * scale) };
  return {
    box,
    left: Math.round((box.width - width) * at[0]),
    top: Math.round((box.height - height) * at[1]),
    mirror,
  };
}
