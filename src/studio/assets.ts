/** The files of the page, as the build left them; only these names are ever served. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BowerbirdError } from '../errors.js';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

export interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  /** Files with a hash in their name never change. */
  lasting: boolean;
}

/** Beside the compiled server, or where it would be when the sources themselves are run. */
export function defaultAppFolder(): string {
  const beside = fileURLToPath(new URL('./app/', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/studio/app/', import.meta.url));
}

export function loadAssets(folder: string): ReadonlyMap<string, Asset> {
  if (!existsSync(join(folder, 'index.html')))
    throw new BowerbirdError('BOWERBIRD_STUDIO', `the studio's page is missing: ${folder} has no index.html`, {
      hint: 'Run "npm run build".',
    });
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (!type) continue;
    const address = `/${path.slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, '')}`;
    assets.set(address, { bytes: readFileSync(path), type, lasting: /-[\w-]{8}\.\w+$/.test(entry.name) });
  }
  return assets;
}
