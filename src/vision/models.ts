/**
 * The model registry: built-in entries, entries the user added (`models.json` in the cache folder), and bare `.onnx`
 * files.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { FormatError, UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { cacheFolder } from '../registry/index.js';
import { builtinModels } from './builtin-models.js';
import type { RegistryOptions } from './get-model.js';
import { hubPresets, isHubAddress } from './hub/address.js';
import { hubEntry } from './hub/entry.js';
import type { ImageModelEntry, ModelEntry } from './model-entry.js';
import { presets } from './preprocessing.js';

/** All entries, the user's own first. */
export async function listModels(options: RegistryOptions = {}): Promise<ModelEntry[]> {
  return [...(await readAdded(options)), ...builtinModels];
}

/** The entry of a name, or one made up for an `.onnx` file. */
export async function findModel(nameOrFile: string, options: RegistryOptions = {}): Promise<ModelEntry> {
  const entries = await listModels(options);
  const found = entries.find((entry) => entry.name === nameOrFile);
  if (found) return found;
  if (isHubAddress(nameOrFile)) return hubEntry(nameOrFile, options);
  if (extname(nameOrFile).toLowerCase() !== '.onnx')
    throw new UsageError(
      `there is no model "${nameOrFile}"`,
      `Give an .onnx file, hf:owner/name, or one of ${[...entries.map((entry) => entry.name), ...Object.keys(hubPresets)].join(', ')}.`,
    );
  if (!existsSync(nameOrFile)) throw new UsageError(`there is no file ${nameOrFile}`);
  return fileEntry(nameOrFile);
}

function fileEntry(path: string): ImageModelEntry {
  return {
    name: basename(path, extname(path)),
    kind: 'image',
    description: 'a file',
    source: { type: 'file', path: resolve(path) },
    licence: 'unknown',
    reduction: 'flatten',
    preprocessing: presets.imagenet,
  };
}

function addedFile(options: RegistryOptions): string {
  return join(options.cache ?? cacheFolder(), 'models.json');
}

async function readAdded(options: RegistryOptions): Promise<ModelEntry[]> {
  const file = addedFile(options);
  if (!existsSync(file)) return [];
  try {
    const { models } = JSON.parse(await readFile(file, 'utf8')) as { models: ModelEntry[] };
    if (Array.isArray(models)) return models;
  } catch (error) {
    throw new FormatError(file, undefined, `is not JSON: ${(error as Error).message}`, 'Mend or delete it.');
  }
  throw new FormatError(file, undefined, 'holds no list "models"', 'Mend or delete it.');
}

/** Records an entry of the user's; one of the same name of his is replaced, a built-in one is not. */
export async function addModel(entry: ModelEntry, options: RegistryOptions = {}): Promise<void> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(entry.name))
    throw new UsageError(
      `"${entry.name}" is no name for a model`,
      'Use letters, digits, dots, hyphens and underscores.',
    );
  if (builtinModels.some((model) => model.name === entry.name))
    throw new UsageError(`"${entry.name}" is a built-in model`, 'Choose another name.');
  const others = (await readAdded(options)).filter((model) => model.name !== entry.name);
  await writeAdded([...others, entry], options);
}

/** Forgets an entry of the user's; the model's file stays where it is. */
export async function removeModel(name: string, options: RegistryOptions = {}): Promise<void> {
  if (builtinModels.some((model) => model.name === name))
    throw new UsageError(`"${name}" is a built-in model`, 'Only models that were added can be removed.');
  const added = await readAdded(options);
  const others = added.filter((model) => model.name !== name);
  if (others.length === added.length)
    throw new UsageError(
      `no model "${name}" was added`,
      added.length > 0 ? `Added: ${added.map((model) => model.name).join(', ')}.` : 'None was added so far.',
    );
  await writeAdded(others, options);
}

async function writeAdded(models: ModelEntry[], options: RegistryOptions): Promise<void> {
  await mkdir(options.cache ?? cacheFolder(), { recursive: true });
  await writeFileAtomic(addedFile(options), `${JSON.stringify({ models }, null, 2)}\n`);
}
