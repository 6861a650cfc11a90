/** The vectors of all names of one kind: a block of the semantic matrix. */
import type { CategoryName, NamedVectors, NameReport } from '../../language/index.js';
import { readTaxonomy, readVectorTable, vectorsOfNames } from '../../language/index.js';
import type { Matrix } from '../../linalg/index.js';
import type { Block } from '../../problem/index.js';
import { inMegabytes } from '../../progress.js';
import { embedNames, findModel, getModel } from '../../vision/index.js';
import type { StageContext } from '../stage.js';
import type { SemanticKind } from './kinds.js';
import { wordVectors } from './words.js';

export interface SemanticBlock {
  readonly block: Block;
  /** Zeros for a name without a vector. */
  readonly vectors: Matrix<Float32Array>;
  /** Which words each vector was made from, and which names have none. */
  readonly report: {
    readonly kind: string;
    readonly absent: readonly string[];
    readonly words?: readonly NameReport[];
  };
}

export async function semanticBlock(
  kind: SemanticKind,
  names: readonly CategoryName[],
  context: StageContext,
): Promise<SemanticBlock> {
  if (kind.kind === 'words') {
    const { vectors, reports } = await wordVectors(names, context);
    const absent = reports.filter((report) => report.absent).map(({ name }) => name);
    return described('words', vectors, { kind: 'words', absent, words: reports });
  }
  if (kind.kind === 'text') return textBlock(kind, names, context);
  const file = context.workspace.path(kind.file);
  const table = kind.kind === 'taxonomy' ? await readTaxonomy(file) : await readVectorTable(file, kind);
  const { vectors, absent } = vectorsOfNames(table, names);
  if (absent.length > 0)
    context.note(
      `${absent.length} of ${names.length} names are not in ${kind.file}, which then says nothing of them: ${listed(absent)}`,
    );
  return described(kind.kind, vectors, { kind: kind.kind, absent }, table.space);
}

async function textBlock(
  { model, templates, aliases }: Extract<SemanticKind, { kind: 'text' }>,
  names: readonly CategoryName[],
  { signal, note, onProgress }: StageContext,
): Promise<SemanticBlock> {
  const entry = await findModel(model);
  const fetch = {
    signal,
    onNote: note,
    onProgress: (progress: Parameters<typeof inMegabytes>[0]) =>
      onProgress({ ...inMegabytes(progress), stage: `fetch ${entry.name}` }),
  };
  const texts = names.map(({ name, aliases: others }) => (aliases ? [name, ...others] : [name]));
  const vectors = await embedNames(texts, await getModel(entry, fetch), {
    ...fetch,
    templates,
    onName: (progress) => onProgress({ ...progress, stage: 'names' }),
  });
  return described('text', vectors, { kind: 'text', absent: [] }, entry.space);
}

function described(
  name: string,
  vectors: NamedVectors['vectors'],
  report: SemanticBlock['report'],
  space?: string,
): SemanticBlock {
  return { block: { name, width: vectors.cols, ...(space && { space }) }, vectors, report };
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}`;
}
