/** Every source by the name written after --source; `urls:FILE` and `folder:PATH` take an argument. */
import { ArgumentError, UsageError } from '../../errors.js';
import { flickr } from './flickr.js';
import { folder } from './folder.js';
import { gbif } from './gbif.js';
import { google } from './google.js';
import { inaturalist } from './inaturalist.js';
import { openverse } from './openverse.js';
import type { Source } from './source.js';
import { urlList } from './url-list.js';
import { wikimedia } from './wikimedia.js';

export interface SourceOptions {
  /** Addresses to use instead of the public ones, by source. */
  endpoints?: Readonly<Record<string, string>>;
  /** Mail address or page of the operator. */
  contact?: string;
}

export const webSources = ['flickr', 'wikimedia', 'inaturalist', 'openverse', 'gbif', 'google'] as const;
type WebSource = (typeof webSources)[number];

const factories: Record<WebSource, (endpoint: string | undefined, options: SourceOptions) => Source> = {
  flickr: (endpoint) => flickr(endpoint),
  wikimedia: (endpoint, { contact }) => wikimedia({ endpoint, contact }),
  inaturalist: (endpoint) => inaturalist(endpoint),
  openverse: (endpoint) => openverse(endpoint),
  gbif: (endpoint) => gbif(endpoint),
  google: (endpoint) => google(endpoint),
};

/** @param argument what is written after the colon, as in `folder:PATH`; empty where there is none */
export type SourceFactory = (argument: string, options: SourceOptions) => Source;

const registered = new Map<string, SourceFactory>();

/**
 * Makes a source known to crawls of this process under a name.
 * @throws ArgumentError for a name that is taken or cannot be one
 */
export function registerSource(name: string, create: SourceFactory): void {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name))
    throw new ArgumentError(
      `"${name}" cannot be the name of a source`,
      'Names are of small letters, digits and hyphens.',
    );
  const taken = [...webSources, 'urls', 'folder'].includes(name) || (registered.get(name) ?? create) !== create;
  if (taken) throw new ArgumentError(`there is a source "${name}" already`, 'Choose another name.');
  registered.set(name, create);
}

export function createSource(specification: string, options: SourceOptions = {}): Source {
  const colon = specification.indexOf(':');
  const name = colon < 0 ? specification : specification.slice(0, colon);
  const argument = colon < 0 ? '' : specification.slice(colon + 1);
  if (name === 'urls' || name === 'folder') {
    if (argument === '') throw new UsageError(`the source "${name}" needs a path`, `Write ${name}:PATH.`);
    return name === 'urls' ? urlList(argument) : folder(argument);
  }
  const own = registered.get(name);
  if (own) return own(argument, options);
  if (!(webSources as readonly string[]).includes(name) || argument !== '')
    throw new UsageError(
      `"${specification}" is not a source`,
      `Sources are: ${[...webSources, ...registered.keys()].join(', ')}, urls:FILE, folder:PATH.`,
    );
  const endpoint = options.endpoints?.[name];
  const source = factories[name as WebSource](endpoint, options);
  if (endpoint === undefined || !source.hosts) return source;
  const hosts = [...source.hosts.hosts, new URL(endpoint).hostname];
  return { ...source, hosts: { ...source.hosts, hosts } };
}
