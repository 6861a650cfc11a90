/**
 * Files of a hub in the cache that other programs of Hugging Face use: `models--owner--name/blobs` holds contents by hash,
 * `snapshots/COMMIT` names them, `refs` says which commit a branch is. What others fetched is used, and what is fetched
 * here serves them. Every file is checked against the hash that the hub states: SHA-256 for large files, git's for others.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EnvHttpProxyAgent, fetch, type Response } from 'undici';
import { BowerbirdError, InterruptedError } from '../../errors.js';
import { writeFileAtomic } from '../../formats/index.js';
import { type DownloadOptions, download, sha256OfFiles } from '../download.js';
import { ModelError } from '../errors.js';
import type { HubAddress } from './address.js';

/** HF_HOME, HF_HUB_CACHE, HF_ENDPOINT and HF_TOKEN mean what they mean elsewhere. */
function settings() {
  const home = process.env.HF_HOME || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'huggingface');
  return {
    cache: process.env.HF_HUB_CACHE || join(home, 'hub'),
    endpoint: (process.env.HF_ENDPOINT || 'https://huggingface.co').replace(/\/+$/, ''),
    offline: /^(1|true|yes|on)$/i.test(process.env.HF_HUB_OFFLINE ?? ''),
    tokenFile: process.env.HF_TOKEN_PATH || join(home, 'token'),
  };
}

async function token(file: string): Promise<Record<string, string>> {
  const value = process.env.HF_TOKEN || (await readFile(file, 'utf8').catch(() => '')).trim();
  return value ? { authorization: `Bearer ${value}` } : {};
}

export class HubRepository {
  /** What is asked for becomes this commit. */
  readonly commit: string;
  /** Paths of its files; of a cache that could not be compared with the hub, of those that are there. */
  readonly files: readonly string[];
  readonly licence: string;
  readonly #address: HubAddress;
  readonly #folder: string;
  readonly #options: DownloadOptions;

  private constructor(address: HubAddress, folder: string, options: DownloadOptions, found: Found) {
    this.#address = address;
    this.#folder = folder;
    this.#options = options;
    this.commit = found.commit;
    this.files = found.files;
    this.licence = found.licence;
  }

  static async open(address: HubAddress, options: DownloadOptions = {}): Promise<HubRepository> {
    const { offline } = settings();
    const folder = folderOf(address.repository);
    const known = await cached(folder, address.revision);
    if (known && offline) return new HubRepository(address, folder, options, known);
    if (offline)
      throw new ModelError(
        `hf:${address.repository} is not in the cache ${folder}, and HF_HUB_OFFLINE forbids to fetch it`,
      );
    try {
      const found = await listed(address, options);
      await writeFileAtomicIn(join(folder, 'refs', address.revision), found.commit);
      return new HubRepository(address, folder, options, found);
    } catch (error) {
      // What is there serves where the hub cannot be reached; a refusal is an answer.
      if (known && error instanceof Unreachable) return new HubRepository(address, folder, options, known);
      throw error;
    }
  }

  /** Of a commit that is known to have these files. */
  static at(repository: string, commit: string, files: readonly string[], options: DownloadOptions): HubRepository {
    const address = { repository, revision: commit };
    return new HubRepository(address, folderOf(repository), options, { commit, files, licence: 'unknown' });
  }

