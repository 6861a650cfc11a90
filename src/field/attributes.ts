/** The attributes of the categories, where those describe them and have names: what tells one from another, in words. */
import { extname } from 'node:path';
import { readVectorTable, vectorsOfNames } from '../language/index.js';
import type { Workspace } from '../workspace/index.js';
import type { Attributes } from './site.js';

export async function categoryAttributes(
  { configuration, path }: Workspace,
  categories: readonly string[],
): Promise<Attributes | undefined> {
  const kind = configuration.semantics.find((one) => one.kind === 'attributes');
  // Tables of numbers alone have columns without names.
  if (kind?.kind !== 'attributes' || !['.csv', '.tsv'].includes(extname(kind.file).toLowerCase())) return undefined;
  const table = await readVectorTable(path(kind.file));
  if (!table.columns) return undefined;
  const aliases = new Map(configuration.categories.map(({ name, aliases: others }) => [name, others]));
  const names = categories.map((name) => ({ name, aliases: [...(aliases.get(name) ?? [])] }));
  const { vectors, absent } = vectorsOfNames(table, names);
  return {
    names: [...table.columns],
    values: categories.map((name, i) =>
      absent.includes(name) ? [] : Array.from(vectors.row(i), (value) => Number(value.toFixed(3))),
    ),
  };
}
