/**
 * Opens the file of a catalog. DuckDB lets either one process write or several read; whoever comes meanwhile waits for
 * a while, since most commands have the catalog open for moments only.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { BowerbirdError } from '../errors.js';

/** What to do while another process has the catalog open. */
export interface CatalogPatience {
  /** Seconds to wait for it. @default 20 */
  patience?: number;
  /** While waiting, several times a second: the seconds waited so far, those it may take, and for whom. */
  onWait?(waiting: { seconds: number; patience: number; holder: string }): void;
  signal?: AbortSignal;
}

export interface InstanceSettings extends CatalogPatience {
  /** Of DuckDB, in MiB. */
  memoryLimit: number;
  readOnly?: boolean;
}

const secondsBetween = 0.2;

export async function openInstance(file: string, settings: InstanceSettings): Promise<DuckDBInstance> {
  const { memoryLimit, readOnly, patience = 20, onWait, signal } = settings;
  const begun = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await DuckDBInstance.create(file, {
        memory_limit: `${memoryLimit}MiB`,
        threads: '2',
        // Extensions would be fetched from the network.
        autoinstall_known_extensions: 'false',
        ...(readOnly && { access_mode: 'READ_ONLY' }),
      });
    } catch (error) {
      const holder = holderIn((error as Error).message);
      if (holder === undefined) throw cannotOpen(file, error as Error);
      const seconds = (performance.now() - begun) / 1000;
      if (seconds >= patience) throw inUse(file, holder);
      onWait?.({ seconds: Math.floor(seconds), patience, holder });
    }
    // Being told to stop ends the pause; the loop says so.
    await wait(1000 * secondsBetween, undefined, { signal }).catch(() => {});
  }
}

/** Who has the lock, where the error is about one. */
function holderIn(message: string): string | undefined {
  if (!/Could not set lock|Conflicting lock/.test(message)) return undefined;
  const process_ = /\(PID (\d+)\)/.exec(message)?.[1];
  return process_ === undefined ? 'another process' : `process ${process_}`;
}

export function inUse(file: string, holder: string): BowerbirdError {
  return new BowerbirdError('BOWERBIRD_CATALOG_IN_USE', `${file} is in use by ${holder}`, {
    hint: 'Wait until the other command on this workspace has ended, then try again.',
  });
}

function cannotOpen(file: string, cause: Error): BowerbirdError {
  const forbidden = /Read-only file system|Permission denied/i.test(cause.message);
  return new BowerbirdError('BOWERBIRD_CATALOG', `${file} cannot be opened: ${cause.message.split('\n')[0]}`, {
    hint: forbidden
      ? 'This command changes the catalog: it needs the right to write to the file and its folder.'
      : 'If the file is damaged, move it away; the pictures themselves are not in it.',
    cause,
  });
}
