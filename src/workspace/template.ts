/** The text of a new bowerbird.yaml: what was said, and the rest as comments to be taken in. */
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import type { WrittenConfiguration } from './configuration.js';
import { Fingerprints } from './fingerprint.js';
import { auxiliaryCategories, openTestPictures } from './pictures.js';
import { configurationFile, configurationOf, parseConfiguration, schemaFile } from './read-configuration.js';
import { layout, type Workspace } from './workspace.js';

/** Where editors find the schema: a copy in the workspace, which is there wherever the package is installed. */
const schemaReference = `./${layout.schema}`;

const notes: Partial<Record<keyof WrittenConfiguration, string>> = {
  categories:
    'What to tell apart. A name may also be { name, aliases: [...], query: ... }, or give a file with the names.',
  auxiliary: 'Clean pictures of other, related categories: one sub-folder for each.',
  test: 'The pictures to classify. With one sub-folder for each category, the answers are scored.',
  sources:
    'Where web pictures come from: flickr, wikimedia, inaturalist, openverse, gbif, google, urls:FILE, folder:PATH.',
  crawl: 'How many pictures, under which licences; sources want to know who asks.',
  model: 'The vision network: "bowerbird models list", or an .onnx file.',
  vectors: 'Word vectors: glove-100, a GloVe or word2vec file, or { train: [corpus files] }.',
  semantics:
    'What describes the categories beside pictures: words, attributes, names (models embed-names), text (a text tower), taxonomy.',
  learner: 'The method and its parameters: "bowerbird methods".',
  tune: 'Trials of the search for parameters; false for the defaults.',
  compare: 'Other methods on the same pictures; false for none.',
};

export function configurationText(written: WrittenConfiguration): string {
  const parts = Object.entries(written).map(([key, value]) => {
    const note = notes[key as keyof WrittenConfiguration];
    return `${note ? `\n# ${note}\n` : ''}${stringify({ [key]: value })}`;
  });
  const text = `# yaml-language-server: $schema=${schemaReference}\n${parts.join('')}`;
  parseConfiguration(text, configurationFile);
  return text;
}

/**
 * Makes the folder of a workspace with its configuration.
 * @param options whether the folders must be there already, differ and hold pictures
 * @throws UsageError where there is one already, ConfigurationError where a run would refuse it
 */
export async function createWorkspace(
  folder: string,
  written: WrittenConfiguration,
  options: { checkPictures?: boolean } = {},
): Promise<string> {
  const file = join(folder, configurationFile);
  if (existsSync(file)) throw new UsageError(`${file} is there already`, 'Edit it, or name another folder.');
  const text = configurationText(written);
  const configuration = await configurationOf(text, file, folder);
  const root = resolve(folder);
  const path = (...parts: string[]) => resolve(root, ...parts);
  const workspace: Workspace = {
    folder: root,
    configuration,
    path,
    fingerprints: new Fingerprints(path(layout.hashes)),
  };
  if (options.checkPictures) {
    await auxiliaryCategories(workspace);
    await openTestPictures(workspace);
  }
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(file, text);
  await writeSchema(workspace);
  return file;
}

/** A copy of the JSON Schema beside the workspace's other records, of this version. */
export async function writeSchema({ path }: Pick<Workspace, 'path'>): Promise<void> {
  const [own, schema] = [path(layout.schema), await readFile(schemaFile, 'utf8')];
  if ((await readFile(own, 'utf8').catch(() => undefined)) === schema) return;
  await mkdir(dirname(own), { recursive: true });
  await writeFileAtomic(own, schema);
}
