/**
 * The user's npm settings, read the way npm itself reads them, so that mirrors, proxies and private registries that
 * work for `npm install` work here too: environment (`npm_config_…`), then the project's, the user's and the global
 * `.npmrc`, the first one to set a key winning.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export type Settings = Record<string, string>;

export interface SettingsPlaces {
  /** Where the search for the project's `.npmrc` begins. @default process.cwd() */
  folder?: string;
  environment?: Readonly<Record<string, string | undefined>>;
  home?: string;
}

/** All settings by npm's own names, for example `registry`, `https-proxy`, `@scope:registry`. */
export function npmSettings(places: SettingsPlaces = {}): Settings {
  const environment = places.environment ?? process.env;
  const home = places.home ?? homedir();
  const fromEnvironment = environmentSettings(environment);
  const settings: Settings = {};
  const files = [
    projectFile(places.folder ?? process.cwd(), home),
    fromEnvironment.userconfig ?? join(home, '.npmrc'),
    fromEnvironment.globalconfig ?? join(globalPrefix(environment, fromEnvironment), 'etc', 'npmrc'),
  ];
  const layers = [fromEnvironment, ...files.map((file) => parseNpmrc(textOf(file), environment))];
  for (const layer of layers)
    for (const [key, value] of Object.entries(layer)) if (!(key in settings)) settings[key] = value;
  return settings;
}

/**
 * `key = value` lines, `;` and `#` comments, `${NAME}` taken from the environment. Entries of an array (`key[] = …`) are
 * joined by line feeds.
 */
export function parseNpmrc(text: string, environment: Readonly<Record<string, string | undefined>> = {}): Settings {
  const settings: Settings = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*([^;#\s=[\]][^=[\]]*?)(\[\])?\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const quoted = /^(["'])(.*)\1$/.exec(match[3]);
    const value = expand(quoted ? quoted[2] : match[3].replace(/\s+[;#].*$/, ''), environment);
    const key = expand(match[1], environment);
    settings[key] = match[2] && key in settings ? `${settings[key]}\n${value}` : value;
  }
  return settings;
}

function environmentSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const settings: Settings = {};
  for (const [name, value] of Object.entries(environment)) {
    const match = /^npm_config_(.+)$/i.exec(name);
    if (!match || !value) continue;
    // Underscores stand for hyphens, save a leading one and those of keys that belong to one registry.
    const key = match[1].startsWith('//') ? match[1] : match[1].toLowerCase().replace(/(?!^)_/g, '-');
    settings[key] = value;
  }
  return settings;
}

/** The `.npmrc` beside the nearest package.json or node_modules, unless that is the home folder itself. */
function projectFile(start: string, home: string): string {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) || existsSync(join(folder, 'node_modules')))
      return folder === resolve(home) ? '' : join(folder, '.npmrc');
    if (dirname(folder) === folder) return '';
  }
}

function globalPrefix(environment: Readonly<Record<string, string | undefined>>, settings: Settings): string {
  if (settings.prefix) return settings.prefix;
  if (environment.PREFIX) return environment.PREFIX;
  return process.platform === 'win32' ? dirname(process.execPath) : dirname(dirname(process.execPath));
}

function expand(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{([^}?]+)(\?)?\}/g, (whole, name: string, optional: string | undefined) =>
    environment[name] !== undefined ? environment[name] : optional ? '' : whole,
  );
}

/** Text of a file, empty where it cannot be read. */
function textOf(file: string): string {
  try {
    return file === '' ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
