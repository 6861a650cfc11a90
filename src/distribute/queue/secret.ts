/**
 * What coordinators and workers of a queue share and Redis does not know: a secret, with which everything they publish is
 * signed (HMAC-SHA-256) and the files of a run are encrypted on their way. A signature covers what the text is for, the
 * run and the job, so that none can be put in another's place.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ArgumentError } from '../../errors.js';

export interface QueueCredentials {
  /** Signs runs, jobs and answers. @default BOWERBIRD_QUEUE_SECRET, or the file BOWERBIRD_QUEUE_SECRET_FILE names */
  secret?: string;
  /** Of the Redis server, where the address has none. @default BOWERBIRD_QUEUE_PASSWORD, or …_PASSWORD_FILE */
  password?: string;
}

const shortestSecret = 16;

/** Those given, else those of the environment. @throws ArgumentError for a secret that is easily guessed */
export function queueCredentials(given: QueueCredentials, environment = process.env): QueueCredentials {
  const secret = given.secret ?? fromEnvironment('BOWERBIRD_QUEUE_SECRET', environment);
  const password = given.password ?? fromEnvironment('BOWERBIRD_QUEUE_PASSWORD', environment);
  if (secret !== undefined && secret.length < shortestSecret)
    throw new ArgumentError(
      `the queue's secret has ${secret.length} characters`,
      `Give at least ${shortestSecret}, the same on all machines, such as the output of "openssl rand -hex 32".`,
    );
  return { secret, password };
}

function fromEnvironment(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const file = environment[`${name}_FILE`];
  if (!file) return environment[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ArgumentError(`${name}_FILE cannot be read: ${(error as Error).message}`);
  }
}

/** Signs texts and checks signatures; without a secret texts stay as they are. */
export class Signer {
  readonly #key: Buffer | undefined;
  readonly #secret: string;

  constructor(secret: string | undefined) {
    this.#secret = secret ?? '';
    this.#key = secret === undefined ? undefined : Buffer.from(hkdfSync('sha256', secret, '', 'bowerbird queue', 32));
  }

  get signs(): boolean {
    return this.#key !== undefined;
  }

  /** @param purpose what the text is for; the same words are needed to read it */
  sign(purpose: readonly string[], text: string): string {
    return this.#key ? `signed.${mac(this.#key, purpose, text)}.${text}` : text;
  }

  /** The text, or undefined where the signature is missing or wrong, or there is one and no secret to check it with. */
  verify(purpose: readonly string[], signed: string): string | undefined {
    const parts = /^signed\.([0-9a-f]{64})\./.exec(signed);
    if (!this.#key) return parts ? undefined : signed;
    if (!parts) return undefined;
    const text = signed.slice(parts[0].length);
    const expected = Buffer.from(mac(this.#key, purpose, text));
    return timingSafeEqual(expected, Buffer.from(parts[1])) ? text : undefined;
  }

  /** For the files of a run whose record has this salt. Without a secret it protects from those who cannot read the queue. */
  fileKey(salt: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secret, Buffer.from(salt, 'hex'), 'bowerbird files', 32));
  }
}

function mac(key: Buffer, purpose: readonly string[], text: string): string {
  return createHmac('sha256', key).update(JSON.stringify(purpose)).update('\0').update(text).digest('hex');
}
