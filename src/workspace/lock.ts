/**
 * One run at a time in a workspace. Whoever wants it puts a claim of its own into a folder, then looks who else has one:
 * of two, the later one sees the earlier one's. The name of a claim says which process it belongs to, so that it is never
 * half-written, and that of a killed process can be removed without a chance of removing another's. Numbers of processes are
 * given again, in a container always the same ones, so that the moment the process began stands beside it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BowerbirdError } from '../errors.js';
import { fileError } from '../formats/index.js';
import { layout, type Workspace } from './workspace.js';

/** Several that begin at the same moment see each other and give way; each tries again after a random time. */
const attempts = 6;
const longestWait = 120;

/** @returns what gives the workspace free again */
export async function lockWorkspace(workspace: Workspace): Promise<() => Promise<void>> {
  const folder = workspace.path(layout.lock);
  const mark = await beginningOf(process.pid);
  for (let attempt = 1; ; attempt++) {
    const claim = join(folder, [process.pid, mark, randomBytes(4).toString('hex')].join('_'));
    try {
      await mkdir(folder, { recursive: true });
      await (await open(claim, 'wx')).close();
    } catch (error) {
      throw fileError(folder, error, 'written');
    }
    const others = (await claims(folder)).filter(({ file }) => file !== claim);
    const living = others.filter(({ alive }) => alive);
    for (const { file, alive } of others) if (!alive) await rm(file, { force: true });
    if (living.length === 0) return () => rm(claim, { force: true });
    await rm(claim, { force: true });
    if (attempt === attempts)
      throw new BowerbirdError(
        'BOWERBIRD_WORKSPACE_IN_USE',
        `process ${living[0].owner} is at work in ${workspace.folder}`,
        { hint: `Wait until it has ended. If there is no such run, delete ${living[0].file}.` },
      );
    await wait(Math.random() * longestWait);
  }
}

/** Whether a run is at work in the workspace, in this process or another one. */
export async function workIsOn(workspace: Pick<Workspace, 'path'>): Promise<boolean> {
  return (await claims(workspace.path(layout.lock))).some(({ alive }) => alive);
}

interface Claim {
  file: string;
  owner: number;
  alive: boolean;
}

async function claims(folder: string): Promise<Claim[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+_/.test(name));
  return Promise.all(
    names.map(async (name) => {
      const [number, mark] = name.split('_');
      const owner = Number(number);
      return { file: join(folder, name), owner, alive: await isOwner(owner, mark) };
    }),
  );
}

async function isOwner(owner: number, mark: string | undefined): Promise<boolean> {
  if (owner <= 0 || !isAlive(owner)) return false;
  const now = await beginningOf(owner);
  return !mark || !now || mark === now;
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
    return `${boot.trim()}+${status.slice(status.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
