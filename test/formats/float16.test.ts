import { describe, expect, it } from 'vitest';
import { bfloatToFloats, halfToFloats, realsToHalves, realToHalf } from '../../src/formats/float16.js';
import fc from '../property.js';
import { hasNumpy } from '../tools.js';
import { python } from './numpy.js';

const everyHalf = Uint16Array.from({ length: 65536 }, (_, i) => i);
const decoded = new Float64Array(65536);
halfToFloats(everyHalf, decoded);

describe('half precision', () => {
  it('comes back to the same bits from every one of the 65,536 patterns', () => {
    const back = realsToHalves(decoded);
    for (let half = 0; half < 65536; half++)
      if (!Number.isNaN(decoded[half])) expect(back[half], `pattern ${half}`).toBe(half);
    expect(Number.isNaN(decoded[realToHalf(Number.NaN)])).toBe(true);
  });

  it('rounds any number to the nearest half, ties to the even pattern', () => {
    const finite = Array.from({ length: 0x7c00 }, (_, half) => half);
    const nearest = (value: number) => {
      const size = Math.abs(value);
      // Halves are ordered like their patterns; 65520 is halfway between the largest half and what would follow it.
      if (size >= 65520) return 0x7c00;
      let best = 0;
      for (const half of finite) {
        const gain = Math.abs(decoded[best] - size) - Math.abs(decoded[half] - size);
        if (gain > 0 || (gain === 0 && half % 2 === 0)) best = half;
      }
      return best;
    };
    const halfway = fc.integer({ min: 0, max: 0x7bfe }).map((half) => (decoded[half] + decoded[half + 1]) / 2);
    const beside = halfway.chain((value) => fc.constantFrom(value, value * (1 + 2 ** -52), value * (1 - 2 ** -52)));
    fc.assert(
      fc.property(fc.oneof(fc.double({ min: -1e5, max: 1e5, noNaN: true }), beside), (value) => {
        const sign = Object.is(Math.sign(value), -1) || Object.is(value, -0) ? 0x8000 : 0;
        expect(realToHalf(value)).toBe(sign | nearest(value));
      }),
      { numRuns: 300 },
    );
  });

  it('reads bfloat16 as the upper half of a float32', () => {
    const floats = new Float32Array(4);
    bfloatToFloats(Uint16Array.of(0x3f80, 0xc000, 0x7f80, 0x0001), floats);
    expect([...floats]).toEqual([1, -2, Number.POSITIVE_INFINITY, 2 ** -133]);
  });

  it.skipIf(!hasNumpy)('agrees with numpy on every pattern and on rounding (skipped without numpy)', () => {
    const values = Array.from({ length: 5000 }, (_, i) => Math.sin(i) * 10 ** ((i % 16) - 9));
    const script = `
halves = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
with np.errstate(all='ignore'):
    rounded = np.array(json.loads(sys.argv[1])).astype(np.float16).view(np.uint16)
result = {'decoded': [None if x != x else repr(x) for x in halves.tolist()], 'rounded': rounded.tolist()}`;
    const result = python(script, JSON.stringify(values)) as { decoded: (string | null)[]; rounded: number[] };
    result.decoded.forEach((text, half) => {
      const value = text === null ? Number.NaN : Number(text.replace('inf', 'Infinity'));
      expect(decoded[half], `pattern ${half}`).toBe(value);
    });
    expect(Array.from(values, realToHalf)).toEqual(result.rounded);
  });
});
