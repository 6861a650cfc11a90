/**
 * Keys of the sources, from the environment or a key file and from nowhere else. Whatever is written anywhere goes
 * through `redact` first.
 */
import { readFileSync } from 'node:fs';
import { BowerbirdError, FormatError } from '../errors.js';

export const keyNames = [
  'FLICKR_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_SEARCH_ENGINE_ID',
  'OPENVERSE_CLIENT_ID',
  'OPENVERSE_CLIENT_SECRET',
] as const;
export type KeyName = (typeof keyNames)[number];

export class Keys {
  readonly #values: ReadonlyMap<KeyName, string>;
  readonly #secrets = new Set<string>();

  constructor(values: Partial<Record<KeyName, string>>) {
    this.#values = new Map(keyNames.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
    for (const value of this.#values.values()) this.addSecret(value);
  }

  /** Keys of a file (`NAME=value` lines, # for comments) come before those of the environment. */
  static load(file?: string, environment: NodeJS.ProcessEnv = process.env): Keys {
    const values: Partial<Record<KeyName, string>> = {};
    for (const name of keyNames) values[name] = environment[name];
    if (file !== undefined) Object.assign(values, readKeyFile(file));
    return new Keys(values);
  }

  get(name: KeyName): string | undefined {
    return this.#values.get(name);
  }

  require(name: KeyName, source: string): string {
    const value = this.#values.get(name);
    if (value === undefined)
      throw new BowerbirdError('BOWERBIRD_KEY_MISSING', `${source} needs a key, and ${name} is not set`, {
        hint: `Put it into the environment (export ${name}=…) or into a file named with --keys or as crawl.keys in bowerbird.yaml, as a line ${name}=….`,
      });
    return value;
  }

  /** A token obtained at run time, to be kept out of everything written as well. */
  addSecret(secret: string): void {
    if (secret.length < 4) return;
    this.#secrets.add(secret);
    this.#secrets.add(encodeURIComponent(secret));
  }

  redact(text: string): string {
    let result = text;
    for (const secret of this.#secrets) result = result.replaceAll(secret, '[key]');
    return result;
  }
}

function readKeyFile(file: string): Partial<Record<KeyName, string>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new BowerbirdError('BOWERBIRD_KEY_FILE', `the key file ${file} cannot be read: ${(error as Error).message}`);
  }
  const values: Partial<Record<KeyName, string>> = {};
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, name, value] = /^(?:export\s+)?([A-Z_]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (!(keyNames as readonly string[]).includes(name ?? ''))
      throw new FormatError(
        file,
        undefined,
        `line ${index + 1} does not set a known key`,
        `Known keys: ${keyNames.join(', ')}.`,
      );
    values[name as KeyName] = value.replace(/^(["'])(.*)\1$/, '$2');
  }
  return values;
}
