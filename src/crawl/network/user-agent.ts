/** Who we are, as every request says it. */
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** @param contact mail address or page of the operator */
export function userAgent(contact?: string): string {
  const words = contact?.replace(/[^\x20-\x7e]/g, '').trim();
  return `bowerbird/${version}${words ? ` (${words})` : ''}`;
}
