/**
 * Opens the file of a catalog. DuckDB lets either one process write or several read; whoever comes meanwhile waits for
 * a while, since most commands have the catalog open for moments only.
 */
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { BowerbirdError } from '../errors.js';
import type { Progress } from '../progress.js';
import { databaseError, unusable } from './damage.js';

/** What to do while another process has the catalog open. */
export interface CatalogPatience {
  /** Seconds to wait for it. @default 20 */
  patience?: number;
  /** While waiting, several times a second: the seconds waited so far, those it may take, and for whom. */
  onProgress?(progress: Progress): void;
  signal?: AbortSignal;
}

export interface InstanceSettings extends CatalogPatience {
  /** Of DuckDB, in MiB. */
  memoryLimit: number;
  readOnly?: boolean;
  /** Statements can read and write no other file, and cannot allow it to themselves. */
  confined?: boolean;
}

const secondsBetween = 0.2;

export async function openInstance(file: string, settings: InstanceSettings): Promise<DuckDBInstance> {
  const { patience = 20, onProgress, signal } = settings;
  if (resolve(file).includes('?'))
    throw new BowerbirdError(
      'BOWERBIRD_CATALOG',
      `${resolve(file)}: a catalog cannot lie below a name with a "?" in it`,
      {
        hint: 'The database takes what follows for parameters. Give the folder another name.',
      },
    );
  const begun = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await open(file, settings);
    } catch (error) {
      const holder = holderIn((error as Error).message);
      if (holder === undefined) {
        const known = databaseError(file, error, 'opened');
        throw known instanceof BowerbirdError ? known : unusable(file, error as Error, 'opened');
      }
      const seconds = (performance.now() - begun) / 1000;
      if (seconds >= patience) throw catalogInUse(file, holder);
      const stage = `waiting for ${holder}, which has the catalog open (s)`;
      onProgress?.({ stage, done: Math.floor(seconds), total: patience, atMost: true, unit: 's' });
    }
    // Being told to stop ends the pause; the loop says so.
    await wait(1000 * secondsBetween, undefined, { signal }).catch(() => {});
  }
}

function open(file: string, { memoryLimit, readOnly, confined }: InstanceSettings): Promise<DuckDBInstance> {
  return DuckDBInstance.create(file, {
    memory_limit: `${memoryLimit}MiB`,
    threads: '2',
    // Extensions would be fetched from the network.
    autoinstall_known_extensions: 'false',
    ...(readOnly && { access_mode: 'READ_ONLY' }),
    ...(confined && { enable_external_access: 'false', lock_configuration: 'true' }),
  });
}

/** Who has the lock, where the error is about one. */
function holderIn(message: string): string | undefined {
  if (!/Could not set lock|Conflicting lock/.test(message)) return undefined;
  const process_ = /\(PID (\d+)\)/.exec(message)?.[1];
  return process_ === undefined ? 'another process' : `process ${process_}`;
}

export function catalogInUse(file: string, holder: string): BowerbirdError {
  return new BowerbirdError('BOWERBIRD_CATALOG_IN_USE', `${file} is in use by ${holder}`, {
    hint: 'Wait until the other command on this workspace has ended, then try again.',
  });
}
