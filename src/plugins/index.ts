/**
 * Modules of the user's own that bring methods and sources. A plugin exports `methods`, `sources` or both; it is named by
 * a workspace's bowerbird.yaml, by `--plugin`, or by a program, never by data that came from elsewhere.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { registerSource, type SourceFactory } from '../crawl/index.js';
import { ArgumentError, BowerbirdError } from '../errors.js';
import { type MethodSpec, registerMethod } from '../methods/index.js';

export interface Plugin {
  methods?: readonly MethodSpec[];
  /** By the name that stands in `sources:` and after --source. */
  sources?: Readonly<Record<string, SourceFactory>>;
}

/** A module that was named as a plugin cannot be loaded, or is none. */
export class PluginError extends BowerbirdError {
  constructor(module: string, problem: string, cause?: unknown) {
    const hint = 'A plugin is a JavaScript module that exports `methods` or `sources`; docs/extending.md has examples.';
    super('BOWERBIRD_PLUGIN', `${module}: ${problem}`, { hint, cause });
  }
}

/**
 * Loads modules and registers what they bring, here and in the threads of searches and comparisons.
 * @param modules paths, or `file:` addresses
 * @param base what relative paths begin at. @default the working directory
 * @example
 * await loadPlugins(['./nearest.mjs']);
 * const result = await fit(problem, 'nearest');
 */
export async function loadPlugins(modules: readonly string[], base = process.cwd()): Promise<void> {
  for (const module of modules) {
    const url = urlOf(module, base);
    if (!existsSync(fileURLToPath(url))) throw new PluginError(module, 'there is no such file');
    let plugin: Plugin;
    try {
      plugin = (await import(url)) as Plugin;
    } catch (error) {
      throw new PluginError(module, `cannot be loaded: ${(error as Error).message}`, error);
    }
    const { methods = [], sources = {} } = plugin;
    if (!Array.isArray(methods) || typeof sources !== 'object' || methods.length + Object.keys(sources).length === 0)
      throw new PluginError(module, 'exports neither a list of `methods` nor `sources` by name');
    try {
      for (const spec of methods) registerMethod(spec, url);
      for (const [name, create] of Object.entries(sources)) registerSource(name, create);
    } catch (error) {
      if (error instanceof ArgumentError) throw new PluginError(module, error.message, error);
      throw error;
    }
  }
}

function urlOf(module: string, base: string): string {
  if (module.startsWith('file:')) return module;
  return pathToFileURL(isAbsolute(module) ? module : resolve(base, module)).href;
}
