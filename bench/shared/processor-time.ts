/** Processor time of a process with all that it has started, as the kernel counts it; by the process alone where there is no /proc. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const countsAll = existsSync('/proc/self/stat');
const tickMs = countsAll ? 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 1;

/** Of this process and its children, those that have ended included. */
export function ownMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (countsAll ? treeMilliseconds(process.pid) - aloneMilliseconds(process.pid) : 0);
}

/** Of a process and its children, those that have ended included; 0 where it has ended, or cannot be asked. */
export function treeMilliseconds(pid: number): number {
  if (!countsAll) return 0;
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statistics(Number(name))?.parent : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const sum = (one: number): number =>
    (statistics(one)?.withEnded ?? 0) + (children.get(one) ?? []).reduce((total, child) => total + sum(child), 0);
  return sum(pid);
}

function aloneMilliseconds(pid: number): number {
  return statistics(pid)?.alone ?? 0;
}

function statistics(pid: number): { parent: number; alone: number; withEnded: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15);
    return {
      parent: fields[1],
      alone: (user + system) * tickMs,
      withEnded: (user + system + endedUser + endedSystem) * tickMs,
    };
  } catch {
    return undefined;
  }
}
