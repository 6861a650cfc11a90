/**
 * The files of a site: the page as it was built, the engine, and what the workspace adds. Files with their hash in the name come
 * first and the service worker last, so that a site that is being visited is whole at every moment; what an earlier export left
 * is removed at the end.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artefact } from '../artefact.js';
import { BowerbirdError, UsageError } from '../errors.js';
import { escapeHtml, writeFileAtomic } from '../formats/index.js';
import type { Site, SiteFile } from './site.js';

/** Folders that belong to a site as a whole. */
const ownFolders = ['app', 'engine', 'model', 'pictures'];
/** Files that say what a site consists of; they are written after everything else, in this order. */
const lastFiles = ['site.json', 'manifest.json', 'index.html', 'service-worker.js'] as const;

export class SiteFolder {
  readonly folder: string;
  readonly #files = new Map<string, SiteFile>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws UsageError where the folder holds something else than a site */
  static async open(folder: string): Promise<SiteFolder> {
    const found = existsSync(folder) ? await readdir(folder) : [];
    if (found.length > 0 && !found.includes('site.json') && !found.every((name) => ownFolders.includes(name)))
      throw new UsageError(
        `${folder} holds other files than a site`,
        'Give an empty folder, or one that does not exist yet, with --out.',
      );
    await mkdir(folder, { recursive: true });
    return new SiteFolder(folder);
  }

  async write(path: string, content: Uint8Array | string): Promise<SiteFile> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFileAtomic(join(this.folder, path), bytes);
    const file = { path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    this.#files.set(path, file);
    return file;
  }

  /** Under a name that holds the beginning of its hash: `model/network-0123abcd.onnx`. */
  async writeHashed(path: string, content: Uint8Array): Promise<SiteFile> {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
    return this.write(path.replace(/(\.[^.]+)$/, `-${hash}$1`), content);
  }

  get files(): readonly SiteFile[] {
    return [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Removes what an earlier export left in the folders of the site. */
  async removeOthers(): Promise<void> {
    for (const folder of ownFolders.filter((name) => existsSync(join(this.folder, name))))
      for (const entry of await readdir(join(this.folder, folder), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const own = path.slice(this.folder.length + 1).replaceAll('\\', '/');
        if (!this.#files.has(own)) await rm(path);
      }
  }
}

/** The page as `npm run build` made it. */
export async function writeApp(site: SiteFolder): Promise<{ page: string; worker: string }> {
  const folder = fileURLToPath(artefact('field/app'));
  const names = await readdir(folder, { recursive: true }).catch((error) => {
    throw new BowerbirdError(
      'BOWERBIRD_FILE',
      `the page is not part of this installation: ${(error as Error).message}`,
      {
        hint: 'Install bowerbird anew; in a clone, run "npm run build".',
        cause: error,
      },
    );
  });
  const read = (name: string) => readFile(join(folder, name));
  for (const name of names.filter((one) => /\.(js|css|svg|png)$/.test(one) && one !== 'service-worker.js'))
    await site.write(name.replaceAll('\\', '/'), await read(name));
  return { page: (await read('index.html')).toString(), worker: (await read('service-worker.js')).toString() };
}

/** onnxruntime's own files. */
export async function writeEngine(site: SiteFolder): Promise<Site['engine']> {
  const variant = async (name: 'wasm' | 'webgpu', files: { script: string; glue: string; binary: string }) => {
    const copy = async (file: string, as: string) =>
      site.writeHashed(`engine/${name}-${as}`, await readFile(fileURLToPath(artefact(file))));
    return {
      script: (await copy(files.script, 'runtime.js')).path,
      glue: (await copy(files.glue, 'glue.js')).path,
      binary: await copy(files.binary, 'engine.wasm'),
    };
  };
  const [own, shared] = ['field/engine', 'vision/onnxruntime-web'];
  return {
    wasm: await variant('wasm', {
      script: `${own}/ort.wasm.min.mjs`,
      glue: `${shared}/ort-wasm-simd-threaded.mjs`,
      binary: `${shared}/ort-wasm-simd-threaded.wasm`,
    }),
    webgpu: await variant('webgpu', {
      script: `${own}/ort.jspi.min.mjs`,
      glue: `${own}/ort-wasm-simd-threaded.jspi.mjs`,
      binary: `${own}/ort-wasm-simd-threaded.jspi.wasm`,
    }),
  };
}

/** Writes what ties the files together: description, manifest, page, service worker. */
export async function finishSite(
  site: SiteFolder,
  description: Omit<Site, 'version'>,
  { page, worker }: { page: string; worker: string },
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(description)).update(page).update(worker);
  for (const { path, sha256 } of site.files) hash.update(`${path} ${sha256}\n`);
  const version = hash.digest('hex').slice(0, 16);
  const title = escapeHtml(description.name);
  const contents: Record<(typeof lastFiles)[number], () => string> = {
    'site.json': () => JSON.stringify({ ...description, version } satisfies Site),
    'manifest.json': () => JSON.stringify(manifest(description.name)),
    'index.html': () => page.replaceAll('<!--name-->', title).replaceAll('Bowerbird field', title),
    // The page fetches the large files itself, and shows how far it is; those of the engine it does not need, never.
    'service-worker.js': () => {
      const large = [description.model.path, ...Object.values(description.engine).map(({ binary }) => binary.path)];
      const small = site.files.map(({ path }) => path).filter((path) => !large.includes(path));
      return `self.site = ${JSON.stringify({ version, files: small, large })};\n${worker}`;
    },
  };
  for (const name of lastFiles) await site.write(name, contents[name]());
  await site.removeOthers();
  return version;
}

function manifest(name: string) {
  const icon = (file: string, sizes: string, purpose: string) => ({ src: file, sizes, type: 'image/png', purpose });
  return {
    ...{ name, short_name: name.length > 12 ? `${name.slice(0, 11)}…` : name, start_url: './', scope: './', id: './' },
    ...{ display: 'standalone', background_color: '#ffffff', theme_color: '#1b3a8a' },
    description: 'Names what is in a picture, on this device, without a network.',
    icons: [
      icon('icon-192.png', '192x192', 'any'),
      icon('icon-512.png', '512x512', 'any'),
      icon('icon-512.png', '512x512', 'maskable'),
    ],
  };
}
