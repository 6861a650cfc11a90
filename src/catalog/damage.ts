/** What the database says when the disk is full or its file is damaged, in our own words: neither is a defect of ours. */
import { BowerbirdError } from '../errors.js';
import { fileError } from '../formats/index.js';

const full = /No space left on device|Disk quota exceeded|not enough space on the disk/i;
const forbidden = /Read-only file system|Permission denied/i;
/** Errors about bytes that are not what the database wrote. */
const damage =
  /^(INTERNAL|FATAL|Serialization|IO|Invalid|Missing Extension|Sequence) Error|not a valid DuckDB|invalidated|checksum|corrupt|Could not read|deserialize/i;

const repairHint =
  'If the file is damaged, "bowerbird catalog repair --workspace DIR" builds it anew from the journal and the pictures.';

/** @param file of the catalog */
export function databaseError(file: string, cause: unknown, verb: 'opened' | 'used' = 'used'): unknown {
  if (cause instanceof BowerbirdError) return cause;
  const { message } = cause as Error;
  if (full.test(message))
    return fileError(file, Object.assign(new Error(message, { cause }), { code: 'ENOSPC' }), 'written');
  return damage.test(message) || forbidden.test(message) ? unusable(file, cause as Error, verb) : cause;
}

export function unusable(file: string, cause: Error, verb: 'opened' | 'used'): BowerbirdError {
  return new BowerbirdError('BOWERBIRD_CATALOG', `${file} cannot be ${verb}: ${cause.message.split('\n')[0]}`, {
    hint: forbidden.test(cause.message)
      ? 'This command changes the catalog: it needs the right to write to the file and its folder.'
      : repairHint,
    cause,
  });
}

export function isDamage(error: unknown): error is BowerbirdError {
  return error instanceof BowerbirdError && error.hint === repairHint;
}
