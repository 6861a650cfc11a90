/** Versions recorded with every result. */
import { readFileSync } from 'node:fs';

export function versions(): Record<string, string> {
  const file = new URL('../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return { bowerbird: version, node: process.versions.node, v8: process.versions.v8 };
}
