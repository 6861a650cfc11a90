/** Features extracted by workers: the same bytes as here, whoever is killed meanwhile. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, startRedis } from '../distribute/redis.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasRedis } from '../tools.js';
import { main, makeWorld, type World } from '../workspace/world.js';

/** Taking a run over waits until the coordinator that was killed is given up. */
const long = Boolean(process.env.BOWERBIRD_LONG);

describe.skipIf(!hasRedis)('features by workers of a queue (skipped where redis-server is not installed)', () => {
  const folder = temporaryFolder();
  let redis: RedisServer;
  let world: World;
  const started: ChildProcess[] = [];
  const said = new Map<ChildProcess, string>();

  beforeAll(async () => {
    redis = await startRedis();
    world = await makeWorld({ auxiliary: 8, test: 4, web: 4, validation: false });
    writeFileSync(world.path('auxiliary', 'blue wren', 'broken.png'), 'no picture');
    expect((await ended(features('here'))).code).toBe(3);
  }, 120_000);
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    await redis.client.flushall();
  });
  afterAll(async () => {
    await redis.stop();
    world.remove();
  });

  function start(words: string[]): ChildProcess {
    const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (text) => said.set(child, `${said.get(child) ?? ''}${text}`));
    return child;
  }
  const features = (out: string, ...more: string[]) =>
    start([
      ...['features', world.path('auxiliary'), '--model', world.path(world.configuration.model as string)],
      ...['--out', join(folder, out), '--shard-size', '4', ...more],
    ]);
  const queued = (out: string) => features(out, '--queue', redis.url);
  const worker = (name: string) =>
    start(['worker', '--queue', redis.url, '--jobs', '1', '--lock', '1', '--cache', join(folder, `cache-${name}`)]);
  async function ended(child: ChildProcess): Promise<{ code: number | null; text: string }> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return { code: child.exitCode, text: said.get(child) ?? '' };
  }
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const shards = (out: string) =>
    existsSync(join(folder, out)) ? readdirSync(join(folder, out)).filter((name) => name.endsWith('.csv')).length : 0;
  const sameBytes = (out: string) => {
    expect(readdirSync(join(folder, out)).sort()).toEqual(readdirSync(join(folder, 'here')).sort());
    for (const name of readdirSync(join(folder, 'here')))
      expect(readFileSync(join(folder, out, name)).equals(readFileSync(join(folder, 'here', name))), name).toBe(true);
  };

  it('are those of one machine, also when a worker is killed and another one joins', { timeout: 180_000 }, async () => {
    const first = worker('a');
    const coordinator = queued('two');
    await until(() => shards('two') >= 2);
    first.kill('SIGKILL');
    worker('b');
    worker('c');
    const { code, text } = await ended(coordinator);
    expect(code, text).toBe(3);
    sameBytes('two');
    // Pictures are not kept where they were only passing through.
    expect(readdirSync(join(folder, 'cache-b')).filter((name) => name.startsWith('pictures-'))).toEqual([]);
  });

  it.skipIf(!long)(
    'are those of one machine when the queue loses its memory and the coordinator is killed',
    {
      timeout: 180_000,
    },
    async () => {
      worker('d');
      const killed = queued('three');
      await until(() => shards('three') >= 2);
      await redis.restart();
      await until(() => shards('three') >= 4);
      killed.kill('SIGKILL');
      await ended(killed);
      const { code, text } = await ended(queued('three'));
      expect(code, text).toBe(3);
      sameBytes('three');
    },
  );

  it.skipIf(!long)('make a workspace what it is without a queue', { timeout: 180_000 }, async () => {
    const [plain, shared] = ['plain', 'shared'].map((name) => join(folder, name));
    for (const copy of [plain, shared]) cpSync(world.folder, copy, { recursive: true });
    for (const copy of [plain, shared]) rmSync(join(copy, 'auxiliary', 'blue wren', 'broken.png'));
    expect((await ended(start(['run', plain, '--until', 'problem']))).code).toBe(0);
    worker('e');
    const { code, text } = await ended(start(['run', shared, '--until', 'problem', '--queue', redis.url]));
    expect(code, text).toBe(0);
    expect(readFileSync(join(shared, 'problem.npz')).equals(readFileSync(join(plain, 'problem.npz')))).toBe(true);
  });

  it('need the address of a queue', async () => {
    const { code, text } = await ended(features('nowhere', '--queue', 'tomorrow'));
    expect([code, text]).toEqual([2, expect.stringContaining('it must be the address of a Redis or Valkey server')]);
  });
});
