import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawPhoto, type Photo, photoKinds, planPhotos } from '../../src/demo/photos.js';
import { aviary } from '../../src/demo/species.js';

const { test, auxiliary } = aviary();
const all = [...test, ...auxiliary];
const photos = planPhotos(all, { seed: 1, perSpecies: 30 });
const of = (name: string) => photos.filter(({ asked }) => asked.name === name);

describe('the photos of the site', () => {
  it('are planned the same from the same seed, and otherwise from another', () => {
    expect(planPhotos(all, { seed: 1, perSpecies: 30 })).toEqual(photos);
    expect(planPhotos(all, { seed: 2, perSpecies: 30 })).not.toEqual(photos);
  });

  it('hold every kind for every species, most of them clean, and repeated and dead ones', () => {
    for (const { name } of all) {
      const own = of(name);
      for (const kind of photoKinds) expect(own.some((photo) => photo.kind === kind)).toBe(true);
      const clean = own.filter(({ kind, dead, repeats }) => kind === 'clean' && !dead && !repeats);
      expect(clean.length).toBe(30 - 5 - 2 - 5);
      expect(own.some(({ dead }) => dead)).toBe(true);
      expect(own.some(({ repeats }) => repeats !== undefined)).toBe(true);
    }
  });

  it('show what their kind says', () => {
    for (const { kind, shown, asked } of photos) {
      if (kind === 'clean') expect(shown).toBe(asked);
      if (kind === 'offtopic') expect(typeof shown).toBe('string');
      if (kind === 'confused' && typeof shown !== 'string') {
        expect(shown.name).not.toBe(asked.name);
        expect(shown.bodyPlan).toBe(asked.bodyPlan);
      }
      if (kind === 'other' && typeof shown !== 'string') expect(shown.bodyPlan).not.toBe(asked.bodyPlan);
    }
  });

  it('have ids of their own', () => {
    expect(new Set(photos.map(({ id }) => id)).size).toBe(photos.length);
  });

  it('are described in words that fit a clean photo better than a wrong one', () => {
    const naming = (photo: Photo) => photo.asked.marks.filter((mark) => photo.caption.tags.includes(mark)).length;
    const mean = (some: readonly Photo[]) => some.reduce((sum, photo) => sum + naming(photo), 0) / some.length;
    const clean = photos.filter(({ kind }) => kind === 'clean');
    const wrong = photos.filter(({ kind }) => kind !== 'clean');
    expect(mean(clean)).toBeGreaterThan(1.5 * mean(wrong));
  });

  it('are drawn to the same bytes each time, as pictures that decode', async () => {
    const some = photoKinds.map((kind) => photos.find((photo) => photo.kind === kind && !photo.repeats)!);
    for (const photo of some) {
      const picture = await drawPhoto(photo, 1);
      expect((await drawPhoto(photo, 1)).equals(picture)).toBe(true);
      expect((await drawPhoto(photo, 2)).equals(picture)).toBe(false);
      const { format, width } = await sharp(picture).metadata();
      expect(format).toBe('jpeg');
      expect(width).toBeGreaterThanOrEqual(160);
    }
  });

  it('look nearly like the photo they repeat, in other bytes', async () => {
    const copy = photos.find(({ repeats }) => repeats !== undefined)!;
    const original = photos.find(({ id }) => id === copy.repeats)!;
    const small = async (photo: Photo) => {
      const picture = await drawPhoto(photo, 1);
      return sharp(picture).resize(16, 16, { fit: 'fill' }).greyscale().raw().toBuffer();
    };
    const [a, b] = [await small(copy), await small(original)];
    const difference = a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
    expect(difference).toBeLessThan(8);
    expect((await drawPhoto(copy, 1)).equals(await drawPhoto(original, 1))).toBe(false);
  });
});
