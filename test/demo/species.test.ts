import { describe, expect, it } from 'vitest';
import { aviary, differingMarks, lookAlikes, speciesNamed } from '../../src/demo/species.js';

describe('the species of the aviary', () => {
  const { test, auxiliary, strangers } = aviary();

  it('look like their names', () => {
    const finch = speciesNamed('Crested Red-winged Finch');
    expect(finch.bodyPlan).toBe('finch');
    expect([...finch.shapes]).toEqual(['crested']);
    expect(finch.colours).toEqual({ wing: 'red' });
  });

  it('are refused when a name says something that cannot be drawn', () => {
    expect(() => speciesNamed('Crested Dragon')).toThrow(/finch, warbler/);
    expect(() => speciesNamed('Singing Finch')).toThrow(/singing/);
  });

  it('are all different, none both auxiliary and test, nor a stranger', () => {
    const names = [...test, ...auxiliary, ...strangers].map(({ name }) => name);
    expect(new Set(names).size).toBe(38);
  });

  it('share every mark and body plan of a test species with several auxiliary species', () => {
    for (const { marks, bodyPlan } of test) {
      for (const mark of marks)
        expect(auxiliary.filter((other) => other.marks.includes(mark)).length).toBeGreaterThanOrEqual(2);
      expect(auxiliary.some((other) => other.bodyPlan === bodyPlan)).toBe(true);
    }
  });

  it('are fine-grained: each test species has another that differs from it in one mark', () => {
    for (const species of test) {
      const [nearest] = lookAlikes(species, test);
      expect(nearest.bodyPlan).toBe(species.bodyPlan);
      expect(differingMarks(species, nearest)).toBe(2); // one mark less, one mark more
    }
  });

  it('keep all body plans in a smaller aviary', () => {
    const small = aviary(4, 8);
    expect(new Set(small.test.map(({ bodyPlan }) => bodyPlan)).size).toBe(4);
    expect(() => aviary(13)).toThrow(/1 to 12/);
  });
});
