/**
 * Brings a model onto this machine: fetched, converted where its weights come in another format, and checked against its
 * hash every time it is used.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../formats/index.js';
import { cacheFolder, fetchTarball } from '../registry/index.js';
import { type DownloadOptions, download, sha256OfFiles } from './download.js';
import { ModelError } from './errors.js';
import { hubFile } from './hub/entry.js';
import type { FileSource, HubSource, ModelEntry, NpmSource, UrlSource } from './model-entry.js';
import { outsidePaths, requireBeside } from './onnx/external.js';
import { readGraph } from './onnx/graph.js';
import { convertTarballModel } from './tfjs/tarball-model.js';

export interface RegistryOptions extends DownloadOptions {
  /** @default BOWERBIRD_CACHE, else ~/.cache/bowerbird */
  cache?: string;
  onNote?: (note: string) => void;
}

/** A model that lies on this machine. */
export interface ModelFile {
  readonly entry: ModelEntry;
  readonly path: string;
  /** Of the ONNX model and any files its weights lie in. */
  readonly sha256: string;
  readonly bytes: number;
}

interface CheckedFile {
  readonly path: string;
  readonly sha256: string;
}

/** Changes when the importer writes other models from the same weights, so that old conversions are not used. */
const importerVersion = 1;

/** Fetches and converts what is not there yet, and checks what is. */
export async function getModel(entry: ModelEntry, options: RegistryOptions = {}): Promise<ModelFile> {
  const { source } = entry;
  const file =
    source.type === 'npm'
      ? await convertedModel(entry, source, options)
      : await getFile(entry.name, source, '.onnx', options);
  // What npm packages are converted to holds all its weights.
  const outside = source.type === 'npm' ? [] : await weightFiles(file.path);
  const sha256 = outside.length > 0 ? await sha256OfFiles([file.path, ...outside]) : file.sha256;
  if (sha256 === undefined)
    throw new ModelError(`weights of ${file.path} are missing`, `Put beside it: ${outside.join(', ')}.`);
  let bytes = 0;
  for (const path of [file.path, ...outside]) bytes += (await stat(path)).size;
  return { entry, path: file.path, sha256, bytes };
}

/** Whether `getModel` has everything it needs on this machine. */
export function isFetched(entry: ModelEntry, options: RegistryOptions = {}): boolean {
  const { source } = entry;
  if (source.type === 'file') return existsSync(source.path);
  // Nobody lists what a hub has.
  if (source.type === 'hub') return false;
  return existsSync(
    source.type === 'npm' ? conversionPath(entry, source, options) : urlPath(entry.name, source, '.onnx', options),
  );
}

/** A file of an entry (a model, a vocabulary), checked against its hash. */
export async function getFile(
  name: string,
  source: UrlSource | FileSource | HubSource,
  suffix: string,
  options: RegistryOptions = {},
): Promise<CheckedFile> {
  if (source.type === 'file') return localFile(name, source);
  if (source.type === 'hub') return hubModelFile(name, source, options);
  const path = urlPath(name, source, suffix, options);
  const expected = source.sha256 ?? (await recordedHash(path));
  const found = await sha256OfFiles([path]);
  if (found !== undefined && found === expected) return { path, sha256: found };
  const sha256 = await download(source.url, path, expected, options);
  if (expected === undefined) {
    await writeFileAtomic(`${path}.sha256`, `${sha256}\n`);
    options.onNote?.(`${name}: no hash was given; ${sha256} is recorded and expected from now on`);
  }
  return { path, sha256 };
}

/** The cache names large files by their hash. */
async function hubModelFile(name: string, source: HubSource, options: RegistryOptions): Promise<CheckedFile> {
  const path = await hubFile(source, options);
  const stated = basename(await realpath(path));
  const sha256 = (await sha256OfFiles([path]))!;
  if (/^[0-9a-f]{64}$/.test(stated) && stated !== sha256)
    throw new ModelError(
      `${path} of model "${name}" is damaged: its sha256 is ${sha256}`,
      `Delete ${await realpath(path)}, then try again.`,
    );
  return { path, sha256 };
}

async function localFile(name: string, source: FileSource): Promise<CheckedFile> {
  const { path } = source;
  const sha256 = await sha256OfFiles([path]);
  if (sha256 === undefined) throw new ModelError(`${path} of model "${name}" is not there`);
  if (source.sha256 && sha256 !== source.sha256)
    throw new ModelError(
      `${path} has sha256 ${sha256}, model "${name}" was added with ${source.sha256}`,
      'The file changed. Add it again under this or another name.',
    );
  return { path, sha256 };
}

/** The conversion of a package's weights, made anew when it is missing or no longer what was written. */
async function convertedModel(entry: ModelEntry, source: NpmSource, options: RegistryOptions): Promise<CheckedFile> {
  if (entry.kind !== 'image') throw new ModelError(`model "${entry.name}": only picture networks come from npm`);
  const path = conversionPath(entry, source, options);
  const recorded = await recordedHash(path);
  const found = await sha256OfFiles([path]);
  if (found !== undefined && found === recorded) return { path, sha256: found };
  const { signal, onProgress } = options;
  const tarball = await fetchTarball(source, { cache: options.cache ?? cacheFolder(), signal, onProgress });
  const model = await convertTarballModel(tarball, source.topology, entry.preprocessing.size);
  await mkdir(modelFolder(options), { recursive: true });
  await writeFileAtomic(path, model);
  const sha256 = (await sha256OfFiles([path]))!;
  await writeFileAtomic(`${path}.sha256`, `${sha256}\n`);
  return { path, sha256 };
}

/** Hash recorded when a file was first written here. */
async function recordedHash(path: string): Promise<string | undefined> {
  return (await readFile(`${path}.sha256`, 'utf8').catch(() => undefined))?.trim();
}

function urlPath(name: string, source: UrlSource, suffix: string, options: RegistryOptions): string {
  const label = source.sha256?.slice(0, 12) ?? Buffer.from(source.url).toString('base64url').slice(-24);
  return join(modelFolder(options), `${name}-${label}${suffix}`);
}

function conversionPath(entry: ModelEntry, source: NpmSource, options: RegistryOptions): string {
  const size = entry.kind === 'image' ? entry.preprocessing.size.join('x') : '';
  const label = source.integrity.slice(7, 15).replace(/[^A-Za-z0-9]/g, '_');
  return join(modelFolder(options), `${entry.name}-${source.version}-${label}-${size}-v${importerVersion}.onnx`);
}

async function weightFiles(path: string): Promise<string[]> {
  const graph = readGraph({ bytes: await readFile(path), file: path });
  const paths = outsidePaths(graph.source, graph.constants);
  for (const outside of paths) await requireBeside(path, outside);
  return paths;
}

function modelFolder(options: RegistryOptions): string {
  return join(options.cache ?? cacheFolder(), 'models');
}
