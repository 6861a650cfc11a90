/** Errors as plain values and back, so that a failed job can say why across a thread or a network. */
import { BowerbirdError } from '../errors.js';
import type { JobFailure } from './executor.js';

export function failureOf(error: unknown): JobFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { code, hint } = error as { code?: unknown; hint?: unknown };
  return {
    name: error.name,
    ...(typeof code === 'string' && { code }),
    message: error.message,
    ...(typeof hint === 'string' && { hint }),
  };
}

/** The error a failure describes, for what stops a whole run rather than one job. */
export function errorOf(failure: JobFailure): BowerbirdError {
  const ours = failure.code?.startsWith('BOWERBIRD_');
  const error = new BowerbirdError(
    ours ? (failure.code as `BOWERBIRD_${string}`) : 'BOWERBIRD_WORKER',
    ours ? failure.message : `a worker could not start: ${failure.name}: ${failure.message}`,
    { hint: failure.hint },
  );
  error.name = failure.name;
  return error;
}
