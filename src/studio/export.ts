/** What can be taken away: the report, the classifier in several formats, and who made the pictures. */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../errors.js';
import {
  type ExportFormat,
  exportClassifier,
  exportFormats,
  layout,
  openClassifier,
  type Workspace,
  workIsOn,
  workspaceStatus,
} from '../workspace/index.js';
import type { ExportView } from './api.js';
import { confined } from './confinement.js';
import type { Library } from './library.js';

const folder = 'export';

const descriptions: Record<ExportFormat, string> = {
  onnx: 'features in, scores and confidences out',
  'onnx-pixels': 'the network and the classifier in one file: pixels in, scores out',
  safetensors: 'the matrices of the classifier',
  problem: 'features, labels and word vectors, for bowerbird fit and compare',
  xlsa17: 'the MATLAB pair of the zero-shot benchmarks, with the web pictures beside it',
};

export async function exportView(library: Library): Promise<ExportView> {
  const workspace = await library.workspace();
  const ready = await openClassifier(workspace).then(
    () => true,
    () => false,
  );
  const names = await readdir(workspace.path(folder)).catch((): string[] => []);
  const files = await Promise.all(
    names
      .filter((name) => !name.startsWith('.') && !name.endsWith('.part'))
      .sort()
      .map(async (name) => ({ name, found: await stat(workspace.path(folder, name)) })),
  );
  return {
    ready,
    stale: await staleParts(workspace),
    report: existsSync(workspace.path(layout.report)),
    formats: exportFormats.map((name) => ({ name, description: descriptions[name] })),
    files: files.filter(({ found }) => found.isFile()).map(({ name, found }) => ({ name, bytes: found.size })),
  };
}

/** Nothing is called stale while a run is at work on it. */
async function staleParts(workspace: Workspace): Promise<ExportView['stale']> {
  if (await workIsOn(workspace)) return {};
  const status = await workspaceStatus(workspace);
  // What lies behind says why; what needs it only that something comes first.
  const cause = status.find(({ state }) => state === 'stale' || state === 'failed');
  const why = (name: string) =>
    status.find(({ stage }) => stage === name)?.state === 'stale' ? `${cause!.stage}: ${cause!.reason}` : undefined;
  const [report, classifier] = [why('report'), why('fit')];
  return { ...(report && { report }), ...(classifier && { classifier }) };
}

export async function makeExport(library: Library, formats: unknown): Promise<ExportView> {
  if (!Array.isArray(formats) || formats.some((format) => !(exportFormats as readonly unknown[]).includes(format)))
    throw new ArgumentError('formats must be a list of formats', `Formats are: ${exportFormats.join(', ')}.`);
  if (formats.length === 0) throw new ArgumentError('no format was chosen', 'Tick at least one.');
  const workspace = await library.workspace();
  await exportClassifier(workspace, workspace.path(folder), formats as ExportFormat[]);
  return exportView(library);
}

/** A file of the export folder; undefined for anything that is not right in it. */
export async function exportedFile(library: Library, name: string): Promise<string | undefined> {
  const workspace = await library.workspace();
  const names = await readdir(workspace.path(folder)).catch((): string[] => []);
  if (!names.includes(name)) return undefined;
  return confined(join(workspace.path(folder), name), [workspace.path(folder)]);
}

export async function reportPage(library: Library): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const workspace = await library.workspace();
  const file = await confined(workspace.path(layout.report), [workspace.folder]);
  return file === undefined ? undefined : readFile(file);
}
