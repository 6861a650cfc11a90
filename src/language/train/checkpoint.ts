/**
 * A checkpoint: the state of every thread and the raw numbers of the model, written beside and renamed. It is taken when
 * all threads pause between two chunks, so training continues from it exactly.
 */
import { FormatError } from '../../errors.js';
import { withFile, writeBeside } from '../../formats/index.js';
import type { ThreadState } from './jobs.js';

export interface TrainingState {
  readonly threads: readonly ThreadState[];
  /** Items worked through, by thread. */
  readonly done: readonly number[];
}

const magic = 'BOWERCHK';
const pieceBytes = 2 ** 24;

/** @param identity everything that must be the same for the checkpoint to be of use: corpus, settings, threads */
export async function saveCheckpoint(
  path: string,
  identity: string,
  state: TrainingState,
  model: Uint8Array,
): Promise<void> {
  const header = Buffer.from(JSON.stringify({ identity, state, bytes: model.length }));
  const start = Buffer.alloc(16);
  start.write(magic, 'latin1');
  start.writeUInt32LE(header.length, 8);
  await writeBeside(path, async (file) => {
    await file.append(start);
    await file.append(header);
    for (let done = 0; done < model.length; done += pieceBytes) await file.append(model.slice(done, done + pieceBytes));
  });
}

/** Fills `model` and returns the state; undefined where there is no checkpoint of this identity. */
export async function loadCheckpoint(
  path: string,
  identity: string,
  model: Uint8Array,
): Promise<TrainingState | undefined> {
  try {
    return await withFile(path, async (file) => {
      const start = Buffer.from(await file.read(0, 16, 'the header'));
      const length = start.readUInt32LE(8);
      if (start.toString('latin1', 0, 8) !== magic) throw new FormatError(path, 0, 'not a checkpoint');
      const header = JSON.parse(Buffer.from(await file.read(16, length, 'the header')).toString());
      if (header.identity !== identity || header.bytes !== model.length) return undefined;
      if (file.size !== 16 + length + model.length)
        throw new FormatError(path, file.size, 'the checkpoint is cut short');
      for (let done = 0; done < model.length; done += pieceBytes) {
        const piece = model.subarray(done, done + pieceBytes);
        piece.set(await file.read(16 + length + done, piece.length, 'the model'));
      }
      return header.state as TrainingState;
    });
  } catch {
    // Absent or damaged: training begins anew, which is always right.
    return undefined;
  }
}
