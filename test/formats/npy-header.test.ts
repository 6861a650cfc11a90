import { endianness } from 'node:os';
import { expect, it } from 'vitest';
import { typeDescription } from '../../src/formats/npy-header.js';

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
