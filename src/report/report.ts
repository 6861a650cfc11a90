/** The report: one self-contained HTML file made of results folders, readable without scripts or a network. */
import { basename, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { writeFileAtomic } from '../formats/index.js';
import { type Backend, createBackend } from '../linalg/index.js';
import type { Progress } from '../progress.js';
import { comparison } from './comparison.js';
import { experiment } from './experiment.js';
import { fitResults } from './fit.js';
import { html } from './html.js';
import { page, type Section } from './page.js';
import type { PictureProvider } from './pictures.js';
import { provenance } from './provenance.js';
import { type ResultFolder, readFolder } from './read-folder.js';
import { tuning } from './tuning.js';
import type { GalleryOptions } from './weights.js';

export interface ReportOptions {
  /** Folders written by fit, tune, compare or experiment, in the order in which they shall appear. */
  folders: readonly string[];
  /** @default 'Bowerbird report' */
  title?: string;
  /** The pictures behind the rows of the problem, for the galleries. */
  pictures?: PictureProvider;
  /** Pictures shown from either end of each category's weights. @default 6 */
  perCategory?: number;
  /** Categories in a gallery at most. @default 24 */
  galleryCategories?: number;
  /** Shown as the date of the report. @default now */
  date?: Date;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Called with the file of a picture that cannot be shown; its words are shown without it. */
  onUnreadable?: (file: string) => void;
}

/**
 * @example
 * await writeReport('report.html', { folders: ['tuned', 'table', 'run'], title: 'Birds' });
 * @throws UsageError when a folder holds no finished results
 */
export async function writeReport(path: string, options: ReportOptions): Promise<{ bytes: number }> {
  const text = await renderReport(options);
  await writeFileAtomic(path, text);
  return { bytes: Buffer.byteLength(text) };
}

export async function renderReport(options: ReportOptions): Promise<string> {
  const { folders, title = 'Bowerbird report', date = new Date(), signal, onProgress } = options;
  if (folders.length === 0) throw new UsageError('a report needs at least one results folder');
  const { perCategory = 6, galleryCategories: categories = 24, pictures, onUnreadable } = options;
  const backend = await createBackend({ device: 'wasm', threads: 1 });
  try {
    const sections: Section[] = [];
    for (const [i, path] of folders.entries()) {
      signal?.throwIfAborted();
      onProgress?.({ done: i, total: folders.length, unit: 'folders', detail: path });
      const folder = await readFolder(path);
      sections.push(await sectionOf(backend, folder, i, { pictures, perCategory, categories, onUnreadable, signal }));
    }
    const kinds = sections.map(({ kind }) => kind.toLowerCase());
    return page({
      title,
      subtitle: `${listed(kinds)} · ${date.toISOString().slice(0, 10)}`,
      sections,
      foot: 'Made by Bowerbird. Intervals are 95 % intervals over test pictures: bootstrap in comparisons, Wilson elsewhere. Parameters were chosen without test labels.',
    });
  } finally {
    backend.dispose();
  }
}

async function sectionOf(
  backend: Backend,
  folder: ResultFolder,
  index: number,
  options: GalleryOptions,
): Promise<Section> {
  const { title, kind, lead, content } = await describe(backend, folder, options);
  const id = `section-${index + 1}`;
  return { id, kind, title, lead, content: html`${content}${provenance(folder)}` };
}

async function describe(backend: Backend, folder: ResultFolder, options: GalleryOptions): Promise<Omit<Section, 'id'>> {
  const name = basename(resolve(folder.path));
  switch (folder.kind) {
    case 'compare':
      return {
        kind: 'Comparison',
        title: folder.table.title === 'Comparison' ? `Comparison: ${name}` : folder.table.title,
        lead: about(folder.table.problem),
        content: comparison(folder.table),
      };
    case 'experiment': {
      const { title, description, problem } = folder.result;
      return {
        kind: 'Experiment',
        title,
        lead: [description, about(problem)].filter(Boolean).join(' '),
        content: await experiment(folder.result, folder.path, options),
      };
    }
    case 'tune':
      return {
        kind: 'Search',
        title: `Parameters of ${folder.chosen.method}: ${name}`,
        lead: about(folder.run.configuration as { problem?: string }),
        content: tuning(folder),
      };
    case 'fit': {
      const { method } = folder.run;
      return {
        kind: 'Fit',
        title: `${method}: ${name}`,
        lead: about(folder.run.configuration as { problem?: string }),
        content: await fitResults(backend, folder, options),
      };
    }
  }
}

function about(source: { path?: string; problem?: unknown } | undefined): string | undefined {
  const path = source?.path ?? (typeof source?.problem === 'string' ? source.problem : undefined);
  return path === undefined ? undefined : `On ${basename(path)}.`;
}

function listed(kinds: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const plural: Record<string, string> = { search: 'searches', fit: 'fits' };
  return [...counts].map(([kind, count]) => `${count} ${count === 1 ? kind : (plural[kind] ?? `${kind}s`)}`).join(', ');
}
