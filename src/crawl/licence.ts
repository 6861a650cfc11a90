/** Licences by one spelling each, read from the many in which sources write them, and the gate that applies them. */
import { UsageError } from '../errors.js';

export const licenceCodes = [
  'cc0',
  'pdm',
  'cc-by',
  'cc-by-sa',
  'cc-by-nd',
  'cc-by-nc',
  'cc-by-nc-sa',
  'cc-by-nc-nd',
  'all-rights-reserved',
  'unknown',
] as const;
export type LicenceCode = (typeof licenceCodes)[number];

/** What a search for pictures takes when nothing else is asked for: free to use, change and pass on. */
export const defaultLicences: readonly LicenceCode[] = ['cc0', 'pdm', 'cc-by', 'cc-by-sa'];

/** Reads `https://creativecommons.org/licenses/by-sa/2.0/`, `CC BY-SA 2.0`, `by-sa`, `CC0_1_0`, `Public domain`. */
export function licenceOf(text: string | undefined): LicenceCode {
  if (!text) return 'unknown';
  const plain = text.trim().toLowerCase();
  const url = /creativecommons\.org\/(licenses|licences|publicdomain)\/([a-z-]+)/.exec(plain);
  if (url) return url[1] === 'publicdomain' ? publicDomain(url[2]) : combination(url[2]);
  if (/\ball rights reserved\b|^c$|^©|^copyright\b/.test(plain)) return 'all-rights-reserved';
  if (/\bcc[\s_-]?0|\bcc-?zero\b|\bno rights reserved\b/.test(plain)) return 'cc0';
  if (/^pdm\b|\bpublic[\s_-]domain\b|^pd($|[\s_-])/.test(plain)) return 'pdm';
  const words = plain
    .replace(/attribution/g, 'by')
    .replace(/non-?commercial/g, 'nc')
    .replace(/no-?deriv(ative|s)*(work)?s?/g, 'nd')
    .replace(/share-?alike/g, 'sa');
  const parts = /(?:^|\bcc[\s_-])(by(?:[\s_-]+(?:nc|nd|sa))*)(?=$|[\s_\d.-])/.exec(words);
  return parts ? combination(parts[1].replace(/[\s_]+/g, '-')) : 'unknown';
}

function publicDomain(kind: string): LicenceCode {
  return kind === 'zero' ? 'cc0' : kind === 'mark' || kind === 'certification' ? 'pdm' : 'unknown';
}

function combination(parts: string): LicenceCode {
  const given = new Set(parts.split('-'));
  if (!given.has('by')) return 'unknown';
  const code = `cc-${['by', 'nc', 'nd', 'sa'].filter((part) => given.has(part)).join('-')}`;
  return (licenceCodes as readonly string[]).includes(code) ? (code as LicenceCode) : 'unknown';
}

/** Checks codes given by a user; `any` stands for all of them. */
export function parseLicences(codes: readonly string[]): readonly LicenceCode[] {
  const chosen = codes.flatMap((code) => (code.toLowerCase() === 'any' ? licenceCodes : [code.toLowerCase()]));
  for (const code of chosen)
    if (!(licenceCodes as readonly string[]).includes(code))
      throw new UsageError(
        `"${code}" is not a licence`,
        `Licences are: ${licenceCodes.join(', ')}, or any for all of them.`,
      );
  return [...new Set(chosen)] as LicenceCode[];
}
