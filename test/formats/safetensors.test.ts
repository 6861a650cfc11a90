import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FormatError } from '../../src/errors.js';
import { memoryFile, openSafetensors, readSafetensors, toMatrix, writeSafetensors } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { type Plain, plain, plainInPython, python } from './numpy.js';
import { sampleList, samples } from './samples.js';

const folder = temporaryFolder();
const numeric = sampleList.filter(({ dtype }) => dtype !== 'string' && dtype !== 'bytes');
const named = Object.fromEntries(numeric.map((array) => [array.dtype, array]));

function safetensorsBytes(header: unknown, data: Uint8Array, length?: bigint): Uint8Array {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(length ?? BigInt(json.length));
  return Buffer.concat([start, json, data]);
}

describe('safetensors', () => {
  const path = join(folder, 'all.safetensors');

  it('come back unchanged, every type, with metadata', async () => {
    await writeSafetensors(path, named, { metadata: { format: 'pt' } });
    expect(Object.fromEntries(await readSafetensors(path))).toEqual(named);
    const file = await openSafetensors(path);
    expect(file.metadata).toEqual({ format: 'pt' });
    expect(file.header('int8')).toEqual({ shape: [3], dtype: 'int8' });
    expect(() => file.header('absent')).toThrow('there is no tensor "absent"');
    await file.close();
  });

  it('start every tensor at a multiple of its element size', async () => {
    const bytes = readFileSync(path);
    const length = Number(bytes.readBigUInt64LE(0));
    const { __metadata__: _, ...records } = JSON.parse(bytes.toString('utf8', 8, 8 + length));
    for (const [name, record] of Object.entries(records) as [string, { data_offsets: number[] }][]) {
      const width = (named[name].data as Float64Array).BYTES_PER_ELEMENT;
      expect((8 + length + record.data_offsets[0]) % width, name).toBe(0);
    }
  });

  it('give row ranges and rows block by block', async () => {
    const matrix = Matrix.from([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    const small = join(folder, 'rows.safetensors');
    await writeSafetensors(small, {
      weights: matrix,
      scale: { shape: [], dtype: 'float32', data: Float32Array.of(2) },
    });
    const file = await openSafetensors(small);
    expect(file.names).toEqual(['weights', 'scale']);
    expect([...toMatrix(await file.read('weights', { rows: [1, 3] })).data]).toEqual([3, 4, 5, 6]);
    expect([...(await file.rows('weights').readRows(2, 3))]).toEqual([5, 6]);
    expect((await file.read('scale')).shape).toEqual([]);
    await file.close();
  });

  it('give bfloat16 as float32, whole and by rows', async () => {
    const data = new Uint8Array(Uint16Array.of(0x3f80, 0xc040, 0x7f80, 0x4000).buffer);
    const bytes = safetensorsBytes({ w: { dtype: 'BF16', shape: [2, 2], data_offsets: [0, 8] } }, data);
    const file = await openSafetensors(memoryFile(bytes));
    expect(await file.read('w')).toEqual({ shape: [2, 2], dtype: 'float32', data: Float32Array.of(1, -3, 1 / 0, 2) });
    expect((await file.read('w', { rows: [1, 2] })).data).toEqual(Float32Array.of(1 / 0, 2));
    expect([...(await file.rows('w').readRows(0, 1, new Float64Array(2)))]).toEqual([1, -3]);
  });

  it('may have sixty-four axes, no tensors, and tensors without elements', async () => {
    const shape = [2, ...new Array(63).fill(1)];
    const tall = safetensorsBytes({ a: { dtype: 'U8', shape, data_offsets: [0, 2] } }, Uint8Array.of(1, 2));
    expect((await readSafetensors(memoryFile(tall))).get('a')).toMatchObject({ shape, data: Uint8Array.of(1, 2) });
    expect((await readSafetensors(memoryFile(safetensorsBytes({}, new Uint8Array(0))))).size).toBe(0);
    const empty = { dtype: 'U8', shape: [0, 3], data_offsets: [1, 1] };
    const full = { dtype: 'U8', shape: [1], data_offsets: [0, 1] };
    const late = { dtype: 'U8', shape: [1], data_offsets: [1, 2] };
    const mixed = safetensorsBytes({ late, empty, full }, Uint8Array.of(7, 8));
    const read = await readSafetensors(memoryFile(mixed));
    expect([...read.keys()]).toEqual(['late', 'empty', 'full']);
    expect(read.get('late')?.data).toEqual(Uint8Array.of(8));
    expect(read.get('empty')?.shape).toEqual([0, 3]);
  });

  it('name some of the tensors there are when one is not', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`t${i}`, samples.int8]));
    const hintOf = async (count: number) => {
      const path = join(folder, 'many.safetensors');
      await writeSafetensors(path, Object.fromEntries(Object.entries(many).slice(0, count)));
      const file = await openSafetensors(path);
      await file.close();
      expect([file.has('t0'), file.has('absent')]).toEqual([true, false]);
      return file.read('absent').catch((error) => error.hint);
    };
    expect(await hintOf(2)).toBe('It has: t0, t1.');
    expect(await hintOf(20)).toMatch(/t18, t19\.$/);
    expect(await hintOf(21)).toMatch(/t18, t19, …\.$/);
  });

  it('have a header of a multiple of eight bytes, and no metadata unless some is given', async () => {
    const small = join(folder, 'small.safetensors');
    for (let length = 1; length <= 8; length++) {
      await writeSafetensors(small, { ['x'.repeat(length)]: samples.int8 });
      expect(Number(readFileSync(small).readBigUInt64LE(0)) % 8).toBe(0);
      expect(readFileSync(small).indexOf('__metadata__')).toBe(-1);
    }
    await expect(writeSafetensors(small, { __metadata__: samples.int8 })).rejects.toThrow(ArgumentError);
  });

  it('refuse to hold text', async () => {
    await expect(writeSafetensors(join(folder, 'x'), { a: samples.string })).rejects.toThrow(ArgumentError);
  });

  it.skipIf(!hasNumpy)('hold what an independent reader finds in them (skipped without numpy)', () => {
    const script = `${plainInPython}
import struct
raw = open(sys.argv[1], 'rb').read()
n, = struct.unpack('<Q', raw[:8])
types = {'F64': 'f8', 'F32': 'f4', 'F16': 'f2', 'I64': 'i8', 'I32': 'i4', 'I16': 'i2', 'I8': 'i1', 'U64': 'u8', 'U32': 'u4', 'U16': 'u2', 'U8': 'u1', 'BOOL': '?'}
result = {}
for name, r in json.loads(raw[8:8 + n]).items():
    if name != '__metadata__':
        a, b = r['data_offsets']
        result[name] = plain(np.frombuffer(raw[8 + n + a:8 + n + b], '<' + types[r['dtype']]).reshape(r['shape']))`;
    const result = python(script, path) as Record<string, Plain>;
    for (const array of numeric.filter(({ dtype }) => dtype !== 'float16'))
      expect(result[array.dtype], array.dtype).toEqual(plain(array));
    expect(result.float16.values[4]).toBe('0x1.0000000000000p+0');
  });
});

