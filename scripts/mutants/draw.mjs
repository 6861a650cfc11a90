// The mutants of a folder: every small change that Stryker's instrumenter knows, less those of wording, and a draw among
// them by seed. A mutant's name stays the same when other lines of its file change, so a draw hardly moves with the code.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { wordingOf } from './wording.mjs';

const quiet = { debug() {}, info() {}, warn: console.error, isDebugEnabled: () => false };
const hash = (text) => createHash('sha256').update(text).digest('hex');

const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false };

/** Stryker's instrumented text of files, and the mutants that were placed; `mutate` says where (see Stryker). */
export function instrument(files) {
  return new Instrumenter(quiet).instrument(files, options);
}

/** Place of a position of Stryker (line and column from 0) in a text. */
function offsetOf(lineStarts, { line, column }) {
  return lineStarts[line] + column;
}

/** Every mutant of the files, in the order of the text. */
export async function allMutants(root, paths) {
  const files = paths.map((name) => ({ name, content: readFileSync(join(root, name), 'utf8'), mutate: true }));
  const contents = new Map(files.map(({ name, content }) => [name, content]));
  const lineStarts = new Map(
    files.map(({ name, content }) => [name, [0, ...[...content.matchAll(/\n/g)].map(({ index }) => index + 1)]]),
  );
  const wording = new Map(files.map(({ name, content }) => [name, wordingOf(content)]));
  const { mutants } = await instrument(files);
  const seen = new Map();
  return mutants
    .map((mutant) => {
      const starts = lineStarts.get(mutant.fileName);
      const { start, end } = mutant.location;
      return { ...mutant, start: offsetOf(starts, start), end: offsetOf(starts, end) };
    })
    .filter(({ fileName, start, end }) => !wording.get(fileName)(start, end))
    .map(({ fileName, location, start, end, mutatorName, replacement }) => {
      const content = contents.get(fileName);
      const original = content.slice(start, end);
      const change = [fileName, mutatorName, original, replacement].join('\0');
      const earlier = seen.get(change) ?? 0;
      seen.set(change, earlier + 1);
      return {
        name: hash(`${change}\0${earlier}`).slice(0, 16),
        file: fileName,
        text: content,
        source: hash(content).slice(0, 16),
        mutator: mutatorName,
        line: location.start.line + 1,
        location,
        start,
        end,
        original,
        replacement,
        occurrence: earlier + 1,
      };
    });
}

/** `count` of the mutants, by seed. */
export function draw(mutants, count, seed) {
  return mutants
    .map((mutant) => ({ mutant, rank: hash(`${seed} ${mutant.name}`) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}
