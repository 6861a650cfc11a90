/** Folders that a rehearsal draws from the pictures of a play. */
import { describe, expect, it } from 'vitest';
import { folderOfFew, type World } from '../../../src/methods/bowerbird/worlds.js';

/** 40 pictures of each of ten listed categories and of each of four others. */
const shown = Array.from({ length: 560 }, (_, j) => j % 14);
const world = (strange: boolean) => {
  const rows = shown.filter((category) => strange || category < 10);
  return {
    shown: rows,
    truth: Int32Array.from(rows, (category) => (category < 10 ? category : -1)),
  } as unknown as World;
};

describe('a folder of few categories', () => {
  it('has two of ten listed categories, half of the others, and the share of strangers that was asked for', () => {
    for (const share of [0.1, 0.3]) {
      const rows = [...folderOfFew(world(true), share, 1)!];
      expect(new Set(rows).size).toBe(rows.length);
      const categories = [...new Set(rows.map((j) => shown[j]))];
      expect(categories.filter((category) => category < 10)).toHaveLength(2);
      expect(categories.filter((category) => category >= 10).length).toBeLessThanOrEqual(2);
      const strangers = rows.filter((j) => shown[j] >= 10).length;
      expect(strangers / rows.length).toBeCloseTo(share, 1);
      expect(rows.length - strangers).toBe(80);
    }
  });

  it('is none without strangers', () => {
    expect(folderOfFew(world(true), 0, 1)).toBeUndefined();
    expect(folderOfFew(world(false), 0.3, 1)).toBeUndefined();
  });
});
