import { closeSync, fstatSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAnswerFile, readAnswer } from '../../src/decoding/answer-file.js';

describe('the file of answers', () => {
  const opened = (content: Uint8Array) => {
    const descriptor = openAnswerFile()!;
    writeSync(descriptor, content, 0, content.length, 0);
    return descriptor;
  };

  it('has no name', () => {
    const descriptor = opened(Uint8Array.of(1));
    expect(fstatSync(descriptor).nlink).toBe(0);
    closeSync(descriptor);
  });

  it('is read into what is given where that has the length of the answer, and into a new array elsewhere', () => {
    const descriptor = opened(Uint8Array.of(1, 2, 3, 4));
    const target = new Uint8Array(3);
    expect(readAnswer(descriptor, 3, target)).toBe(target);
    expect([...target]).toEqual([1, 2, 3]);
    const other = readAnswer(descriptor, 2, target);
    expect([...other]).toEqual([1, 2]);
    expect(other).not.toBe(target);
    closeSync(descriptor);
  });

  it('that is shorter than announced is an error, not an endless wait', () => {
    const descriptor = opened(Uint8Array.of(1, 2));
    expect(() => readAnswer(descriptor, 3)).toThrow('announced 3 bytes and left 2');
    closeSync(descriptor);
  });

  it('gives its space back after a large answer', () => {
    const descriptor = opened(new Uint8Array(2 ** 23));
    expect(readAnswer(descriptor, 2 ** 23).length).toBe(2 ** 23);
    expect(fstatSync(descriptor).size).toBe(0);
    closeSync(descriptor);
  });
});
