/** One run at a time in a workspace: a file with the number of the process, which a killed one leaves behind. */
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
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await writeFile(file, `${process.pid}\n`, { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(file, error, 'written');
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (Number.isInteger(owner) && owner > 0 && isAlive(owner))
      throw new BowerbirdError('BOWERBIRD_WORKSPACE_IN_USE', `process ${owner} is at work in ${workspace.folder}`, {
        hint: `Wait until it has ended. If there is no such run, delete ${file}.`,
      });
    await rm(file, { force: true });
  }
  throw new BowerbirdError('BOWERBIRD_WORKSPACE_IN_USE', `${workspace.folder} is being used by other runs`);
}

/** Whether a run is at work in the workspace, in this process or another one. */
export async function workIsOn(workspace: Pick<Workspace, 'path'>): Promise<boolean> {
  const owner = Number(await readFile(workspace.path(layout.lock), 'utf8').catch(() => ''));
  return Number.isInteger(owner) && owner > 0 && isAlive(owner);
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
