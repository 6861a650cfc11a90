/**
 * What a host allows: its robots.txt (RFC 9309) and the X-Robots-Tag of an answer. Rules are those of the group that
 * names us, else of `*`; the longest matching path decides, and allow wins a tie.
 */
import { FetchFailure } from './failure.js';

/** The name under which robots.txt addresses us. */
const productToken = 'bowerbird';

/** RFC 9309 asks crawlers to read at least 500 KiB. */
export const longestRobots = 512 * 1024;

interface Rule {
  allow: boolean;
  pattern: string;
}

export class RobotsRules {
  readonly #rules: readonly Rule[];
  /** Seconds between requests, where the file asks for it. */
  readonly crawlDelay: number | undefined;

  constructor(rules: readonly Rule[], crawlDelay?: number) {
    this.#rules = rules;
    this.crawlDelay = crawlDelay;
  }

  static parse(text: string): RobotsRules {
    const groups: { agents: string[]; rules: Rule[]; delay?: number }[] = [];
    let naming = false;
    for (const raw of text.split(/\r\n|\r|\n/)) {
      // Plain string operations: a regular expression could be made to backtrack for hours by a hostile file.
      const line = raw.split('#', 1)[0];
      const colon = line.indexOf(':');
      if (colon < 0) continue;
      const key = line
        .slice(0, colon)
        .trim()
        .toLowerCase()
        .replace(/^\ufeff/, '');
      const value = line.slice(colon + 1).trim();
      if (key === 'user-agent') {
        if (!naming) groups.push({ agents: [], rules: [] });
        groups.at(-1)?.agents.push(value.toLowerCase());
        naming = true;
        continue;
      }
      const group = groups.at(-1);
      if (key === 'allow' || key === 'disallow' || key === 'crawl-delay') naming = false;
      if (!group) continue;
      if ((key === 'allow' || key === 'disallow') && value !== '')
        group.rules.push({ allow: key === 'allow', pattern: normalize(value) });
      if (key === 'crawl-delay' && Number.isFinite(Number(value))) group.delay = Number(value);
    }
    const ours = groups.filter(({ agents }) => agents.some((agent) => agent.split('/')[0] === productToken));
    const chosen = ours.length > 0 ? ours : groups.filter(({ agents }) => agents.includes('*'));
    const delay = Math.max(0, ...chosen.map((group) => group.delay ?? 0));
    return new RobotsRules(
      chosen.flatMap((group) => group.rules),
      delay > 0 ? delay : undefined,
    );
  }

  allows(url: URL): boolean {
    const path = normalize(url.pathname + url.search);
    let decision = true;
    let longest = -1;
    for (const { allow, pattern } of this.#rules) {
      if (pattern.length < longest || !matchesPath(pattern, path)) continue;
      if (pattern.length > longest || allow) decision = allow;
      longest = pattern.length;
    }
    return decision;
  }
}

/** `*` stands for anything, a final `$` for the end. Linear in the path: a hostile file cannot make it slow. */
function matchesPath(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(parts[0])) return false;
  let position = parts[0].length;
  for (let i = 1; i < parts.length; i++) {
    if (anchored && i === parts.length - 1) return path.length - parts[i].length >= position && path.endsWith(parts[i]);
    const found = path.indexOf(parts[i], position);
    if (found < 0) return false;
    position = found + parts[i].length;
  }
  return !anchored || position === path.length;
}

/** Percent-encodings in one spelling. */
function normalize(path: string): string {
  try {
    return encodeURI(decodeURI(path)).replaceAll('%25', '%');
  } catch {
    return path;
  }
}

const unwanted = ['noai', 'noimageai', 'noindex', 'none'];
/** Directives whose own syntax has a colon, so that it does not name a crawler. */
const valued = ['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'];

/** The first directive of X-Robots-Tag headers that forbids keeping a picture, if any. */
export function forbiddingTag(headers: readonly string[]): string | undefined {
  for (const header of headers) {
    // `crawler: a, b` addresses one crawler up to the end of its header line.
    const [, name, rest] = /^\s*([A-Za-z0-9_-]+)\s*:(.*)$/.exec(header) ?? [];
    const addressed = name !== undefined && !valued.includes(name.toLowerCase());
    if (addressed && name.toLowerCase() !== productToken) continue;
    const found = (addressed ? rest : header)
      .split(',')
      .map((directive) => directive.trim().toLowerCase())
      .find((directive) => unwanted.includes(directive));
    if (found) return found;
  }
  return undefined;
}

/** Remembers the robots.txt of the hosts seen lately. */
export class RobotsCache {
  readonly #load: (robots: URL) => Promise<RobotsRules>;
  readonly #entries = new Map<string, Promise<RobotsRules>>();
  readonly #limit: number;

  constructor(load: (robots: URL) => Promise<RobotsRules>, limit = 1000) {
    this.#load = load;
    this.#limit = limit;
  }

  async rules(url: URL): Promise<RobotsRules> {
    let entry = this.#entries.get(url.origin);
    if (!entry) {
      entry = this.#load(new URL('/robots.txt', url.origin));
      this.#entries.set(url.origin, entry);
      const oldest = this.#entries.keys().next().value;
      if (this.#entries.size > this.#limit && oldest !== undefined) this.#entries.delete(oldest);
    }
    try {
      return await entry;
    } catch (error) {
      // The next picture of this host asks again.
      if (this.#entries.get(url.origin) === entry) this.#entries.delete(url.origin);
      if (error instanceof FetchFailure && error.kind !== 'forbidden-address' && error.kind !== 'bad-address')
        throw new FetchFailure('robots-unreachable', `${url.origin}/robots.txt: ${error.message}`, {
          cause: error,
          final: error.final,
        });
      throw error;
    }
  }
}
