/** Reads bowerbird.yaml; whatever is wrong in it is named with its line, its key, what was found and what was expected. */
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { createSource, loadCategories } from '../crawl/index.js';
import { BowerbirdError, UsageError } from '../errors.js';
import { fileError } from '../formats/index.js';
import { methods } from '../methods/index.js';
import { allows, expected } from '../parameters.js';
import { loadPlugins } from '../plugins/index.js';
import {
  type CategorySettings,
  type Configuration,
  completeConfiguration,
  type WrittenConfiguration,
} from './configuration.js';

export const configurationFile = 'bowerbird.yaml';
export const schemaFile = new URL('../../schema/bowerbird.schema.json', import.meta.url);

/** bowerbird.yaml is absent, is not YAML, or says something that cannot be. */
export class ConfigurationError extends BowerbirdError {
  constructor(message: string, hint?: string) {
    super('BOWERBIRD_CONFIGURATION', message, { hint });
  }
}

export async function readConfiguration(folder: string): Promise<Configuration> {
  const file = join(folder, configurationFile);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw fileError(file, error, 'read');
    throw new ConfigurationError(
      `${folder} is no workspace: there is no ${configurationFile} in it`,
      `Name the folder of a workspace, or make one there: bowerbird init ${folder}`,
    );
  }
  await loadOwnPlugins(text, file, folder);
  return configurationOf(text, file, folder);
}

/**
 * Modules run with the rights of whoever opens the workspace, so they and the file that names them must be that user's, or
 * the administrator's: a folder that somebody else can write may name none.
 */
async function loadOwnPlugins(text: string, file: string, folder: string): Promise<void> {
  const { written, lineOf } = parseConfiguration(text, file);
  const plugins = written.plugins ?? [];
  if (plugins.length === 0) return;
  for (const path of [file, ...plugins.map((plugin) => resolve(folder, plugin))]) {
    const found = await stat(path).catch(() => undefined);
    if (!found || process.getuid === undefined) continue;
    const foreign = found.uid !== process.getuid() && found.uid !== 0;
    if (foreign || (found.mode & 0o002) !== 0)
      throw new ConfigurationError(
        `${file}, line ${lineOf(['plugins'])}: ${path} ${foreign ? 'belongs to another user' : 'can be written by anybody'}, and plugins are loaded only from files of your own`,
        'Look at what the modules do, then copy the workspace or make the files yours.',
      );
  }
  await loadPlugins(plugins, folder);
}

/** What a text says, all of it checked; its paths are relative to `folder`, which need not be there yet. */
export async function configurationOf(text: string, file: string, folder: string): Promise<Configuration> {
  const { written, lineOf } = parseConfiguration(text, file);
  const categories =
    typeof written.categories === 'string' ? await categoriesOf(resolve(folder, written.categories)) : undefined;
  const configuration = completeConfiguration(written, categories, basename(resolve(folder)));
  checkMeaning(configuration, file, lineOf);
  checkFolders(configuration, file, lineOf);
  return configuration;
}

type LineOf = (path: readonly (string | number)[]) => number | undefined;

/** The text of a configuration, checked against the schema. */
export function parseConfiguration(text: string, file: string): { written: WrittenConfiguration; lineOf: LineOf } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken)
    throw new ConfigurationError(
      `${file}, line ${lines.linePos(broken.pos[0]).line}: this is not YAML: ${broken.message.split('\n')[0].replace(/ at line \d+, column \d+:?$/, '')}`,
    );
  const written = document.toJS() as WrittenConfiguration;
  const lineOf: LineOf = (path) => lineOfPath(document, lines, path);
  validator ??= new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(schemaFile, 'utf8')),
  );
  if (!validator(written)) throw schemaError(file, validator.errors!, lineOf);
  return { written, lineOf };
}

/** Made once: it takes far longer than a look at a configuration. */
let validator: ValidateFunction | undefined;

