/** A category more in a workspace: its name goes into bowerbird.yaml, comments and order kept, or into the file that it names. */
import { readFile } from 'node:fs/promises';
import { isSeq, parseDocument } from 'yaml';
import { UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { auxiliaryCategories } from './pictures.js';
import { configurationFile } from './read-configuration.js';
import { openWorkspace, type Workspace } from './workspace.js';

/**
 * The next run crawls it, and its pictures join the fit.
 * @throws UsageError for a name that is taken or is none
 */
export async function addCategory(workspace: Workspace, name: string): Promise<Workspace> {
  const wanted = name.trim().replaceAll(/\s+/g, ' ');
  if (wanted === '' || wanted.length > 100 || /[\\/\p{Cc}]/u.test(wanted))
    throw new UsageError(`${JSON.stringify(name)} is no name for a category`, 'Give a few words, without slashes.');
  const same = (other: string) => other.normalize().toLowerCase() === wanted.normalize().toLowerCase();
  if (workspace.configuration.categories.some((category) => same(category.name)))
    throw new UsageError(`"${wanted}" is one of the categories already`, 'Answer with it.');
  const { names } = await auxiliaryCategories(workspace);
  if (names.some(same))
    throw new UsageError(
      `"${wanted}" is one of the auxiliary categories, which are never an answer`,
      `Move its folder out of ${workspace.configuration.auxiliary.folder} to make it a category.`,
    );
  const file = workspace.path(configurationFile);
  const document = parseDocument(await readFile(file, 'utf8'));
  const categories = document.get('categories');
  if (isSeq(categories)) {
    categories.add(document.createNode(wanted));
    await writeFileAtomic(file, String(document));
  } else {
    const list = workspace.path(String(categories));
    const text = await readFile(list, 'utf8');
    await writeFileAtomic(list, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${wanted}\n`);
  }
  return openWorkspace(workspace.folder);
}
