/** Semantic vectors of all category names, of every kind that the configuration names, in one matrix of blocks. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { writeFileAtomic, writeNpz } from '../../formats/index.js';
import { besideEachOther, blockArrays } from '../../problem/index.js';
import { findModel } from '../../vision/index.js';
import { auxiliaryCategories } from '../pictures.js';
import { ConfigurationError, configurationFile } from '../read-configuration.js';
import { type SemanticBlock, semanticBlock } from '../semantics/block.js';
import { isReady } from '../semantics/words.js';
import { optionInputs, type Stage } from '../stage.js';
import { layout, type Workspace } from '../workspace.js';

export const wordsStage: Stage = {
  name: 'words',
  needs: [],

  async check(workspace) {
    const { semantics, vectors } = workspace.configuration;
    await auxiliaryCategories(workspace);
    for (const kind of semantics) {
      if (kind.kind === 'text') await findModel(kind.model);
      else if (kind.kind !== 'words') requireFile(workspace, 'semantics', kind.file);
      else
        for (const file of 'train' in vectors ? vectors.train : vectors.filter((name) => !isReady(name)))
          requireFile(workspace, 'vectors', file);
    }
  },

  async inputs(workspace) {
    const { configuration } = workspace;
    const { semantics, categories, auxiliary } = configuration;
    const inputs: Record<string, string> = {
      'names and aliases': JSON.stringify([
        categories.map(({ name, aliases }) => [name, aliases]),
        (await auxiliaryCategories(workspace)).names,
        auxiliary.aliases,
      ]),
    };
    if (!onlyWords(workspace)) inputs.semantics = JSON.stringify(semantics);
    if (semantics.some(({ kind }) => kind === 'words')) Object.assign(inputs, await wordInputs(workspace));
    for (const kind of semantics)
      if ('file' in kind) inputs[`the file ${kind.file}`] = await fileInput(workspace, kind.file);
    return inputs;
  },

  outputs: async () => [layout.words, layout.wordReport],

  async run(context) {
    const { workspace } = context;
    const { configuration, path } = workspace;
    await mkdir(path('words'), { recursive: true });
    const auxiliary = (await auxiliaryCategories(workspace)).names.map((name) => ({
      name,
      aliases: configuration.auxiliary.aliases[name] ?? [],
    }));
    const names = [...auxiliary, ...configuration.categories.map(({ name, aliases }) => ({ name, aliases }))];
    const found: SemanticBlock[] = [];
    for (const kind of configuration.semantics) found.push(await semanticBlock(kind, names, context));
    const vectors = onlyWords(workspace) ? found[0].vectors : besideEachOther(found.map((one) => one.vectors));
    const semantics = (from: number, to: number) => vectors.view(from, to).copy();
    const list = (some: readonly { name: string }[]) => ({
      shape: [some.length],
      dtype: 'string' as const,
      data: some.map(({ name }) => name),
    });
    await writeNpz(path(layout.words), [
      ['aux_semantics', semantics(0, auxiliary.length)],
      ['aux_names', list(auxiliary)],
      ['test_semantics', semantics(auxiliary.length, names.length)],
      ['test_names', list(configuration.categories)],
      ...blockArrays(
        'semantic',
        found.map(({ block }) => block),
      ),
    ]);
    const reports = found.map(({ report }) => report);
    await writeFileAtomic(path(layout.wordReport), `${JSON.stringify(reports, null, 2)}\n`);
    const kinds = found.map(({ block }) => `${block.name} (${block.width})`);
    return {
      summary: `${names.length} names, ${onlyWords(workspace) ? `${vectors.cols} dimensions` : kinds.join(', ')}`,
    };
  },
};

/** Words alone are scaled as `words:` says; several kinds are scaled alike. */
function onlyWords({ configuration: { semantics } }: Workspace): boolean {
  return semantics.length === 1 && semantics[0].kind === 'words';
}

async function wordInputs(workspace: Workspace): Promise<Record<string, string>> {
  const { vectors, words, seed } = workspace.configuration;
  const inputs: Record<string, string> = {
    ...optionInputs('words', words),
    vectors: JSON.stringify(vectors),
    ...('train' in vectors && { seed: String(seed) }),
  };
  for (const file of 'train' in vectors ? vectors.train : vectors)
    if (!isReady(file)) inputs[`the file ${file}`] = await fileInput(workspace, file);
  return inputs;
}

async function fileInput({ fingerprints, path }: Workspace, file: string): Promise<string> {
  return (await fingerprints.ofFile(path(file))) ?? 'missing';
}

function requireFile({ path }: Workspace, key: string, file: string): void {
  if (!existsSync(path(file)))
    throw new ConfigurationError(
      `${configurationFile}: ${key} is ${file}, and there is no file ${path(file)}`,
      'Paths are relative to the workspace.',
    );
}
