import { posix, win32 } from 'node:path';
import { expect, it } from 'vitest';
import { isInside } from '../../src/studio/confinement.js';

it.each([
  ['/birds/a/b.jpg', true],
  ['/birds', false],
  ['/birds/../etc/passwd', false],
  ['/birdseed/a.jpg', false],
  ['/birds/..a.jpg', true],
])('of %s inside /birds: %s', (path, inside) => {
  expect(isInside(path, '/birds', posix)).toBe(inside);
});

it.each([
  ['C:\\birds\\a\\b.jpg', true],
  ['C:\\birds\\..\\secret.txt', false],
  ['D:\\secret.txt', false],
  ['\\\\server\\share\\secret.txt', false],
])('of %s inside C:\\birds on Windows: %s', (path, inside) => {
  expect(isInside(path, 'C:\\birds', win32)).toBe(inside);
});
