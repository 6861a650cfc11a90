/** Folders of the workspace that the crawl writes to and tidies up: real ones, so that no link leads it elsewhere. */
import { lstatSync, mkdirSync } from 'node:fs';
import { FileError } from '../errors.js';
import { fileError } from '../formats/index.js';

/** Makes the folder where it is missing. @throws FileError where a link or a file is in its place */
export function ownFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw fileError(path, error, 'written');
  }
  if (lstatSync(path).isSymbolicLink())
    throw new FileError(path, 'is a link, which the crawl does not follow', {
      hint: 'Put a folder in its place. To have the pictures on another disk, move the whole workspace there.',
    });
  return path;
}
