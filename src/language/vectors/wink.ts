/**
 * The vectors of a `wink-embeddings-*` package: one JSON object with `dimensions`, and under `vectors` for each word its
 * numbers followed by their norm and the word's index. Scanned as a stream; the text is 307 MB.
 */
import { FormatError } from '../../errors.js';
import type { WordVectorEntry } from '../../formats/index.js';
import { JsonScanner } from './json-scan.js';

/** Words with their vectors, in the order of the file. */
export async function* winkEntries(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  expectedDim: number,
): AsyncGenerator<WordVectorEntry> {
  const found: WordVectorEntry[] = [];
  let depth = 0;
  let section = '';
  let word = '';
  let values = new Float32Array(expectedDim);
  let filled = 0;
  const scanner = new JsonScanner(
    {
      open() {
        depth++;
        filled = 0;
      },
      close() {
        if (depth === 3 && section === 'vectors') {
          if (filled < expectedDim)
            throw new FormatError(file, undefined, `"${word}" has ${filled} numbers, expected ${expectedDim}`);
          found.push({ word, values });
          values = new Float32Array(expectedDim);
        }
        depth--;
      },
      key(name) {
        if (depth === 1) section = name;
        else if (depth === 2) word = name;
      },
      number(value) {
        if (depth === 3 && section === 'vectors') {
          if (filled < expectedDim) values[filled] = value;
          filled++;
        } else if (depth === 1 && section === 'dimensions' && value !== expectedDim)
          throw new FormatError(file, undefined, `vectors of dimension ${value}, expected ${expectedDim}`);
      },
      other() {},
    },
    file,
  );
  for await (const piece of pieces) {
    scanner.write(piece);
    yield* found;
    found.length = 0;
  }
  scanner.end();
}
