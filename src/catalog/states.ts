/**
 * The states a picture passes through between being found and being kept:
 * found → fetched → checked → kept, with dropped (we do not want it) and failed (it could not be had) as ways out.
 */
import { ArgumentError } from '../errors.js';

export const pictureStates = ['found', 'fetched', 'checked', 'kept', 'dropped', 'failed'] as const;
export type PictureState = (typeof pictureStates)[number];

/** Back to found goes a failed picture that is tried again, and one whose file has been lost. */
const allowedMoves: Record<PictureState, readonly PictureState[]> = {
  found: ['fetched', 'dropped', 'failed'],
  fetched: ['checked', 'dropped', 'failed', 'found'],
  checked: ['kept', 'dropped', 'found'],
  kept: ['dropped', 'found'],
  dropped: [],
  failed: ['found'],
};

/** Why a picture was dropped. */
export const dropReasons = [
  'licence',
  'robots',
  'x-robots-tag',
  'same-address',
  'not-an-image',
  'unsupported-type',
  'does-not-decode',
  'kills-decoder',
  'too-small',
  'too-many-pixels',
  'too-large',
  'placeholder',
] as const;
export type DropReason = (typeof dropReasons)[number];

/** How a picture failed, and whether trying again later may help. */
export const failureKinds = {
  throttled: { retriable: true },
  server: { retriable: true },
  timeout: { retriable: true },
  connection: { retriable: true },
  length: { retriable: true },
  'robots-unreachable': { retriable: true },
  gone: { retriable: false },
  refused: { retriable: false },
  'redirect-loop': { retriable: false },
  'forbidden-address': { retriable: false },
  'bad-address': { retriable: false },
  'unexpected-answer': { retriable: false },
} as const;
export type FailureKind = keyof typeof failureKinds;

export const retriableKinds = (Object.keys(failureKinds) as FailureKind[]).filter(
  (kind) => failureKinds[kind].retriable,
);

export function checkMove(id: string, from: PictureState, to: PictureState): void {
  if (!allowedMoves[from].includes(to)) throw new ArgumentError(`picture ${id} cannot go from ${from} to ${to}`);
}
