/**
 * Vectors from a hierarchy: categories that share ancestors are alike, the more so the fewer others share them. Every node
 * is a column; a category has in the columns of its ancestors and of itself √(I(node) − I(parent)), I(node) = −log of the
 * share of the categories below the node. The product of two vectors is then I of their lowest common ancestor (Resnik,
 * "Using information content to evaluate semantic similarity in a taxonomy", IJCAI 1995, with categories for words).
 */
import { FormatError } from '../../errors.js';
import { readCsv } from '../../formats/index.js';
import { Matrix } from '../../linalg/index.js';
import type { NamedVectors } from './match.js';

/**
 * A CSV file (tabs in a `.tsv`) with a header, in one of two forms: `child,parent`, one edge a line; or the name in the
 * first column, or in the one called `name`, `category` or `species`, and its ancestors in the others, the farthest first.
 */
export async function readTaxonomy(file: string): Promise<NamedVectors> {
  const { header = [], rows } = await readCsv(file, { delimiter: /\.tsv$/i.test(file) ? '\t' : ',' });
  if (header.length < 2 || rows.length === 0)
    throw new FormatError(
      file,
      undefined,
      'holds no hierarchy',
      'Expected a header and lines "child,parent", or the name and its ancestors from the farthest to the nearest.',
    );
  const titles = header.map((title) => title.trim().toLowerCase());
  const paths = titles.includes('parent') ? fromEdges(file, titles, rows) : fromRanks(file, titles, rows);
  return fromPaths(paths);
}

/** The nodes that a category lies below, from the farthest to the nearest, then itself. */
type Paths = ReadonlyMap<string, readonly string[]>;

function fromRanks(file: string, titles: readonly string[], rows: readonly (readonly string[])[]): Paths {
  const named = titles.findIndex((title) => ['name', 'category', 'species'].includes(title));
  const key = Math.max(0, named);
  const paths = new Map<string, string[]>();
  for (const row of rows) {
    const name = row[key].trim();
    if (name === '') throw new FormatError(file, undefined, 'a line has no name');
    if (paths.has(name)) throw new FormatError(file, undefined, `"${name}" is there a second time`);
    const ancestors = row.filter((_, j) => j !== key).map((field) => field.trim());
    // A rank that is not known leaves its place to the next one.
    const path = ancestors.filter(Boolean);
    // Nodes of equal name in other branches are other nodes.
    const nodes = path.map((_, depth) => path.slice(0, depth + 1).join(' > '));
    paths.set(name, [...nodes, `= ${name}`]);
  }
  return paths;
}

/** Every node is a category too: a genus may be what is asked for. */
function fromEdges(file: string, titles: readonly string[], rows: readonly (readonly string[])[]): Paths {
  const [child, parent] = [titles.includes('child') ? titles.indexOf('child') : 0, titles.indexOf('parent')];
  const parents = new Map<string, string>();
  for (const row of rows) {
    const [name, above] = [row[child].trim(), row[parent].trim()];
    if (parents.has(name) && parents.get(name) !== above)
      throw new FormatError(file, undefined, `"${name}" has two parents, "${parents.get(name)}" and "${above}"`);
    if (above !== '') parents.set(name, above);
  }
  const paths = new Map<string, string[]>();
  for (const name of new Set([...parents.keys(), ...parents.values()])) {
    const path = [name];
    for (let above = parents.get(name); above !== undefined; above = parents.get(above)) {
      if (path.includes(above)) throw new FormatError(file, undefined, `"${above}" is its own ancestor`);
      path.unshift(above);
    }
    paths.set(name, path);
  }
  return paths;
}

function fromPaths(paths: Paths): NamedVectors {
  const names = [...paths.keys()];
  const chains = names.map((name) => paths.get(name)!);
  const inner = new Set(chains.flatMap((chain) => chain.slice(0, -1)));
  const leaves = chains.filter((chain) => !inner.has(chain.at(-1)!));
  const below = new Map<string, number>();
  for (const chain of leaves) for (const node of chain) below.set(node, (below.get(node) ?? 0) + 1);
  const columns = new Map([...below.keys()].map((node, j) => [node, j]));
  const information = (node: string) => Math.log(leaves.length / below.get(node)!);
  const vectors = Matrix.zeros(names.length, columns.size, 'float32');
  for (const [i, chain] of chains.entries()) {
    let above = 0;
    for (const node of chain) {
      const here = Math.max(above, information(node));
      vectors.set(i, columns.get(node)!, Math.sqrt(here - above));
      above = here;
    }
  }
  return { names, vectors };
}
