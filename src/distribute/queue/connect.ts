/** Connections to Redis or Valkey: refused at once with a reason, but patient once they have worked. */
import { Redis } from 'ioredis';
import { ArgumentError, BowerbirdError } from '../../errors.js';
import { queueCredentials } from './secret.js';

/** The queue cannot be reached or does not answer as expected. */
export class QueueError extends BowerbirdError {
  constructor(message: string, hint?: string, cause?: unknown) {
    super('BOWERBIRD_QUEUE', message, { hint, cause });
  }
}

/** The address without the password, for messages. */
export function safeAddress(url: string): string {
  const parsed = new URL(url);
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** @throws QueueError when nothing answers there */
export async function connect(url: string, password?: string): Promise<Redis> {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new ArgumentError(
      `the queue's address is "${protocol ? safeAddress(url) : url}"`,
      'It looks like redis://host:6379 or, over TLS, rediss://user:password@host:6379/0.',
    );
  const redis = new Redis(url, {
    ...(password !== undefined && new URL(url).password === '' && { password }),
    lazyConnect: true,
    connectTimeout: 5000,
    // BullMQ asks for it: a command waits for the connection to come back.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 200, 2000),
  });
  let reason: Error | undefined;
  redis.on('error', (error) => {
    reason = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new QueueError(
      `no queue at ${safeAddress(url)}: ${(reason ?? (error as Error)).message}`,
      'Is redis-server (or Valkey) running there, and may this machine reach it?',
      error,
    );
  }
}

/** A connection of one's own, with the password of the environment where the address has none. */
export function connectQueue(url: string): Promise<Redis> {
  return connect(url, queueCredentials({}).password);
}
