/**
 * One run at a time in a workspace: a file with the number of the process, which a killed one leaves behind. Numbers are
 * given again, in a container always the same ones, so that the moment the process began stands beside it.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BowerbirdError } from '../errors.js';
import { fileError } from '../formats/file.js';
import { layout, type Workspace } from './workspace.js';

/** @returns what gives the workspace free again */
export async function lockWorkspace(workspace: Workspace): Promise<() => Promise<void>> {
  const file = workspace.path(layout.lock);
  await mkdir(dirname(file), { recursive: true }).catch((error) => {
    throw fileError(dirname(file), error, 'written');
  });
  const mark = await beginningOf(process.pid);
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await writeFile(file, `${process.pid}\n${mark}\n`, { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(file, error, 'written');
    }
    const owner = await ownerOf(file);
    if (owner !== undefined)
      throw new BowerbirdError('BOWERBIRD_WORKSPACE_IN_USE', `process ${owner} is at work in ${workspace.folder}`, {
        hint: `Wait until it has ended. If there is no such run, delete ${file}.`,
      });
    await rm(file, { force: true });
  }
  throw new BowerbirdError('BOWERBIRD_WORKSPACE_IN_USE', `${workspace.folder} is being used by other runs`);
}

/** Whether a run is at work in the workspace, in this process or another one. */
export async function workIsOn(workspace: Pick<Workspace, 'path'>): Promise<boolean> {
  return (await ownerOf(workspace.path(layout.lock))) !== undefined;
}

/** The process that holds a lock; undefined where it has ended. */
async function ownerOf(file: string): Promise<number | undefined> {
  const [number, mark] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const owner = Number(number);
  if (!Number.isInteger(owner) || owner <= 0 || !isAlive(owner)) return undefined;
  const now = await beginningOf(owner);
  return mark && now && mark !== now ? undefined : owner;
}

function isAlive(process_: number): boolean {
  if (process_ === process.pid) return true;
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process began, as the system counts, and since which start of the system; empty where that is not known. */
async function beginningOf(process_: number): Promise<string> {
  try {
    const [boot, status] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${process_}/stat`, 'utf8'),
    ]);
    // The name of the program, in parentheses, may hold anything; the beginning is the 20th field after it.
    return `${boot.trim()} ${status.slice(status.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
