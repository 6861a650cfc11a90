import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { memoryFile, openNpyRows, readNpy, readNpyHeader } from '../../src/formats/index.js';
import { type HandmadeNpy, npyBytes, plainHeader } from './npy-bytes.js';

const shaped = (shape: string, descr = '<f8') => `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;

async function refusal(bytes: Uint8Array): Promise<FormatError> {
  const errors = [];
  for (const read of [readNpy, readNpyHeader, openNpyRows])
    errors.push(
      await read(memoryFile(bytes, 'bad.npy')).then(
        () => undefined,
        (error) => error,
      ),
    );
  for (const error of errors) expect(error).toBeInstanceOf(FormatError);
  expect((errors[0] as FormatError).file).toBe('bad.npy');
  return errors[0] as FormatError;
}

describe('a .npy file is refused', () => {
  it.each<[string, HandmadeNpy, string]>([
    ['with more elements than bytes', { header: shaped('(4, 2)') }, 'expected 64 bytes for shape (4, 2) of float64'],
    ['with a terabyte promised', { header: shaped('(1000000, 1000000)') }, 'expected 8000000000000 bytes'],
    [
      'with a shape that overflows',
      { header: shaped('(9007199254740991, 9007199254740991)') },
      'more elements than can be counted',
    ],
    [
      'with a shape that overflows beside a zero',
      { header: shaped('(0, 9007199254740991, 2)') },
      'more elements than can be counted',
    ],
    [
      'with a size beyond 2^53',
      { header: shaped('(18446744073709551616,)') },
      'expected a size, found "18446744073709551616"',
    ],
    ['with a negative size', { header: shaped('(-3, 2)') }, 'expected a size, found "-3"'],
    ['with a fractional size', { header: shaped('(1.5,)') }, 'expected ")"'],
    ['with a list as shape', { header: shaped('[3, 2]') }, 'expected "("'],
    ['with an expression as shape', { header: shaped('(__import__("os").getpid(),)') }, 'expected a size'],
    ['with an expression around the dictionary', { header: `dict(${plainHeader})` }, 'expected "{"'],
    ['with code after the dictionary', { header: `${plainHeader}; import os` }, 'expected the header to end'],
    ['with too many dimensions', { header: shaped(`(${'1, '.repeat(100)})`) }, 'at most 64 dimensions'],
    [
      'with an unknown key',
      { header: "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}" },
      'unexpected or repeated key "x"',
    ],
    ['with a repeated key', { header: "{'shape': (1,), 'shape': (2,)}" }, 'unexpected or repeated key "shape"'],
    [
      'without a key',
      { header: "{'descr': '<f8', 'shape': (1,)}" },
      "expected the keys 'descr', 'fortran_order' and 'shape'",
    ],
    ['with an unfinished string', { header: "{'descr" }, 'expected a quoted string'],
    ['with an unfinished dictionary', { header: '{' }, 'expected a quoted string before the header ends'],
    ['with another word for true', { header: "{'fortran_order': 1}" }, 'expected True or False'],
    [
      'with Python objects',
      { header: shaped('(1,)', '|O') },
      'array of Python objects (a pickle), which is never loaded',
    ],
    ['with complex numbers', { header: shaped('(1,)', '<c16') }, 'the element type "<c16" is not supported'],
    ['with dates', { header: shaped('(1,)', '<M8[ns]') }, 'is not supported'],
    ['with extended precision', { header: shaped('(1,)', '<f16') }, 'is not supported'],
    ['with booleans of eight bytes', { header: shaped('(1,)', '?8') }, 'is not supported'],
    [
      'with a structure',
      { header: "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}" },
      'structured arrays are not supported',
    ],
    ['with endless empty strings', { header: shaped('(1000000000000,)', '|S0') }, 'at least one character'],
    ['with strings of no stated width', { header: shaped('(1,)', '<U') }, 'is not supported'],
    ['with strings wider than the file', { header: shaped('(1,)', '<U4294967295') }, 'expected 17179869180 bytes'],
    ['with a header beyond its end', { length: 60_000 }, 'expected 60000 bytes of the header, but the file ends'],
    [
      'with a huge header length',
      { version: 2, length: 0xffffffff },
      'expected a header of at most 65536 bytes, found length 4294967295',
    ],
    ['of version 4', { version: 4 }, 'expected .npy version 1.0, 2.0 or 3.0, found 4.0'],
  ])('%s', async (_, file, message) => {
    const error = await refusal(npyBytes(file));
    expect(error.message).toContain(message);
    expect(error.offset).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['empty', '', 'expected 8 bytes of the .npy signature'],
    ['another format', 'PK\x03\x04 and so on', 'expected a .npy file'],
    ['a pickle', '\x80\x04\x95 and so on', 'expected a .npy file'],
  ])('when it is %s', async (_, text, message) => {
    expect((await refusal(Buffer.from(text, 'latin1'))).message).toContain(message);
  });

  it('when it is cut anywhere', async () => {
    const bytes = npyBytes();
    for (let length = 0; length < bytes.length; length++) await refusal(bytes.subarray(0, length));
  });

  it('when a character is beyond Unicode, at its byte', async () => {
    const bytes = npyBytes({
      header: shaped('(2,)', '<U1'),
      data: new Uint8Array(Uint32Array.of(65, 0x110000).buffer),
    });
    const error = await readNpy(memoryFile(bytes)).catch((error) => error);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.offset).toBe(bytes.length - 4);
  });

  it('with advice when it holds objects', async () => {
    const error = await refusal(npyBytes({ header: shaped('(1,)', '|O') }));
    expect(error.hint).toContain('astype');
  });
});

it('ignores what follows the array, as numpy does', async () => {
  const bytes = Buffer.concat([npyBytes(), Buffer.from('more')]);
  expect((await readNpy(memoryFile(bytes))).shape).toEqual([3, 2]);
});
