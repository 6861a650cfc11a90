/** The ways out of fetching: a failure (it could not be had) and a refusal (it could, but must not be kept). */
import { type DropReason, type FailureKind, failureKinds } from '../../catalog/index.js';

export class FetchFailure extends Error {
  readonly kind: FailureKind;
  /** Trying again within this run is pointless: the host asked for a longer pause than we are willing to wait. */
  readonly final: boolean;

  constructor(kind: FailureKind, detail: string, options: { final?: boolean; cause?: unknown } = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FetchFailure';
    this.kind = kind;
    this.final = options.final ?? !failureKinds[kind].retriable;
  }
}

export class Refusal extends Error {
  readonly reason: DropReason;

  constructor(reason: DropReason, detail: string) {
    super(detail);
    this.name = 'Refusal';
    this.reason = reason;
  }
}
