/** A workspace written by hand, anew for every test, and what tests of the server's parts put into it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { Library } from '../../src/studio/library.js';

/** Of the test that runs. */
export let folder: string;

/** To be called once by every file of tests. */
export function useFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bowerbird-studio-'));
    write('bowerbird.yaml', 'categories: [wren, finch]\nauxiliary: aux\ntest: test\n');
  });
  // Small versions are kept in the background, which goes on while this one waits.
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
}

export const path = (...parts: string[]) => join(folder, ...parts);
export function write(name: string, content: string | Uint8Array) {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), content);
}

export const listing = [
  {
    id: 'w1',
    path: 'pictures/1.jpg',
    category: 'finch',
    source: 'flickr',
    title: '  a \n finch ',
    pageUrl: 'https://x/1',
  },
  {
    id: 'w2',
    path: 'pictures/2.jpg',
    category: 'wren',
    source: 'urls',
    title: 't'.repeat(161),
    pageUrl: 'javascript:x',
  },
  { id: 'w3', path: 'pictures/3.jpg', category: 'jay', source: 'flickr', licence: 'CC0', tags: ['é'] },
];
export const writeListing = () =>
  write('.bowerbird/pictures.jsonl', listing.map((one) => `${JSON.stringify(one)}\n`).join(''));

/** A library whose fit is made up: what it holds besides comes from the files. */
export function libraryWith(fit: object | undefined): Library {
  const library = new Library(folder);
  vi.spyOn(library, 'fit').mockResolvedValue(fit as never);
  return library;
}
export const answer = (name: string, confidence?: number, more: object = {}) => ({
  name,
  confidence,
  margin: 1,
  runnerUp: 'wren',
  ...more,
});
