// Writes the manual page from the option data of the commands in dist/.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export async function writeManPage(file) {
  const { commands } = await import('../dist/cli/commands/index.js');
  const { manPage } = await import('../dist/cli/man-page.js');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, manPage(await Promise.all(Object.values(commands).map((load) => load())), version));
}
