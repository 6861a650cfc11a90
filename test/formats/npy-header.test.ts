import { endianness } from 'node:os';
import { expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { memoryFile, readNpy, readNpyHeader } from '../../src/formats/index.js';
import { formatHeader, typeDescription } from '../../src/formats/npy-header.js';
import { npyBytes } from './npy-bytes.js';

const order = endianness() === 'LE' ? '<' : '>';

// The array protocol of numpy: https://numpy.org/doc/stable/reference/arrays.interface.html
it.each([
  ['float64', `${order}f8`],
  ['float16', `${order}f2`],
  ['int64', `${order}i8`],
  ['uint16', `${order}u2`],
  ['int8', '|i1'],
  ['uint8', '|u1'],
  ['bool', '|b1'],
] as const)('%s is called as numpy calls it, without a byte order where there is one byte', (dtype, name) => {
  expect(typeDescription(dtype)).toBe(name);
});

it('text has its width in characters, bytes theirs in bytes', () => {
  expect(typeDescription('string', 7)).toBe(`${order}U7`);
  expect(typeDescription('bytes', 3)).toBe('|S3');
});

const headerOf = (bytes: Uint8Array) => readNpyHeader(memoryFile(bytes, 'array.npy'));
const shaped = (shape: string, descr = '|u1') => `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}}`;

it('a header ends in a line end before a multiple of 64 bytes, whatever its length', async () => {
  for (let digits = 1; digits <= 11; digits++)
    for (const rest of [[], [0], [0, 12345]]) {
      const header = Buffer.from(formatHeader('|u1', [10 ** (digits - 1), ...rest]));
      expect(header.length % 64).toBe(0);
      expect(header.readUInt16LE(8)).toBe(header.length - 10);
      expect(header.toString('latin1', 10)).toMatch(/^\{'descr': '\|u1', .*\), \} *\n$/);
      if (rest.length > 0) expect((await headerOf(header)).shape).toEqual([10 ** (digits - 1), ...rest]);
    }
  expect(formatHeader('<f8', [1, 1]).length).toBe(128);
  // 10 bytes before the text, the text and the line end fill exactly two times 64 here.
  const text = "{'descr': '', 'fortran_order': False, 'shape': (0,), }";
  const filling = 128 - 11 - text.length;
  expect(formatHeader('x'.repeat(filling), [0]).length).toBe(128);
  expect(formatHeader('x'.repeat(filling + 1), [0]).length).toBe(192);
});

it('a header that grows has room for any number of rows', () => {
  for (const width of [1, 10 ** 5, 10 ** 9]) {
    const lengths = [0, 9, 10 ** 6, Number.MAX_SAFE_INTEGER].map(
      (rows) => formatHeader('<f8', [rows, width], true).length,
    );
    expect(new Set(lengths).size).toBe(1);
  }
});

it.each([
  ['(3, 2)', [3, 2]],
  ['( 3 ,\t2 , )', [3, 2]],
  ['(6,)', [6]],
  ['(6)', [6]],
  ['()', []],
  ['(0,)', [0]],
])('the shape %s is read', async (shape, sizes) => {
  expect((await headerOf(npyBytes({ header: shaped(shape) }))).shape).toEqual(sizes);
});

it.each([
  ['|b1', 'bool'],
  ['?', 'bool'],
  ['|?', 'bool'],
  ['=u1', 'uint8'],
  ['u1', 'uint8'],
  ['>i2', 'int16'],
  ['|S3', 'bytes'],
  ['|a3', 'bytes'],
  ['<U3', 'string'],
])('the type %s is %s', async (descr, dtype) => {
  expect((await headerOf(npyBytes({ header: shaped('(1,)', descr) }))).dtype).toBe(dtype);
});

it('numbers have the byte order that is said, or this machine’s', async () => {
  const data = Buffer.of(1, 2);
  const value = async (descr: string) =>
    (await readNpy(memoryFile(npyBytes({ header: shaped('(1,)', descr), data })))).data[0];
  expect(await value('<u2')).toBe(0x0201);
  expect(await value('>u2')).toBe(0x0102);
  const own = new Uint16Array(Uint8Array.from(data).buffer)[0];
  for (const descr of ['u2', '=u2', '|u2']) expect(await value(descr)).toBe(own);
});

it('sixty-four dimensions and a header of 65536 bytes are read, more are not', async () => {
  const sizes = (count: number) => shaped(`(${'1, '.repeat(count)})`);
  expect((await headerOf(npyBytes({ header: sizes(64) }))).shape).toHaveLength(64);
  await expect(headerOf(npyBytes({ header: sizes(65) }))).rejects.toThrow('at most 64 dimensions');
  const long = (length: number) => shaped('(1,)').padEnd(length - 1);
  expect((await headerOf(npyBytes({ version: 2, header: long(65536) }))).shape).toEqual([1]);
  await expect(headerOf(npyBytes({ version: 2, header: long(65537) }))).rejects.toThrow('found length 65537');
});

it.each<[string, string, number]>([
  ['an unknown key', "{'descr': '|u1', 'x': 1}", 17],
  ['a repeated key', "{'shape': (1,), 'shape': (2,)}", 16],
  ['a repeated type', "{'descr': '|u1', 'descr': '|u1'}", 17],
  ['a repeated order', "{'fortran_order': True, 'fortran_order': True}", 24],
  ['a missing key', "{'descr': '|u1', 'shape': (1,)}", 0],
  ['a missing shape', "{'descr': '|u1', 'fortran_order': True}", 0],
  ['a missing type', "{'fortran_order': True, 'shape': (1,)}", 0],
  ['a type that is not known', "{'descr': '|x1'}", 10],
  ['a structure', "{'descr': [('a', '<f8')]}", 10],
  ['objects', "{'descr': '|O'}", 10],
  ['a missing colon', "{'descr' '|u1'}", 9],
  ['a missing comma', "{'descr': '|u1' 'shape': (1,)}", 16],
  ['a missing bracket', "{'shape': 3}", 10],
  ['a missing size', "{'shape': (x,)}", 11],
  ['a word for no truth value', "{'fortran_order': Maybe}", 18],
  ['more after the end', `${shaped('(1,)')} x`, shaped('(1,)').length + 1],
])('names the byte of %s', async (_, header, at) => {
  const error = await headerOf(npyBytes({ header })).catch((error) => error);
  expect(error).toBeInstanceOf(FormatError);
  expect(error.offset).toBe('\x93NUMPY'.length + 4 + at);
});

it('text of no width is read only where there is none', async () => {
  expect((await headerOf(npyBytes({ header: shaped('(0,)', '|S0') }))).shape).toEqual([0]);
  await expect(headerOf(npyBytes({ header: shaped('(1,)', '|S0') }))).rejects.toThrow('at least one character');
});

it('a key is read in the characters of its version', async () => {
  for (const version of [1, 2, 3])
    await expect(headerOf(npyBytes({ version, header: "{'é': 1}" }))).rejects.toThrow('key "é"');
});

it('other versions are refused', async () => {
  for (const [major, minor] of [
    [0, 0],
    [1, 1],
    [4, 0],
  ]) {
    const bytes = npyBytes();
    bytes.set([major, minor], 6);
    await expect(headerOf(bytes)).rejects.toThrow(`found ${major}.${minor}`);
  }
});

it('a pickle is recognised, other files are not taken for one', async () => {
  const said = (first: number) => headerOf(Buffer.alloc(20, first)).catch((error) => error.hint);
  expect(await said(0x80)).toContain('pickle');
  expect(await said(0x50)).toBeUndefined();
});
