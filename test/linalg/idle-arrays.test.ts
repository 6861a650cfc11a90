/** Arrays of the native backend that were given back. */
import { describe, expect, it } from 'vitest';
import { IdleArrays } from '../../src/linalg/native/idle-arrays.js';

const many = 2 ** 14;
const fresh = (length: number) => () => new Float64Array(length);
const never = () => {
  throw new Error('there was one');
};

describe('arrays that were given back', () => {
  it('are handed to the next who asks for as many bytes, in either precision, filled with zeros', () => {
    const arrays = new IdleArrays();
    const first = arrays.take(many, 'float64', fresh(many)).fill(7);
    arrays.give(first);
    const second = arrays.take(2 * many, 'float32', never);
    expect(second).toBeInstanceOf(Float32Array);
    expect(second.buffer).toBe(first.buffer);
    expect(second.every((value) => value === 0)).toBe(true);
    const third = arrays.take(2 * many, 'float32', () => new Float32Array(2 * many));
    expect(third.buffer).not.toBe(first.buffer);
  });

  it('have one owner, however often they are given back', () => {
    const arrays = new IdleArrays();
    const first = arrays.take(many, 'float64', fresh(many));
    arrays.give(first);
    arrays.give(first);
    expect(arrays.take(many, 'float64', never).buffer).toBe(first.buffer);
    expect(arrays.take(many, 'float64', fresh(many)).buffer).not.toBe(first.buffer);
  });

  it('are whole, and such as were handed out', () => {
    const arrays = new IdleArrays();
    const whole = arrays.take(2 * many, 'float64', fresh(2 * many));
    arrays.give(whole.subarray(0, many));
    arrays.give(new Float64Array(many));
    const other = arrays.take(many, 'float64', fresh(many));
    expect(other.buffer).not.toBe(whole.buffer);
    arrays.give(whole);
    expect(arrays.take(2 * many, 'float64', never).buffer).toBe(whole.buffer);
  });

  it('are kept in proportion where larger ones were handed out', () => {
    const arrays = new IdleArrays();
    const [each, large] = [2 ** 20, 2 ** 25];
    arrays.take(large, 'float64', fresh(large));
    const taken = Array.from({ length: 5 }, () => arrays.take(each, 'float64', fresh(each)));
    for (const array of taken) arrays.give(array);
    const again = new Set(Array.from({ length: 4 }, () => arrays.take(each, 'float64', never).buffer));
    expect(again.size).toBe(4);
    expect(() => arrays.take(each, 'float64', never)).toThrow('there was one');
  });

  it('are kept up to a few megabytes, and not where they are small', () => {
    const arrays = new IdleArrays();
    const large = 2 ** 20;
    const taken = [1, 2, 3].map(() => arrays.take(large, 'float64', fresh(large)));
    const small = arrays.take(10, 'float64', fresh(10));
    for (const array of [...taken, small]) arrays.give(array);
    let made = 0;
    const counted = (length: number) => () => {
      made++;
      return new Float64Array(length);
    };
    for (let k = 0; k < 3; k++) arrays.take(large, 'float64', counted(large));
    arrays.take(10, 'float64', counted(10));
    expect(made).toBe(2);
  });
});
