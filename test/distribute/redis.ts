/** A real redis-server of its own on a free loopback port, and worker processes that serve the toy handler. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';

export interface RedisServer {
  url: string;
  folder: string;
  client: Redis;
  /** Lets it answer nobody, or all again. */
  freeze(still: boolean): void;
  /** Kills it and starts another one, which knows nothing, in its place. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-redis-'));
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const start = () => spawn('redis-server', options, { stdio: 'ignore' });
  const kill = async (process: ChildProcess) => {
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
  };
  let server = start();
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => {});
  await client.ping();
  return {
    url: `redis://127.0.0.1:${port}`,
    folder,
    client,
    freeze(still) {
      server.kill(still ? 'SIGSTOP' : 'SIGCONT');
    },
    async restart() {
      await kill(server);
      server = start();
      await client.ping();
    },
    async stop() {
      client.disconnect();
      await kill(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

export interface WorkerProcess {
  child: ChildProcess;
  /** What it said, one JSON event a line. */
  events: Record<string, unknown>[];
  /** Waits until it has said something that fits. */
  hears(fits: (event: Record<string, unknown>) => boolean): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a process that takes jobs; `options` are those of `serveQueue`. */
export function startWorker(options: Record<string, unknown>): WorkerProcess {
  const script = fileURLToPath(new URL('./toy-worker.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const events: Record<string, unknown>[] = [];
  let waiting: (() => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    events.push(JSON.parse(line));
    for (const wake of waiting) wake();
    waiting = [];
  });
  return {
    child,
    events,
    async hears(fits) {
      while (!events.some(fits)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
