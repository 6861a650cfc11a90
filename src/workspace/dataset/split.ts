/** Which categories of a data set are test categories: a text file with `[test]` and, if need be, `[auxiliary]` names. */
import { readFile } from 'node:fs/promises';
import { DatasetError } from './layouts.js';

export interface Split {
  test: readonly string[];
  auxiliary: readonly string[];
}

export async function readSplit(file: string, categories: readonly string[]): Promise<Split> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new DatasetError(`the split ${file} cannot be read: ${error.message}`);
  });
  const known = new Map(categories.map((name) => [plain(name), name]));
  const sections: Record<string, Set<string>> = { test: new Set(), auxiliary: new Set() };
  let section = 'test';
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim();
    if (words === '' || words.startsWith('#')) continue;
    const heading = /^\[(.*)\]$/.exec(words)?.[1];
    if (heading !== undefined) {
      if (!Object.hasOwn(sections, heading))
        throw new DatasetError(`${file}, line ${i + 1}: [${heading}] is not known; [test] or [auxiliary] was expected`);
      section = heading;
      continue;
    }
    const name = known.get(plain(words));
    if (name === undefined)
      throw new DatasetError(
        `${file}, line ${i + 1}: "${words}" is none of the ${categories.length} categories of the data set`,
        `They are named like ${categories.slice(0, 3).join(', ')}.`,
      );
    for (const [other, names] of Object.entries(sections))
      if (other !== section && names.has(name))
        throw new DatasetError(`${file}, line ${i + 1}: "${words}" is under [test] and under [auxiliary]`);
    sections[section].add(name);
  }
  const test = categories.filter((name) => sections.test.has(name));
  const auxiliary = categories.filter((name) =>
    sections.auxiliary.size > 0 ? sections.auxiliary.has(name) : !sections.test.has(name),
  );
  if (test.length < 2 || auxiliary.length < 2)
    throw new DatasetError(
      `${file} makes ${test.length} test and ${auxiliary.length} auxiliary categories; at least two of each are needed`,
    );
  return { test, auxiliary };
}

/** Numbers, underscores, slashes and case make no difference. */
function plain(name: string): string {
  return name
    .replace(/^(\d+\.|n\d+-)/, '')
    .replace(/^[a-z]\//, '')
    .replace(/[_/\s]+/g, ' ')
    .trim()
    .toLowerCase();
}