function lineOfPath(document: Document, lines: LineCounter, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

/** The most telling of the errors: the one farthest into the file, alternatives of the same place put together. */
function schemaError(file: string, errors: readonly ErrorObject[], lineOf: LineOf): ConfigurationError {
  const depth = (error: ErrorObject) =>
    error.instancePath.split('/').length + (['additionalProperties', 'required'].includes(error.keyword) ? 0.5 : 0);
  const plain = errors.filter(({ keyword }) => keyword !== 'anyOf');
  const deepest = Math.max(...plain.map(depth));
  const chosen = plain.filter((error) => depth(error) === deepest);
  const first = chosen[0];
  const same = chosen.filter((error) => error.instancePath === first.instancePath);
  const path = first.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const extra = first.keyword === 'additionalProperties' ? (first.params.additionalProperty as string) : undefined;
  const full = extra === undefined ? path : [...path, extra];
  const key = full.join('.') || 'the file';
  const line = lineOf(full);
  const where = `${file}${line === undefined ? '' : `, line ${line}`}: ${key}`;
  if (extra !== undefined) {
    const known = Object.keys((first.parentSchema as { properties?: object }).properties ?? {});
    return new ConfigurationError(`${where} is not known here`, `Keys are: ${known.join(', ')}.`);
  }
  if (first.keyword === 'required')
    return new ConfigurationError(
      `${file}${line === undefined ? '' : `, line ${line}`}: ${[...path, first.params.missingProperty as string].join('.')} is missing`,
      descriptionOf(first, first.params.missingProperty as string),
    );
  const expected = [...new Set(same.map(expectation))].join(' or ');
  return new ConfigurationError(`${where} is ${found(first.data)}; ${expected} was expected`);
}

function descriptionOf(error: ErrorObject, key: string): string | undefined {
  const { properties } = error.parentSchema as { properties?: Record<string, { description?: string }> };
  return properties?.[key]?.description;
}

function found(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text === 'null' ? 'empty' : text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'keys with values',
};

function expectation({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'type')
    return [params.type as string | string[]]
      .flat()
      .map((type) => typeNames[type] ?? type)
      .join(' or ');
  if (keyword === 'enum') return `one of ${(params.allowedValues as unknown[]).join(', ')}`;
  if (keyword === 'const') return String(params.allowedValue);
  if (keyword === 'minItems') return `a list of at least ${params.limit}`;
  if (keyword === 'minLength') return 'some text';
  return `a value that ${message}`;
}

async function categoriesOf(file: string): Promise<CategorySettings[]> {
  const categories = (await loadCategories(dirname(file), file))!;
  return categories.map(({ name, aliases = [], query }) => ({
    name,
    aliases: query && !aliases.includes(query) ? [...aliases, query] : aliases,
    ...(query && { query }),
  }));
}

/** Folders that stages write, and clear before they do. */
const reserved = ['.bowerbird', 'compare', 'export', 'features', 'pictures', 'run', 'text', 'tune', 'words'];

/** The user's own pictures must not lie where results go, and test pictures not among those that are learnt from. */
function checkFolders({ auxiliary, test, sources }: Configuration, file: string, lineOf: LineOf): void {
  const web = sources.flatMap(({ source }) => (source.startsWith('folder:') ? [source.slice('folder:'.length)] : []));
  const folders: [key: string, path: string][] = [
    ['auxiliary', auxiliary.folder],
    ['test', test],
    ...web.map((path): [string, string] => ['sources', path]),
  ];
  for (const [key, path] of folders) {
    const inside = relative('/workspace', resolve('/workspace', path)).split(/[\\/]/)[0];
    if (inside === '' || reserved.includes(inside))
      throw new ConfigurationError(
        `${file}, line ${lineOf([key]) ?? 1}: ${key} is ${path}, where results of the workspace are written`,
        `Pictures of your own may lie in any folder but ${reserved.join(', ')} and the workspace itself.`,
      );
  }
  for (const [key, path] of folders) {
    if (key === 'test') continue;
    const [own, other] = [resolve('/workspace', test), resolve('/workspace', path)];
    const nested = [relative(own, other), relative(other, own)].some((way) => !/^\.\.([\\/]|$)/.test(way));
    if (nested)
      throw new ConfigurationError(
        own === other
          ? `${file}, line ${lineOf(['test']) ?? 1}: test and ${key} are the same folder, ${test}`
          : `${file}, line ${lineOf(['test']) ?? 1}: of test (${test}) and ${key} (${path}) one lies within the other`,
        'Pictures to classify must not be among those that are learnt from: put them into folders of their own.',
      );
  }
}

/** What a schema cannot say. */
function checkMeaning(configuration: Configuration, file: string, lineOf: LineOf): void {
  const { categories, learner, sources, truth, answers, shares } = configuration;
  const at = (...path: (string | number)[]) => `${file}, line ${lineOf(path) ?? 1}: ${path.join('.')}`;
  if (categories.length < 2)
    throw new ConfigurationError(`${at('categories')} names ${categories.length} category; at least two are needed`);
  const seen = new Set<string>();
  for (const [i, { name }] of categories.entries()) {
    if (seen.has(name)) throw new ConfigurationError(`${at('categories', i)} names "${name}" a second time`);
    seen.add(name);
  }
  for (const [i, { source }] of sources.entries())
    try {
      createSource(source);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new ConfigurationError(`${at('sources', i)}: ${error.message}`, error.hint);
    }
  const spec = methods.find(({ name }) => name === learner.method);
  if (!spec)
    throw new ConfigurationError(
      `${at('learner', 'method')} is "${learner.method}"; there is no such method`,
      `Methods: ${methods.map(({ name }) => name).join(', ')}.`,
    );
  if (spec.setting !== 'both' && spec.setting !== (answers === 'all' ? 'generalized' : 'standard'))
    throw new ConfigurationError(
      answers === 'all'
        ? `${at('answers')} is all, and ${learner.method} chooses among the listed categories only`
        : `${at('learner', 'method')} is ${learner.method}, which chooses among the auxiliary categories too`,
      answers === 'all'
        ? 'Say answers: listed, or name another method, such as bowerbird.'
        : 'Say answers: all, or name another method.',
    );
  // With the auxiliary categories among the answers, their names are known once the pictures are.
  if (typeof shares !== 'string' && answers === 'listed') {
    const names = categories.map(({ name }) => name);
    const extra = Object.keys(shares).find((name) => !names.includes(name));
    if (extra !== undefined)
      throw new ConfigurationError(
        `${at('shares', extra)} is none of the categories`,
        `Categories: ${names.join(', ')}.`,
      );
    const missing = names.find((name) => !Object.hasOwn(shares, name));
    if (missing !== undefined)
      throw new ConfigurationError(
        `${at('shares')} does not say how frequent "${missing}" is`,
        'Give a number for every category, 0 for one that does not occur; or say equal or unknown.',
      );
    if (names.every((name) => shares[name] === 0)) throw new ConfigurationError(`${at('shares')} are all 0`);
  }
  for (const [name, value] of Object.entries(learner.parameters)) {
    const parameter = spec.parameters[name];
    if (!Object.hasOwn(spec.parameters, name))
      throw new ConfigurationError(
        `${at('learner', 'parameters', name)} is not a parameter of ${learner.method}`,
        `Parameters: ${Object.keys(spec.parameters).join(', ') || 'none'}.`,
      );
    if (!allows(parameter, value))
      throw new ConfigurationError(
        `${at('learner', 'parameters', name)} is ${JSON.stringify(value)}; it must be ${expected(parameter)}`,
      );
  }
  if (truth && 'wrong' in truth)
    try {
      new RegExp(truth.wrong);
    } catch (error) {
      throw new ConfigurationError(`${at('truth', 'wrong')} is no regular expression: ${(error as Error).message}`);
    }
}
