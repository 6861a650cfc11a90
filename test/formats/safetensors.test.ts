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
