/**
 * Texts as the numbers of their pieces. A `tokenizer.json` is read as its publisher writes it, byte pairs (CLIP, BioCLIP),
 * SentencePiece unigrams (SigLIP) or any other, by the publisher's own library. For CLIP's list of merges there is
 * byte-pair encoding as CLIP's text tower expects it: text is lower-cased and split into words, a word's bytes are shown
 * as printable characters, and the pair of pieces with the earliest merge is joined until none is left (Sennrich et al.
 * 2016; Radford et al. 2021). The last piece of a word carries `</w>`.
 */
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { Tokenizer as JsonModel } from '@huggingface/tokenizers';
import { FormatError } from '../errors.js';

const start = '<|startoftext|>';
const end = '<|endoftext|>';
const wordEnd = '</w>';
const words = /<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+/giu;

export interface Tokenizer {
  /** Token numbers of a text, without markers. */
  encode(text: string): number[];
  /** Exactly `length` tokens, markers included: cut where the text is too long, filled up where it is short. */
  encodeFixed(text: string, length: number): FixedTokens;
}

export interface FixedTokens {
  readonly tokens: number[];
  /** How many of them are the text and its markers; the others fill up. */
  readonly used: number;
}

export class BpeTokenizer implements Tokenizer {
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
  encodeFixed(text: string, length: number): FixedTokens {
    return filledUp([this.startToken, ...this.encode(text).slice(0, length - 2), this.endToken], length, this.endToken);
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

/** What a `tokenizer.json` describes. Where it does not say what to fill up with, that is its last marker, or 0. */
class JsonTokenizer implements Tokenizer {
  private readonly model: JsonModel;
  private readonly padding: number | undefined;

  constructor(json: TokenizerJson) {
    this.model = new JsonModel(json, {});
    this.padding = json.padding?.pad_id;
  }

  encode(text: string): number[] {
    return this.model.encode(text, { add_special_tokens: false }).ids;
  }

  encodeFixed(text: string, length: number): FixedTokens {
    const body = this.encode(text);
    const whole = this.model.encode(text).ids;
    const markers = whole.length - body.length;
    const before = Math.max(
      0,
      Array.from({ length: markers + 1 }, (_, at) => at).findIndex((at) => body.every((id, i) => whole[at + i] === id)),
    );
    const after = whole.slice(before + body.length);
    const room = Math.max(0, length - markers);
    const tokens = [...whole.slice(0, before), ...body.slice(0, room), ...after].slice(0, length);
    return filledUp(tokens, length, this.padding ?? after.at(-1) ?? 0);
  }
}

function filledUp(tokens: number[], length: number, padding: number): FixedTokens {
  const used = tokens.length;
  while (tokens.length < length) tokens.push(padding);
  return { tokens, used };
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
export async function readTokenizer(file: string): Promise<Tokenizer> {
  const bytes = await readFile(file);
  const text = (
    bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: 2 ** 26 }) : bytes
  ).toString();
  return text.trimStart().startsWith('{') ? fromJson(text, file) : fromMerges(text, file);
}

interface TokenizerJson {
  model?: { type?: string; vocab?: unknown; merges?: (string | [string, string])[] };
  added_tokens?: { id: number; content: string }[];
  normalizer?: unknown;
  pre_tokenizer?: unknown;
  post_processor?: unknown;
  decoder?: unknown;
  padding?: { pad_id?: number } | null;
}

function fromJson(text: string, file: string): Tokenizer {
  let json: TokenizerJson;
  try {
    json = JSON.parse(text) as TokenizerJson;
  } catch (error) {
    throw new FormatError(file, undefined, `is not JSON: ${(error as Error).message}`);
  }
  const { model, added_tokens: added = [] } = json;
  if (typeof model?.vocab !== 'object' || model.vocab === null)
    throw new FormatError(file, undefined, 'holds no vocabulary ("model.vocab")');
  // Bare pairs without a word on how texts are prepared are CLIP's.
  if (!json.normalizer && !json.pre_tokenizer && !json.post_processor && Array.isArray(model.merges)) {
    const vocabulary = new Map(Object.entries(model.vocab as Record<string, number>));
    for (const { id, content } of added) vocabulary.set(content, id);
    const merges = model.merges.map((merge) => (typeof merge === 'string' ? pair(merge) : merge));
    return new BpeTokenizer(vocabulary, merges, file);
  }
  try {
    // Parts that a file leaves out are none; nothing is ever decoded.
    const none = { normalizer: null, pre_tokenizer: null, post_processor: null };
    const tokenizer = new JsonTokenizer({ ...none, ...json, decoder: null, added_tokens: added });
    tokenizer.encodeFixed('a', 8);
    return tokenizer;
  } catch (error) {
    throw new FormatError(
      file,
      undefined,
      `describes a tokenizer that cannot be used: ${(error as Error).message}`,
      'Give the tokenizer.json that was published with the text tower.',
    );
  }
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
