/**
 * A file without a name that a decoding process and the one that started it both hold open. Pixels go through it, since a
 * message would copy them several times on either side. It is in memory where the system offers that, and gone with the
 * processes, however they end.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, ftruncateSync, openSync, readSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of the decoding process; 0 to 3 are its standard streams and its messages. */
export const answerDescriptor = 4;
const inMemory = '/dev/shm';
/** A file that grew beyond this gives its space back. */
const keptBytes = 2 ** 22;

/** A descriptor, or undefined where no such file can be made; answers then come as messages. */
export function openAnswerFile(): number | undefined {
  for (const folder of [...(existsSync(inMemory) ? [inMemory] : []), tmpdir()]) {
    const path = join(folder, `bowerbird-${randomUUID()}`);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
      return descriptor;
    } catch {
      if (descriptor === undefined) continue;
      closeSync(descriptor);
      rmSync(path, { force: true });
    }
  }
  return undefined;
}

/** Whether all bytes are in the file; not where there is none, or no space for them. */
export function writeAnswer(data: Uint8Array): boolean {
  try {
    let written = 0;
    while (written < data.length) written += writeSync(answerDescriptor, data, written, data.length - written, written);
    return true;
  } catch {
    return false;
  }
}

/** @param target where the bytes go, if it has that length */
export function readAnswer(descriptor: number, length: number, target?: Uint8Array): Uint8Array {
  const data = target?.length === length ? target : new Uint8Array(length);
  for (let read = 0; read < length; ) {
    const some = readSync(descriptor, data, read, length - read, read);
    if (some === 0) throw new Error(`the decoder announced ${length} bytes and left ${read}`);
    read += some;
  }
  if (length > keptBytes) ftruncateSync(descriptor);
  return data;
}