  /** Path of a file in the snapshot, fetched where it is not there; undefined where the repository has none. */
  async file(path: string): Promise<string | undefined> {
    const target = join(this.#folder, 'snapshots', this.commit, path);
    if (existsSync(target)) return target;
    if (!this.files.includes(path)) return undefined;
    const { endpoint, tokenFile, offline } = settings();
    if (offline) throw new ModelError(`${target} is not there, and HF_HUB_OFFLINE forbids to fetch it`);
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const url = `${endpoint}/${this.#address.repository}/resolve/${this.commit}/${encoded}`;
    const headers = await token(tokenFile);
    const head = await asked(url, { method: 'HEAD', redirect: 'manual', headers, signal: this.#options.signal });
    if (head.status >= 400) throw refused(url, head);
    const etag = (head.headers.get('x-linked-etag') ?? head.headers.get('etag') ?? '')
      .replace(/^W\//, '')
      .replaceAll('"', '');
    if (!/^([0-9a-f]{64}|[0-9a-f]{40})$/.test(etag))
      throw new ModelError(
        `${url} states no hash (its ETag is "${etag.slice(0, 80)}")`,
        'Is HF_ENDPOINT a hub of Hugging Face?',
      );
    const blob = join(this.#folder, 'blobs', etag);
    if ((await hashOf(blob, etag)) !== etag) await this.#fetch(url, blob, etag, headers);
    await mkdir(dirname(target), { recursive: true });
    await rm(target, { force: true });
    // Some systems allow no links.
    await symlink(relative(dirname(target), blob), target).catch(() => copyFile(blob, target));
    return target;
  }

  async #fetch(url: string, blob: string, etag: string, headers: Record<string, string>): Promise<void> {
    const part = `${blob}.incomplete`;
    await download(url, part, etag.length === 64 ? etag : undefined, { ...this.#options, headers });
    const found = await hashOf(part, etag);
    if (found !== etag) {
      await rm(part, { force: true });
      throw new ModelError(`${url} has hash ${found}, the hub states ${etag}`, 'Nothing of it was kept; try again.');
    }
    await rename(part, blob);
  }
}

function folderOf(repository: string): string {
  return join(settings().cache, `models--${repository.replace('/', '--')}`);
}

interface Found {
  commit: string;
  files: readonly string[];
  licence: string;
}

/** What earlier programs left of a branch, tag or commit. */
async function cached(folder: string, revision: string): Promise<Found | undefined> {
  const written = (await readFile(join(folder, 'refs', revision), 'utf8').catch(() => '')).trim();
  const commit = /^[0-9a-f]{40}$/.test(written) ? written : revision;
  const snapshot = join(folder, 'snapshots', commit);
  const entries = await readdir(snapshot, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(snapshot, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return files.length > 0 ? { commit, files, licence: 'unknown' } : undefined;
}

/** The hub's answer to what a branch, tag or commit is. */
async function listed({ repository, revision }: HubAddress, { signal }: DownloadOptions): Promise<Found> {
  const { endpoint, tokenFile } = settings();
  const url = `${endpoint}/api/models/${repository}/revision/${encodeURIComponent(revision)}`;
  const response = await asked(url, { headers: await token(tokenFile), signal });
  if (!response.ok) throw refused(url, response);
  const answer = (await response.json().catch(() => undefined)) as
    | { sha?: unknown; siblings?: { rfilename?: unknown }[]; cardData?: { license?: unknown } }
    | undefined;
  if (typeof answer?.sha !== 'string' || !/^[0-9a-f]{40}$/.test(answer.sha) || !Array.isArray(answer.siblings))
    throw new ModelError(`${url} does not answer as a hub does`, 'Check HF_ENDPOINT.');
  const files = answer.siblings.flatMap(({ rfilename }) => (typeof rfilename === 'string' ? [rfilename] : []));
  const licence = typeof answer.cardData?.license === 'string' ? answer.cardData.license : 'unknown';
  return { commit: answer.sha, files, licence };
}

class Unreachable extends ModelError {}

async function asked(url: string, init: Parameters<typeof fetch>[1]): Promise<Response> {
  try {
    return await fetch(url, { ...init, dispatcher: new EnvHttpProxyAgent() });
  } catch (error) {
    if (init?.signal?.aborted) throw new InterruptedError(`asking ${url} was interrupted`);
    if (error instanceof BowerbirdError) throw error;
    const cause = (error as Error).cause as Error | undefined;
    throw new Unreachable(
      `${url} cannot be reached: ${cause?.message ?? (error as Error).message}`,
      'HF_ENDPOINT names a mirror. The models mobilenet-v2-0.35 and resnet50 need only the npm registry.',
      error,
    );
  }
}

function refused(url: string, { status, headers }: Response): ModelError {
  const code = headers.get('x-error-code');
  const words = [status, code].filter(Boolean).join(' ');
  if (status === 401 || status === 403)
    return new ModelError(
      `${url} answered ${words}: there is no such model, or it is not for everybody`,
      'Check the name. Where a model asks for consent, give it on its page and set HF_TOKEN.',
    );
  if (status === 404) return new ModelError(`${url} answered ${words}: there is no such model, revision or file`);
  return new ModelError(`${url} answered ${words}`, 'Try again later, or set HF_ENDPOINT to a mirror.');
}

/** Of a file, in the kind of `like`: SHA-256, or git's hash of a blob; undefined where there is none. */
async function hashOf(path: string, like: string): Promise<string | undefined> {
  if (like.length === 64) return sha256OfFiles([path]);
  const content = await readFile(path).catch(() => undefined);
  return content && createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

async function writeFileAtomicIn(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, text);
}
