/**
 * What npm's settings say about encryption: whom to believe (`cafile`, else `ca`, in place of the authorities that Node
 * knows; `strict-ssl`), and who we are (`cert` and `key`, or the files `certfile` and `keyfile` of one registry).
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileError } from '../formats/index.js';
import type { Settings } from './npmrc.js';

export interface TlsOptions {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly rejectUnauthorized: boolean;
}

/** @param place the part of a registry's own settings, such as `//host/path/`, where it has a certificate for us */
export function tlsOptions(settings: Settings, place?: string): TlsOptions {
  const own = place === undefined ? undefined : certificateFiles(settings, place);
  return {
    // A file that is not there counts as one that is not named, as it does for npm.
    ca: (settings.cafile && fileText(settings.cafile)) || pem(settings.ca),
    cert: own ? fileText(own.certfile) : pem(settings.cert),
    key: own ? fileText(own.keyfile) : pem(settings.key),
    rejectUnauthorized: !['false', 'null', '0'].includes(settings['strict-ssl']),
  };
}

/** A registry asks for a certificate with two files, or not at all. */
export function certificateFiles(settings: Settings, place: string): { certfile: string; keyfile: string } | undefined {
  const [certfile, keyfile] = [settings[`${place}:certfile`], settings[`${place}:keyfile`]];
  return certfile && keyfile ? { certfile, keyfile } : undefined;
}

function pem(value: string | undefined): string | undefined {
  return value && value !== 'null' ? value.replaceAll('\\n', '\n') : undefined;
}

function fileText(path: string): string | undefined {
  const file = /^~[/\\]/.test(path) ? resolve(homedir(), path.slice(2)) : resolve(path);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(file, error, 'read');
  }
}
