import { describe, expect, it } from 'vitest';
import { labelPlaces } from '../../src/report/label-places.js';
import fc from '../property.js';

describe('names on a map', () => {
  const size = { width: 800, height: 500 };

  it('stand close to their points, and none lies on another, however many there are', () => {
    const point = fc.record({
      x: fc.double({ min: 0, max: 1, noNaN: true }),
      y: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 40 }), (points) => {
        const corners = [
          { x: 0, y: 0 },
          { x: 1, y: 1 },
        ];
        const labels = points.map((one, k) => ({ ...one, text: `category ${k}` }));
        const places = labelPlaces([...corners, ...labels], labels, size);
        // Every pixel of a name that stands: two names must not share one.
        const lines = places.flatMap((place, k) => {
          if (!place) return [];
          expect(Math.hypot(place.dx, place.dy)).toBeLessThanOrEqual(16);
          const long = labels[k].text.length * 7;
          const start = { start: 0, middle: -long / 2, end: -long }[place.textAnchor];
          return [{ x: labels[k].x * 800 + place.dx + start, y: (1 - labels[k].y) * 500 + place.dy, long }];
        });
        for (const [i, a] of lines.entries())
          for (const b of lines.slice(i + 1))
            expect(a.x + a.long <= b.x + 1e-6 || b.x + b.long <= a.x + 1e-6 || Math.abs(a.y - b.y) >= 15 - 1e-6).toBe(
              true,
            );
      }),
      { numRuns: 60 },
    );
  });

  it('are all there where there is room, inside the map, and left out where there is none', () => {
    const apart = [0, 0.5, 1].map((at) => ({ x: at, y: at, text: 'a name' }));
    expect(labelPlaces(apart, apart, size).map((place) => place?.dy)).toEqual([0, -14, 0]);
    const heap = Array.from({ length: 30 }, () => ({ x: 0.5, y: 0.5, text: 'a name' }));
    expect(labelPlaces([...apart, ...heap], heap, size).filter(Boolean).length).toBeLessThan(30);
  });
});
