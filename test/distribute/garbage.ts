/** Fills a Redis server with whatever could upset those who read it, again and again, as fast as it takes it. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { keys } from '../../src/distribute/queue/records.js';

const texts = [
  '',
  'null',
  '{',
  '[]',
  '"x"',
  '{"handler":5}',
  '\0\xff',
  '{"__proto__":{"x":1}}',
  'signed.00.{}',
  '9e999',
];

/** Until the signal aborts. @param runs ids of honest runs, whose queues get garbage too. Gives the commands sent. */
export async function fillWithGarbage(url: string, signal: AbortSignal, runs: readonly string[]): Promise<number> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  let sent = 0;
  const pick = <T>(choices: readonly T[]) => choices[Math.floor(Math.random() * choices.length)];
  const word = () => pick(['a:b', '../x', `id-${Math.floor(Math.random() * 1000)}`, randomBytes(8).toString('latin1')]);
  const text = () => (Math.random() < 0.02 ? 'x'.repeat(2 ** 21) : pick(texts));
  while (!signal.aborted) {
    const batch = redis.pipeline();
    for (let i = 0; i < 100; i++) {
      const run = pick([...runs, word()]);
      const queue = `${keys.queuePrefix}:${run}`;
      pick<() => unknown>([
        () => batch.zadd(keys.runs, 0, word()),
        () => batch.hset(keys.run(word()), { record: text(), state: 'open' }),
        () => batch.set(keys.run(word()), text()),
        () => batch.sadd(keys.workers, word()),
        () => batch.set(keys.worker(word()), text()),
        () => batch.hset(`${queue}:garbage`, { data: text(), opts: text(), timestamp: 'x' }),
        () => batch.lpush(`${queue}:wait`, pick(['garbage', word()])),
        () =>
          batch.xadd(
            `${queue}:events`,
            '*',
            'event',
            pick(['completed', 'progress', 'x']),
            'jobId',
            word(),
            'data',
            text(),
          ),
      ])();
    }
    // Types that are not ours, now and then.
    if (Math.random() < 0.05) batch.set(pick([keys.runs, keys.workers]), 'garbage');
    await batch.exec();
    sent += 100;
    // An attacker who fills the memory of Redis ends Redis, which is not what this is about.
    if (sent % 20_000 === 0) await clearOwn(redis, runs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  redis.disconnect();
  return sent;
}

async function clearOwn(redis: Redis, runs: readonly string[]): Promise<void> {
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'COUNT', 1000);
    cursor = next;
    const own = found.filter((key) => /id-\d+|a:b|\.\.\/x|garbage/.test(key) && !runs.some((run) => key.endsWith(run)));
    if (own.length > 0) await redis.del(...own);
  } while (cursor !== '0');
}
