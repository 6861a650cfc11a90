import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { BpeTokenizer, readTokenizer } from '../../src/vision/tokenizer.js';
import { temporaryFolder } from '../temporary-folder.js';

/** CLIP's way of writing merges, with five of them. */
const merges = ['#version: 0.2', 'w r', 'e n</w>', 'wr en</w>', 'r e', 'o w</w>'].join('\n');

const folder = temporaryFolder();
let tokenizer: BpeTokenizer;
beforeAll(async () => {
  await writeFile(join(folder, 'merges.txt'), merges);
  tokenizer = (await readTokenizer(join(folder, 'merges.txt'))) as BpeTokenizer;
});

// Ids follow from the format: the 188 bytes that print ("!" is 0), the 68 others, the 256 again as word ends, the merges.
const letter = (character: string) => character.charCodeAt(0) - '!'.charCodeAt(0);
const ending = (character: string) => letter(character) + 256;
const merged = (rank: number) => 512 + rank;

/** As published with CLIP: how texts are prepared, and the vocabulary of the merges above. */
function clipJson() {
  const vocabulary = (tokenizer as unknown as { vocabulary: Map<string, number> }).vocabulary;
  const [start, end] = ['<|startoftext|>', '<|endoftext|>'];
  const pattern = "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+";
  return {
    added_tokens: [start, end].map((content) => ({ id: vocabulary.get(content)!, content, special: true })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFC' },
        { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
        { type: 'Lowercase' },
      ],
    },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: true },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      ],
    },
    post_processor: {
      type: 'RobertaProcessing',
      sep: [end, vocabulary.get(end)],
      cls: [start, vocabulary.get(start)],
      trim_offsets: false,
      add_prefix_space: false,
    },
    model: {
      type: 'BPE',
      unk_token: end,
      continuing_subword_prefix: '',
      end_of_word_suffix: '</w>',
      fuse_unk: false,
      vocab: Object.fromEntries(vocabulary),
      merges: merges.split('\n').slice(1),
    },
  };
}

/** As published with SigLIP: marks are removed, words begin with ▁, the text ends with </s>. */
function unigramJson(vocab: readonly [string, number][]) {
  return {
    added_tokens: ['<pad>', '</s>', '<unk>'].map((content, id) => ({ id, content, special: true })),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Lowercase' },
        { type: 'Replace', pattern: { Regex: '[!\\"\\#\\,\\-\\.]' }, content: '' },
        { type: 'Strip', strip_left: true, strip_right: true },
      ],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
      pair: [],
      special_tokens: { '</s>': { id: '</s>', ids: [1], tokens: ['</s>'] } },
    },
    model: { type: 'Unigram', unk_id: 2, vocab },
  };
}

/** By trying every way to divide each word. */
function likeliestPieces(text: string, vocabulary: readonly [string, number][]): number[] {
  const scores = new Map(vocabulary.map(([piece, score], id) => [piece, { score, id }]));
  const divide = (word: string): { score: number; ids: number[] } | undefined => {
    if (word === '') return { score: 0, ids: [] };
    let best: { score: number; ids: number[] } | undefined;
    for (let end = 1; end <= word.length; end++) {
      const piece = scores.get(word.slice(0, end));
      const rest = piece && divide(word.slice(end));
      if (rest && (!best || piece.score + rest.score > best.score))
        best = { score: piece.score + rest.score, ids: [piece.id, ...rest.ids] };
    }
    return best;
  };
  return text
    .split(' ')
    .filter(Boolean)
    .flatMap((word) => divide(`▁${word}`)!.ids);
}

describe('byte-pair encoding', () => {
  it('joins the earliest pair first, everywhere in the word, until none is left', () => {
    expect(tokenizer.encode('wren')).toEqual([merged(2)]);
    // r e comes after w r, so "wre" is wr + e, not w + re.
    expect(tokenizer.encode('wre')).toEqual([merged(0), ending('e')]);
    expect(tokenizer.encode('rere')).toEqual([merged(3), letter('r'), ending('e')]);
    expect(tokenizer.encode('crow')).toEqual([letter('c'), letter('r'), merged(4)]);
    expect(tokenizer.encode('a')).toEqual([ending('a')]);
  });

  it('lower-cases, ignores extra spaces, and splits words, digits and marks', () => {
    expect(tokenizer.encode('  WREN \n\t Crow ')).toEqual([...tokenizer.encode('wren'), ...tokenizer.encode('crow')]);
    expect(tokenizer.encode('a12!?')).toEqual([ending('a'), ending('1'), ending('2'), letter('!'), ending('?')]);
    expect(tokenizer.encode("clark's")).toEqual([...tokenizer.encode('clark'), letter("'"), ending('s')]);
  });

  it('spells what is not ASCII by its bytes', () => {
    // é is C3 A9 in UTF-8: both print, at 94 + 12 + 0x15 (after ¡…¬ and ®…) and 94 + 8.
    const byte = (value: number) => (value <= 0xac ? 94 + value - 0xa1 : 94 + 12 + value - 0xae);
    expect(tokenizer.encode('é')).toEqual([byte(0xc3), byte(0xa9) + 256]);
    // The same letter in two pieces is the same letter.
    expect(tokenizer.encode('e\u0301')).toEqual(tokenizer.encode('é'));
  });

  it('fills up to a fixed length, marks start and end, and cuts what is too long', () => {
    const [start, end] = [512 + 5, 512 + 6];
    expect([tokenizer.startToken, tokenizer.endToken]).toEqual([start, end]);
    expect(tokenizer.encodeFixed('wren', 6)).toEqual({ tokens: [start, merged(2), end, end, end, end], used: 3 });
    const cut = [start, ending('a'), ending('b'), ending('c'), end];
    expect(tokenizer.encodeFixed('a b c d e', 5)).toEqual({ tokens: cut, used: 5 });
    expect(tokenizer.encode('<|endoftext|>')).toEqual([end]);
  });
});

