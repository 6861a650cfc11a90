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
  tokenizer = await readTokenizer(join(folder, 'merges.txt'));
});

// Ids follow from the format: the 188 bytes that print ("!" is 0), the 68 others, the 256 again as word ends, the merges.
const letter = (character: string) => character.charCodeAt(0) - '!'.charCodeAt(0);
const ending = (character: string) => letter(character) + 256;
const merged = (rank: number) => 512 + rank;

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
    expect(tokenizer.encodeFixed('wren', 6)).toEqual([start, merged(2), end, end, end, end]);
    expect(tokenizer.encodeFixed('a b c d e', 5)).toEqual([start, ending('a'), ending('b'), ending('c'), end]);
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
      expect((await readTokenizer(file)).encodeFixed('WRE', 4)).toEqual([10, 9, 11, 11]);
    }
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
