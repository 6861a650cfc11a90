/**
 * The errors a user can cause. Each has a stable code, a sentence naming what was found and what was expected, and a
 * hint saying what to do next.
 */
export class BowerbirdError extends Error {
  /** Stable identifier, `BOWERBIRD_…`, listed in docs/troubleshooting.md. */
  readonly code: string;
  /** What the user can do about it. */
  readonly hint: string | undefined;

  constructor(code: `BOWERBIRD_${string}`, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
  }
}

/** The command line or a library call was used wrongly. Exit code 2. */
export class UsageError extends BowerbirdError {
  constructor(message: string, hint?: string) {
    super('BOWERBIRD_USAGE', message, { hint });
  }
}

/** An argument of a library function has the wrong value or shape. */
export class ArgumentError extends BowerbirdError {
  constructor(message: string, hint?: string) {
    super('BOWERBIRD_ARGUMENT', message, { hint });
  }
}

/** A file is not what its format says it should be. */
export class FormatError extends BowerbirdError {
  readonly file: string;
  readonly offset: number | undefined;

  constructor(file: string, offset: number | undefined, problem: string, hint?: string) {
    super('BOWERBIRD_FORMAT', `${file}${offset === undefined ? '' : ` (byte ${offset})`}: ${problem}`, { hint });
    this.file = file;
    this.offset = offset;
  }
}

/** A file cannot be opened, read or written: absent, forbidden, a folder, no space left. */
export class FileError extends BowerbirdError {
  readonly file: string;

  constructor(file: string, problem: string, options: { hint?: string; cause?: unknown } = {}) {
    super('BOWERBIRD_FILE', `${file}: ${problem}`, options);
    this.file = file;
  }
}

/** A problem (features, labels, semantic vectors) breaks a rule; names the array, the row and the rule. */
export class ProblemError extends BowerbirdError {
  readonly array: string;
  readonly row: number | undefined;

  constructor(array: string, row: number | undefined, problem: string, hint?: string) {
    super('BOWERBIRD_PROBLEM', `${array}${row === undefined ? '' : `, row ${row}`}: ${problem}`, { hint });
    this.array = array;
    this.row = row;
  }
}

/** A numerical backend is absent or refused to work. */
export class BackendError extends BowerbirdError {
  constructor(message: string, hint?: string, cause?: unknown) {
    super('BOWERBIRD_BACKEND', message, { hint, cause });
  }
}

/** A matrix that must be positive definite is not. `pivot` is the first column where the factorization failed. */
export class NotPositiveDefiniteError extends BowerbirdError {
  readonly pivot: number;

  constructor(pivot: number) {
    super('BOWERBIRD_NOT_POSITIVE_DEFINITE', `the matrix is not positive definite (pivot ${pivot} is not positive)`);
    this.pivot = pivot;
  }
}

/** More memory was asked for than can be had; says how much. */
export class MemoryError extends BowerbirdError {
  readonly bytes: number;

  constructor(bytes: number, what: string, hint?: string) {
    const size = bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(2)} GiB`;
    super('BOWERBIRD_MEMORY', `${what} needs ${size}`, { hint });
    this.bytes = bytes;
  }
}

/** The work was stopped through an AbortSignal or by Ctrl-C. Exit code 130. */
export class InterruptedError extends BowerbirdError {
  constructor(message = 'interrupted', hint?: string) {
    super('BOWERBIRD_INTERRUPTED', message, { hint });
  }
}

/** Work finished but some items failed; they are listed. Exit code 3. */
export class PartialFailureError extends BowerbirdError {
  readonly failed: readonly string[];

  constructor(message: string, failed: readonly string[], hint?: string) {
    super('BOWERBIRD_PARTIAL', message, { hint });
    this.failed = failed;
  }
}
