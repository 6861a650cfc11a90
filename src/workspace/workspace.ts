/** An opened workspace: its configuration, and where everything in it lies. */
import { resolve } from 'node:path';
import type { Configuration } from './configuration.js';
import { Fingerprints } from './fingerprint.js';
import { readConfiguration } from './read-configuration.js';

export interface Workspace {
  /** Absolute path. */
  readonly folder: string;
  readonly configuration: Configuration;
  readonly fingerprints: Fingerprints;
  /** Absolute path of something inside the workspace. */
  path(...parts: string[]): string;
}

/**
 * @example
 * const workspace = await openWorkspace('birds');
 * await runWorkspace(workspace);
 * @throws ConfigurationError when bowerbird.yaml is absent or wrong
 */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = resolve(folder);
  const path = (...parts: string[]) => resolve(root, ...parts);
  return {
    folder: root,
    configuration: await readConfiguration(folder),
    fingerprints: new Fingerprints(path(layout.hashes)),
    path,
  };
}

/** Files and folders of a workspace, relative to it. */
export const layout = {
  state: '.bowerbird/stages.json',
  /** Content of files, remembered. */
  hashes: '.bowerbird/hashes.json',
  /** For editors. */
  schema: '.bowerbird/bowerbird.schema.json',
  /** A folder with a claim of whoever is at work. */
  lock: '.bowerbird/locks',
  progress: '.bowerbird/progress.json',
  /** What a person decided about web pictures. */
  decisions: '.bowerbird/decisions.jsonl',
  /** What the crawl and the removal of duplicates ended with, a picture a line. */
  crawled: '.bowerbird/crawled.jsonl',
  pictures: '.bowerbird/pictures.jsonl',
  /** Which picture was removed as the duplicate of which. */
  merges: '.bowerbird/merges.jsonl',
  features: 'features',
  words: 'words/semantics.npz',
  wordReport: 'words/names.json',
  text: 'text/web_text.npz',
  vocabulary: 'text/vocabulary.txt',
  problem: 'problem.npz',
  rows: 'problem-pictures.json',
  tune: 'tune',
  chosen: 'tune/chosen.json',
  run: 'run',
  compare: 'compare',
  report: 'report.html',
} as const;
