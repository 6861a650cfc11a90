/**
 * Byte-pair encoding as CLIP's text tower expects it: text is lower-cased and split into words, a word's bytes are shown
 * as printable characters, and the pair of pieces with the earliest merge is joined until none is left (Sennrich et al.
 * 2016; Radford et al. 2021). The last piece of a word carries `</w>`.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { FormatError } from '../errors.js';

const start = '<|startoftext|>';
const end = '<|endoftext|>';
const wordEnd = '</w>';
const words = /<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu;

export class BpeTokenizer {
  private readonly vocabulary: ReadonlyMap<string, number>;
  private readonly ranks: ReadonlyMap<string, number>;
  private readonly known = new Map<string, readonly number[]>();
  private readonly unknown: number;
  readonly startToken: number;
  readonly endToken: number;

  /** `merges` are pairs of pieces, earliest first. */
  constructor(
    vocabulary: ReadonlyMap<string, number>,
    merges: readonly (readonly [string, string])[],
    file = 'vocabulary',
  ) {
    this.vocabulary = vocabulary;
    this.ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
    const special = (token: string) => {
      const id = vocabulary.get(token);
      if (id === undefined) throw new FormatError(file, undefined, `the vocabulary has no "${token}"`);
      return id;
    };
    this.startToken = special(start);
    this.endToken = special(end);
    this.unknown = this.endToken;
  }

  /** Token numbers of a text, without the markers of start and end. */
  encode(text: string): number[] {
    const clean = text.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase();
    return [...clean.matchAll(words)].flatMap(([word]) => this.word(word));
  }

  /**
   * Exactly `length` tokens: start, text (cut where it is too long), end, and further ends to fill up. The end that
   * counts is the first one.
   */
  encodeFixed(text: string, length: number): number[] {
    const tokens = [this.startToken, ...this.encode(text).slice(0, length - 2), this.endToken];
    while (tokens.length < length) tokens.push(this.endToken);
    return tokens;
  }

  private word(word: string): readonly number[] {
    let tokens = this.known.get(word);
    if (!tokens) {
      tokens =
        word === start || word === end
          ? [this.vocabulary.get(word)!]
          : this.join(word).map((piece) => this.vocabulary.get(piece) ?? this.unknown);
      this.known.set(word, tokens);
    }
    return tokens;
  }

  private join(word: string): string[] {
    const pieces = [...new TextEncoder().encode(word)].map((byte) => printable[byte]);
    pieces[pieces.length - 1] += wordEnd;
    for (;;) {
      let best = -1;
      let bestRank = Number.POSITIVE_INFINITY;
      for (let i = 0; i + 1 < pieces.length; i++) {
        const rank = this.ranks.get(`${pieces[i]} ${pieces[i + 1]}`);
        if (rank !== undefined && rank < bestRank) [best, bestRank] = [i, rank];
      }
      if (best < 0) return pieces;
      const [left, right] = pieces.slice(best, best + 2);
      for (let i = best; i + 1 < pieces.length; i++)
        if (pieces[i] === left && pieces[i + 1] === right) pieces.splice(i, 2, left + right);
    }
  }
}

/** Bytes as characters: those that print stand for themselves, the others get characters from 256 on. */
const printable: readonly string[] = (() => {
  const prints = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(prints(byte) ? byte : next++));
})();

/**
 * Reads a vocabulary: a `tokenizer.json`, or CLIP's list of merges (one pair a line after a heading, plain or gzipped),
 * from which the vocabulary follows: bytes that print, the other bytes, all of these ending a word, the merged pieces,
 * start, end.
 */
export async function readTokenizer(file: string): Promise<BpeTokenizer> {
  const bytes = await readFile(file);
  const text = (
    bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: 2 ** 26 }) : bytes
  ).toString();
  return text.trimStart().startsWith('{') ? fromJson(text, file) : fromMerges(text, file);
}

function fromJson(text: string, file: string): BpeTokenizer {
  let model: { vocab?: Record<string, number>; merges?: (string | [string, string])[] } | undefined;
  let added: { id: number; content: string }[] = [];
  try {
    const json = JSON.parse(text) as { model?: typeof model; added_tokens?: typeof added };
    model = json.model;
    added = json.added_tokens ?? [];
  } catch (error) {
    throw new FormatError(file, undefined, `is not JSON: ${(error as Error).message}`);
  }
  if (!model?.vocab || !Array.isArray(model.merges))
    throw new FormatError(file, undefined, 'holds no byte-pair encoding ("model.vocab" and "model.merges")');
  const vocabulary = new Map(Object.entries(model.vocab));
  for (const { id, content } of added) vocabulary.set(content, id);
  const merges = model.merges.map((merge) => (typeof merge === 'string' ? pair(merge) : merge));
  return new BpeTokenizer(vocabulary, merges, file);
}

/** CLIP's file lists more merges than its vocabulary of 49,408 has room for. */
const clipMerges = 49152 - 256 - 2;

function fromMerges(text: string, file: string): BpeTokenizer {
  const lines = text.split(/\r?\n/).filter(Boolean);
  const first = lines[0]?.includes('#version') ? 1 : 0;
  const merges = lines.slice(first, first + clipMerges).map(pair);
  const broken = merges.findIndex(([, right]) => right === '');
  if (merges.length === 0 || broken >= 0)
    throw new FormatError(
      file,
      undefined,
      merges.length === 0 ? 'holds no merges' : `line ${broken + first + 1} is not a pair of pieces`,
      "Give CLIP's bpe_simple_vocab_16e6.txt.gz or a tokenizer.json.",
    );
  const pieces = printableFirst();
  const all = [...pieces, ...pieces.map((piece) => piece + wordEnd), ...merges.map(([a, b]) => a + b), start, end];
  return new BpeTokenizer(new Map(all.map((piece, id) => [piece, id])), merges, file);
}

function printableFirst(): string[] {
  const own = printable.filter((character) => character.codePointAt(0)! < 256);
  return [...own, ...printable.filter((character) => character.codePointAt(0)! >= 256)];
}

/** A merge as it is written in files; anything but two pieces gives an empty second one. */
function pair(line: string): [string, string] {
  const pieces = line.split(' ');
  return [pieces[0], pieces.length === 2 ? pieces[1] : ''];
}