describe('a safetensors file is refused', () => {
  const data = new Uint8Array(16);
  const a = { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] };

  it.each<[string, unknown, bigint | undefined, string]>([
    ['with a header beyond its end', { a }, 10_000n, 'expected a header within the file'],
    ['with a header length of 2^63', { a }, 2n ** 63n, 'found length 9223372036854775808'],
    ['with broken JSON', '{"a":', undefined, 'expected a JSON header'],
    ['with deeply nested JSON', '['.repeat(1e6), undefined, 'expected a JSON header'],
    ['with a list as header', [a], undefined, 'expected a JSON object'],
    ['with null as record', { a: null }, undefined, 'the element type nothing is not supported'],
    [
      'with an unknown type',
      { a: { ...a, dtype: 'F8_E4M3' } },
      undefined,
      'the element type "F8_E4M3" is not supported',
    ],
    ['with a type from the prototype', { a: { ...a, dtype: 'constructor' } }, undefined, 'is not supported'],
    [
      'with a negative size',
      { a: { ...a, shape: [-2, -2] } },
      undefined,
      'expected a list of sizes as shape, found [-2,-2]',
    ],
    ['with a fractional size', { a: { ...a, shape: [0.5, 8] } }, undefined, 'expected a list of sizes'],
    ['with a shape that overflows', { a: { ...a, shape: [2 ** 52, 2 ** 52] } }, undefined, 'needs'],
    [
      'with too few bytes for the shape',
      { a: { ...a, shape: [3, 2] } },
      undefined,
      'shape (3, 2) of F32 needs 24 bytes, found 16',
    ],
    [
      'with offsets that descend',
      { a: { ...a, data_offsets: [16, 0] } },
      undefined,
      'expected two ascending data_offsets',
    ],
    [
      'with data beyond the end',
      { a: { ...a, shape: [2, 4], data_offsets: [0, 32] } },
      undefined,
      'but the file ends at byte',
    ],
    ['with overlapping tensors', { a, b: a }, undefined, 'expected tensor "b" to start at byte'],
    ['with a gap', { a: { ...a, shape: [2, 1], data_offsets: [8, 16] } }, undefined, 'expected tensor "a" to start'],
    ['with trailing data', { a: { ...a, shape: [2, 1], data_offsets: [0, 8] } }, undefined, 'expected the file to end'],
    ['with a list as metadata', { a, __metadata__: ['x'] }, undefined, '"__metadata__"'],
    ['with text as record', { a: 'x' }, undefined, 'the element type nothing is not supported'],
    ['with text as shape', { a: { ...a, shape: '2' } }, undefined, 'expected a list of sizes as shape, found "2"'],
    ['with a scalar as header', '7', undefined, 'expected a JSON object'],
    ['with null as header', 'null', undefined, 'expected a JSON object'],
    ['with three offsets', { a: { ...a, data_offsets: [0, 8, 16] } }, undefined, 'expected two ascending data_offsets'],
    ['with one offset', { a: { ...a, data_offsets: [0] } }, undefined, 'expected two ascending data_offsets'],
    [
      'with sixty-five axes',
      { a: { ...a, shape: [2, 2, ...new Array(63).fill(1)] } },
      undefined,
      'expected a list of sizes as shape',
    ],
    [
      'with too many bytes for bfloat16',
      { a: { ...a, dtype: 'BF16' } },
      undefined,
      'shape (2, 2) of BF16 needs 8 bytes, found 16',
    ],
    ['with metadata that is not text', { a, __metadata__: { x: 1 } }, undefined, '"__metadata__"'],
  ])('%s', async (_, header, length, message) => {
    const error = await readSafetensors(memoryFile(safetensorsBytes(header, data, length), 'bad.safetensors')).then(
      () => undefined,
      (error) => error,
    );
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain(message);
    expect(error.message).toContain('bad.safetensors (byte ');
  });

  it('when it is cut anywhere', async () => {
    const bytes = safetensorsBytes({ a }, data);
    for (let length = 0; length < bytes.length; length++)
      await expect(readSafetensors(memoryFile(bytes.subarray(0, length)))).rejects.toThrow(FormatError);
  });
});
