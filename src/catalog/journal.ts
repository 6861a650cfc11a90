/**
 * An append-only journal in numbered segment files, which stay in a folder of their own after they have been applied: from
 * them the tables can be made again. A record is handed to the operating system before `append` returns,
 * so killing the process loses nothing; `fdatasync` follows within a second, so a power cut loses at most that. After a
 * write that failed, as on a full disk, nothing more is appended.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileError, writeBeside } from '../formats/index.js';
import { type DecodedRecords, decodeRecords, encodeRecord, type JournalEvent } from './journal-record.js';

const segmentName = /^(\d{9})\.jsonl$/;
const appliedFolder = 'applied';
const syncDelay = 1000;

export interface Segment {
  number: number;
  file: string;
}

export class Journal {
  readonly #folder: string;
  #number: number;
  #descriptor: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #events = 0;
  #bytes = 0;
  /** Why nothing more can be written. */
  #failure: Error | undefined;

  /** @param after every new segment gets a number greater than this one */
  constructor(folder: string, after: number) {
    this.#folder = folder;
    try {
      mkdirSync(join(folder, appliedFolder), { recursive: true });
      this.#number = Math.max(after, this.pending().at(-1)?.number ?? 0, this.applied().at(-1)?.number ?? 0);
    } catch (error) {
      throw fileError(folder, error, 'written');
    }
  }

  /** Events written since the last rotation. */
  get events(): number {
    return this.#events;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** All of the events are recorded, or none. */
  append(events: readonly JournalEvent[]): void {
    if (this.#failure) throw this.#failure;
    if (events.length === 0) return;
    const data = encodeRecord(events);
    try {
      this.#descriptor ??= openSync(this.#file(++this.#number), 'ax', 0o644);
      for (let written = 0; written < data.length; ) written += writeSync(this.#descriptor, data, written);
    } catch (error) {
      this.#fail(error);
    }
    this.#events += events.length;
    this.#bytes += data.length;
    this.#timer ??= setTimeout(() => this.#sync(), syncDelay).unref();
  }

  /** Closes the segment being written, if any; the next event starts a new one. Returns the last closed one's number. */
  rotate(): number {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return this.#number;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#descriptor = undefined;
    this.#events = 0;
    this.#bytes = 0;
    try {
      fdatasyncSync(descriptor);
    } catch (error) {
      this.#fail(error);
    } finally {
      closeSync(descriptor);
    }
    return this.#number;
  }

  /** Segments that wait to be applied, oldest first. */
  pending(): Segment[] {
    return segmentsIn(this.#folder);
  }

  /** Segments that have been applied, oldest first. */
  applied(): Segment[] {
    return segmentsIn(join(this.#folder, appliedFolder));
  }

  /** A segment has been applied. */
  keep({ file, number }: Segment): void {
    try {
      renameSync(file, this.#appliedFile(number));
    } catch (error) {
      throw fileError(file, error, 'written');
    }
  }

  /** Puts one segment, with these records, in the place of all that were applied. */
  async replaceApplied(number: number, records: AsyncIterable<readonly JournalEvent[]>): Promise<void> {
    const before = this.applied();
    await writeBeside(this.#appliedFile(number), async (file) => {
      for await (const events of records) await file.append(encodeRecord(events));
    });
    for (const segment of before) if (segment.number < number) unlinkSync(segment.file);
  }

  #appliedFile(number: number): string {
    return join(this.#folder, appliedFolder, nameOf(number));
  }

  #file(number: number): string {
    return join(this.#folder, nameOf(number));
  }

  #fail(error: unknown): never {
    this.#failure = fileError(this.#file(this.#number), error, 'written');
    // What was written of the last record is cut off; where not even that can be done, its checksum tells.
    if (this.#descriptor !== undefined)
      try {
        ftruncateSync(this.#descriptor, this.#bytes);
      } catch {}
    throw this.#failure;
  }

  #sync(): void {
    this.#timer = undefined;
    const descriptor = this.#descriptor;
    if (descriptor === undefined) return;
    // Whoever writes next is told.
    fdatasync(descriptor, (error) => {
      if (error && descriptor === this.#descriptor)
        this.#failure ??= fileError(this.#file(this.#number), error, 'written');
    });
  }
}

function nameOf(number: number): string {
  return `${String(number).padStart(9, '0')}.jsonl`;
}

function segmentsIn(folder: string): Segment[] {
  return readdirSync(folder)
    .flatMap((name) => segmentName.exec(name)?.slice(1) ?? [])
    .map((digits) => ({ number: Number(digits), file: join(folder, nameOf(Number(digits))) }))
    .sort((a, b) => a.number - b.number);
}

/** Whether a journal was left that has not been brought into the tables. */
export function hasSegments(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => segmentName.test(name));
}

export function readSegment(file: string): DecodedRecords {
  try {
    return decodeRecords(readFileSync(file));
  } catch (error) {
    throw fileError(file, error, 'read');
  }
}