describe('vocabularies', () => {
  it('may be gzipped', async () => {
    await writeFile(join(folder, 'merges.txt.gz'), gzipSync(merges));
    const zipped = await readTokenizer(join(folder, 'merges.txt.gz'));
    expect(zipped.encode('a wren')).toEqual(tokenizer.encode('a wren'));
  });

  it('may be a tokenizer.json, with merges as texts or pairs', async () => {
    const vocab = { w: 5, r: 6, 'e</w>': 7, wr: 8, 'wre</w>': 9, '<|startoftext|>': 10 };
    const added_tokens = [{ id: 11, content: '<|endoftext|>' }];
    for (const list of [
      ['w r', 'wr e</w>'],
      [
        ['w', 'r'],
        ['wr', 'e</w>'],
      ],
    ]) {
      const file = join(folder, 'tokenizer.json');
      await writeFile(file, JSON.stringify({ added_tokens, model: { type: 'BPE', vocab, merges: list } }));
      expect((await readTokenizer(file)).encodeFixed('WRE', 4).tokens).toEqual([10, 9, 11, 11]);
    }
  });

  it('of a published CLIP tokenizer.json give what its list of merges gives', async () => {
    const file = join(folder, 'clip.json');
    await writeFile(file, JSON.stringify(clipJson()));
    const published = await readTokenizer(file);
    for (const text of ['a photo of a WREN.', "clark's  crow 12", 'é', 'rere wren wren wren wren']) {
      expect(published.encode(text)).toEqual(tokenizer.encode(text));
      for (const length of [4, 9, 20])
        expect(published.encodeFixed(text, length)).toEqual(tokenizer.encodeFixed(text, length));
    }
  });

  it('of unigrams take the likeliest of all ways to divide a text, as SigLIP does', async () => {
    const file = join(folder, 'siglip.json');
    const pieces: [string, number][] = [
      ['<pad>', 0],
      ['</s>', 0],
      ['<unk>', 0],
      ...Object.entries({
        '▁': -3,
        '▁a': -2.1,
        b: -3.3,
        a: -2.9,
        ab: -4.1,
        '▁ab': -5,
        ba: -3.9,
        bb: -4.4,
        '▁wren': -6,
      }),
    ];
    await writeFile(file, JSON.stringify(unigramJson(pieces)));
    const unigram = await readTokenizer(file);
    for (const text of ['ab', 'abba', 'BABAB', 'a, b-ab!', 'wren ab', 'aabbaabb'])
      expect(unigram.encode(text)).toEqual(likeliestPieces(text.toLowerCase().replace(/[^a-z ]/g, ''), pieces));
    const { tokens, used } = unigram.encodeFixed('a b', 8);
    expect(tokens.slice(used - 1)).toEqual(new Array(8 - used + 1).fill(1));
    expect(unigram.encodeFixed('a b a b a b a b', 4).tokens.at(-1)).toBe(1);
  });

  it('that name a part nobody knows are refused', async () => {
    const file = join(folder, 'unknown.json');
    await writeFile(file, JSON.stringify({ ...clipJson(), pre_tokenizer: { type: 'Telepathy' } }));
    await expect(readTokenizer(file)).rejects.toThrow(/cannot be used: .*Telepathy/);
  });

  it('that are something else are refused', async () => {
    const file = join(folder, 'odd');
    await writeFile(file, '{"model": {}}');
    await expect(readTokenizer(file)).rejects.toThrow(FormatError);
    await writeFile(file, 'one word a line\nand not two');
    await expect(readTokenizer(file)).rejects.toThrow(FormatError);
    await writeFile(file, '');
    await expect(readTokenizer(file)).rejects.toThrow(FormatError);
    expect(() => new BpeTokenizer(new Map(), [])).toThrow(/startoftext/);
  });
});
