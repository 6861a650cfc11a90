/**
 * A corpus as numbers on disk: read once, tokenized and counted while provisional word numbers are spooled, then
 * rewritten with the final ones. Training then streams 4 bytes a word instead of parsing text in every epoch.
 */
import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError, InterruptedError } from '../../errors.js';
import { fileError, renameOver, writeFileAtomic } from '../../formats/index.js';
import { inMegabytes, type Progress } from '../../progress.js';
import { type TokenizeOptions, tokenize } from '../../text/index.js';
import { type CorpusFormat, readCorpus } from '../corpus/corpus.js';
import { type Vocabulary, WordCounter } from './vocabulary.js';

export interface EncodedCorpus {
  readonly vocabulary: Vocabulary;
  /** 32-bit word numbers; −1 ends a paragraph. */
  readonly tokensPath: string;
  /** Numbers in the file, those of paragraph ends included. */
  readonly length: number;
  /** Words in the file. */
  readonly words: number;
  /** Changes with the corpus files and the options they were read with. */
  readonly identity: string;
}

export interface EncodeOptions extends TokenizeOptions {
  format?: CorpusFormat;
  /** Rarer words are left out, as if they were not in the text. @default 5 */
  minCount?: number;
  /** Only this many of the most frequent words. @default all */
  maxWords?: number;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

const END_OF_PARAGRAPH = 0xffffffff;
const spoolLength = 1 << 18;

/**
 * Encodes corpus files into `folder`; where the same files were encoded there before with the same options, only reads
 * that again.
 */
export async function encodeCorpus(
  paths: readonly string[],
  folder: string,
  options: EncodeOptions = {},
): Promise<EncodedCorpus> {
  const identity = corpusIdentity(paths, options);
  const before = await reopen(folder, identity);
  if (before) return before;
  const counter = new WordCounter();
  const spool = join(folder, 'tokens.first');
  const tokensPath = join(folder, 'tokens');
  const part = `${tokensPath}.part`;
  try {
    await countWords(paths, spool, counter, options);
    const { vocabulary, numbers } = counter.choose(options.minCount ?? 5, options.maxWords);
    const { length, words } = renumber(spool, part, numbers, options.signal);
    await renameOver(part, tokensPath);
    return await describeCorpus(folder, { vocabulary, tokensPath, length, words, identity });
  } finally {
    // As large as the corpus, and of no use to another attempt.
    for (const path of [spool, part]) await rm(path, { force: true });
  }
}

/** Beside the numbers: their words, and what they were made of. Without corpus.json there is no encoded corpus. */
async function describeCorpus(folder: string, corpus: EncodedCorpus): Promise<EncodedCorpus> {
  const { vocabulary, length, words, identity } = corpus;
  const lines = vocabulary.words.map((word, i) => `${word}\t${vocabulary.counts[i]}\n`);
  await writeFileAtomic(join(folder, 'vocabulary.tsv'), lines.join(''));
  await writeFileAtomic(join(folder, 'corpus.json'), JSON.stringify({ identity, length, words }));
  return corpus;
}

/** What decides the encoding: the files (size and time of change) and the options. */
function corpusIdentity(paths: readonly string[], options: EncodeOptions): string {
  const files = paths.map((path) => {
    try {
      const { size, mtimeMs } = statSync(path);
      return [path, size, mtimeMs];
    } catch (error) {
      throw fileError(path, error, 'opened');
    }
  });
  const { format, minCount = 5, maxWords, lowercase, hyphens } = options;
  return JSON.stringify({ files, format, minCount, maxWords, lowercase, hyphens });
}

async function reopen(folder: string, identity: string): Promise<EncodedCorpus | undefined> {
  try {
    const stored = JSON.parse(await readFile(join(folder, 'corpus.json'), 'utf8'));
    if (stored.identity !== identity) return undefined;
    const lines = (await readFile(join(folder, 'vocabulary.tsv'), 'utf8')).trimEnd().split('\n');
    const entries = lines.map((line) => line.split('\t'));
    const vocabulary = {
      words: entries.map(([word]) => word),
      counts: Float64Array.from(entries, ([, count]) => Number(count)),
    };
    const tokensPath = join(folder, 'tokens');
    if (statSync(tokensPath).size !== stored.length * 4) return undefined;
    return { vocabulary, tokensPath, length: stored.length, words: stored.words, identity };
  } catch {
    return undefined;
  }
}

async function countWords(
  paths: readonly string[],
  spoolPath: string,
  counter: WordCounter,
  options: EncodeOptions,
): Promise<void> {
  const sizes = paths.map((path) => statSync(path).size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const spool = new Uint32Array(spoolLength);
  let filled = 0;
  let words = 0;
  const file = openSync(spoolPath, 'w');
  const flush = () => {
    writeAll(file, spool.subarray(0, filled), spoolPath);
    filled = 0;
  };
  try {
    for (const [i, path] of paths.entries()) {
      const before = sizes.slice(0, i).reduce((sum, size) => sum + size, 0);
      const onProgress = ({ done }: Progress) =>
        options.onProgress?.({
          ...inMegabytes({ done: before + done, total }),
          stage: 'read corpus',
          detail: `${words} words`,
        });
      const { signal, format } = options;
      for await (const paragraph of readCorpus(path, { signal, format, onProgress })) {
        const tokens = tokenize(paragraph, options);
        if (tokens.length === 0) continue;
        for (const token of tokens) {
          if (filled === spoolLength) flush();
          spool[filled++] = counter.add(token);
        }
        if (filled === spoolLength) flush();
        spool[filled++] = END_OF_PARAGRAPH;
        words += tokens.length;
      }
    }
    flush();
  } finally {
    closeSync(file);
  }
  if (words === 0) throw new FormatError(paths.join(', '), undefined, 'the corpus holds no words');
}

/** Copies the spool with final numbers; words without one and empty paragraphs are left out. */
function renumber(from: string, to: string, numbers: Int32Array, signal?: AbortSignal) {
  const source = openSync(from, 'r');
  const target = openSync(to, 'w');
  const piece = new Uint32Array(spoolLength);
  const bytes = new Uint8Array(piece.buffer);
  const kept = new Int32Array(spoolLength);
  let length = 0;
  let words = 0;
  let last = -1;
  try {
    for (let position = 0; ; ) {
      if (signal?.aborted) throw new InterruptedError('encoding the corpus was interrupted');
      const read = readSync(source, bytes, 0, bytes.length, position);
      if (read === 0) break;
      position += read;
      let filled = 0;
      for (let i = 0; i < read / 4; i++) {
        const end = piece[i] === END_OF_PARAGRAPH;
        const number = end ? -1 : numbers[piece[i]];
        if (end ? last < 0 : number < 0) continue;
        kept[filled++] = number;
        last = number;
        if (!end) words++;
      }
      writeAll(target, kept.subarray(0, filled), to);
      length += filled;
    }
  } finally {
    closeSync(source);
    closeSync(target);
  }
  return { length, words };
}

function writeAll(file: number, data: Uint32Array | Int32Array, path: string): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    throw fileError(path, error, 'written');
  }
}
