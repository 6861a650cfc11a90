/**
 * What the photo site holds: for every species the list of photos that a search for it brings, with the truth about each.
 * A photo is only a plan here; its picture is drawn when it is asked for.
 */
import { Random } from '../linalg/index.js';
import { type Caption, captionOf, captionOffTopic, captionOfOther } from './captions.js';
import { chance, pick } from './geometry.js';
import { type OffTopicSubject, offTopicScene, offTopicSubjects } from './off-topic.js';
import { develop, photograph } from './photograph.js';
import { lookAlikes, type Species } from './species.js';
import { editForWeb, uploadAgain } from './web-edits.js';

/** `clean` is right; `confused` shows a look-alike, `other` any other bird, `offtopic` no bird. */
export const photoKinds = ['clean', 'confused', 'other', 'offtopic'] as const;
export type PhotoKind = (typeof photoKinds)[number];

export interface Photo {
  readonly id: string;
  /** The species it is found under. */
  readonly asked: Species;
  readonly kind: PhotoKind;
  readonly caption: Caption;
  /** What it shows. */
  readonly shown: Species | OffTopicSubject;
  /** The photo that this one repeats. */
  readonly repeats?: string;
  /** The link leads nowhere. */
  readonly dead: boolean;
}

export interface PhotoOptions {
  readonly seed: number;
  /** Photos of each species that can be had, before repeated ones and dead links. */
  readonly perSpecies: number;
  /** Share of wrong photos, by kind. @default 0.18, 0.07, 0.15 */
  readonly wrong?: Partial<Record<Exclude<PhotoKind, 'clean'>, number>>;
  /** Further photos that repeat one of the list, and further dead links, as shares. @default 0.08, 0.05 */
  readonly repeated?: number;
  readonly dead?: number;
}

/** Streams of random numbers: one for the plans, one for the pictures. */
const planStream = 1;
const pictureStream = 2;

/** Plans the photos of all species, each list in the order of the search results; ids are unique over all of them. */
export function planPhotos(species: readonly Species[], options: PhotoOptions): Photo[] {
  const streams = new Random(options.seed).fork(planStream);
  return species.flatMap((asked, index) => {
    const random = streams.fork(index);
    const photos = planSpecies(asked, species, 30_000_000 + index * 10_000, options, random);
    return [...random.permutation(photos.length)].map((i) => photos[i]);
  });
}

function planSpecies(
  asked: Species,
  all: readonly Species[],
  firstId: number,
  options: PhotoOptions,
  random: Random,
): Photo[] {
  const { perSpecies, repeated = 0.08, dead = 0.05 } = options;
  const shares = { confused: 0.18, other: 0.07, offtopic: 0.15, ...options.wrong };
  const alikes = lookAlikes(asked, all);
  const strangers = all.filter((other) => other.bodyPlan !== asked.bodyPlan);
  const kinds = (['confused', 'other', 'offtopic'] as const).flatMap((kind): PhotoKind[] =>
    Array(Math.round(shares[kind] * perSpecies)).fill(kind),
  );
  const photos: Photo[] = [];
  const add = (kind: PhotoKind, more: Partial<Photo> = {}) => {
    const shown = more.shown ?? subject(kind);
    const caption = captionFor(asked, kind, shown, random);
    photos.push({ id: String(firstId + photos.length), asked, kind, caption, shown, dead: false, ...more });
  };
  const subject = (kind: PhotoKind): Species | OffTopicSubject => {
    if (kind === 'offtopic') return pick(random, offTopicSubjects);
    // People mostly mistake a species for the same one or two others.
    if (kind === 'confused' && alikes.length > 0)
      return alikes[Math.min(alikes.length - 1, chance(random, 0.65) ? 0 : 1 + random.integer(3))];
    if (kind !== 'clean' && strangers.length > 0) return pick(random, strangers);
    return asked;
  };
  for (let i = 0; i < perSpecies; i++) add(kinds[i] ?? 'clean');
  for (let i = 0; i < Math.round(repeated * perSpecies); i++) {
    const original = pick(random, photos.slice(0, perSpecies));
    add(original.kind, { shown: original.shown, repeats: original.id });
  }
  for (let i = 0; i < Math.round(dead * perSpecies); i++) add('clean', { dead: true });
  return photos;
}

function captionFor(asked: Species, kind: PhotoKind, shown: Species | OffTopicSubject, random: Random): Caption {
  if (typeof shown === 'string') return captionOffTopic(asked, shown, random);
  return kind === 'clean' ? captionOf(shown, random) : captionOfOther(asked, shown, random);
}

/** Draws a photo as the web has it. The same photo gives the same bytes whenever it is asked for. */
export async function drawPhoto(photo: Photo, seed: number): Promise<Buffer> {
  const streams = new Random(seed).fork(pictureStream);
  const random = streams.fork(Number(photo.repeats ?? photo.id));
  const picture =
    typeof photo.shown === 'string'
      ? await develop(offTopicScene(photo.shown, random), random)
      : await photograph(photo.shown, random);
  const edited = await editForWeb(picture, random);
  return photo.repeats ? uploadAgain(edited, streams.fork(Number(photo.id))) : edited;
}
