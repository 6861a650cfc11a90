/** The command line as a process of its own, to be killed and measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { testKeys } from './crawling.js';
import type { FakeWeb } from './server.js';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Largest resident memory seen, in MiB. */
  peakMemory: number;
}

export function startChild(
  words: readonly string[],
  environment: Record<string, string> = {},
): { child: ChildProcess; finished: Promise<Finished> } {
  const child = spawn(process.execPath, [main, ...words], {
    env: { ...process.env, ...testKeys, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let peakMemory = 0;
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const sampling = setInterval(() => {
    peakMemory = Math.max(peakMemory, residentMemory(child.pid!));
  }, 100);
  const finished = new Promise<Finished>((resolve) =>
    child.on('close', (code, signal) => {
      clearInterval(sampling);
      resolve({ code, signal, stdout, stderr, peakMemory });
    }),
  );
  return { child, finished };
}

/** VmHWM is the peak that the kernel itself kept; 0 where there is no /proc. */
function residentMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Words for a crawl of the fake web at full speed. */
export function crawlWords(
  web: FakeWeb,
  workspace: string,
  categoriesFile: string,
  more: readonly string[] = [],
  source = 'flickr',
): string[] {
  return [
    'crawl',
    workspace,
    '--source',
    source,
    '--endpoint',
    `flickr=${web.endpoints.flickr}`,
    '--categories',
    categoriesFile,
    '--allow-address',
    '127.0.0.0/8',
    '--rate',
    '127.0.0.1=1000000',
    '--backoff',
    '0.01',
    '--timeout',
    '5',
    '--json',
    ...more,
  ];
}
