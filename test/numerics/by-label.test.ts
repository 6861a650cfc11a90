/** Instances in the order of their labels, against a plain filter for each label. */
import { describe, expect, it } from 'vitest';
import { byLabel, segmentsWithin } from '../../src/numerics/index.js';
import fc from '../property.js';

describe('the order of labels', () => {
  it('has the instances of each label together and in their own order, and leaves out those without one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 4 })), (labels) => {
        const { order, starts } = byLabel(Int32Array.from(labels), 5);
        for (let c = 0; c < 5; c++)
          expect(Array.from(order.subarray(starts[c], starts[c + 1]))).toEqual(
            [...labels.keys()].filter((i) => labels[i] === c),
          );
        expect(starts[5]).toBe(order.length);
      }),
    );
  });

  it('is cut into segments that cover a stretch of it, each of one label', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { minLength: 1 }), fc.nat(), fc.nat(), (labels, a, b) => {
        const { order, starts } = byLabel(Int32Array.from(labels), 5);
        const [from, to] = [a % labels.length, (b % labels.length) + 1].sort((x, y) => x - y);
        fc.pre(from < to);
        const segments = segmentsWithin(starts, from, to);
        expect(segments.starts[0]).toBe(0);
        expect(segments.starts[segments.starts.length - 1]).toBe(to - from);
        for (let c = 0; c + 1 < segments.starts.length; c++)
          for (let place = segments.starts[c]; place < segments.starts[c + 1]; place++)
            expect(labels[order[from + place]]).toBe(segments.first + c);
      }),
    );
  });
});
