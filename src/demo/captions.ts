/**
 * Titles, tags and descriptions of the photo site. People name what they believe they have seen, often the marks too; on
 * wrong pictures the words betray it as often as on real sites, which is not always.
 */
import type { Random } from '../linalg/index.js';
import { between, chance, pick } from './geometry.js';
import type { OffTopicSubject } from './off-topic.js';
import type { Species } from './species.js';

export interface Caption {
  readonly title: string;
  readonly tags: readonly string[];
  readonly description: string;
}

const localities = [
  'Alder Marsh',
  'Stony Creek',
  'Old Quarry',
  'Heron Lake',
  'North Ridge',
  'Miller Park',
  'Salt Pans',
];
const chatter = [
  'nature',
  'wildlife',
  'canon',
  'nikon',
  'morning',
  'spring',
  'autumn',
  'closeup',
  'bokeh',
  'outdoor',
  'walk',
  'weekend',
  'explore',
];
const remarks = [
  'Taken on my morning walk.',
  'It stayed only a few seconds.',
  'Handheld, a little cropped.',
  'First one this year!',
  'Not my best shot but I like the light.',
  '',
  '',
];
export const photographers = [
  'Mara Quill',
  'J. Osprey',
  'tobias_w',
  'Fernweh',
  'Ines B.',
  'hide-and-seek',
  'Old Lens',
  'k_rook',
];

const joined = (word: string) => word.replaceAll(/[^a-z]/g, '');

function chatterTags(random: Random): string[] {
  const count = 1 + random.integer(4);
  return [...random.choice(chatter.length, count)].map((i) => chatter[i]);
}

const birdTags = (species: Species, random: Random) => [
  'bird',
  species.bodyPlan,
  ...species.marks.filter(() => chance(random, 0.45)).map((mark) => (chance(random, 0.5) ? mark : joined(mark))),
];

/** Of a bird that is what it is said to be. */
export function captionOf(species: Species, random: Random): Caption {
  const place = pick(random, localities);
  const titles = [
    species.name,
    `${species.name} at ${place}`,
    `${species.marks.at(-1)} ${species.bodyPlan}`,
    `A ${species.name.toLowerCase()}`,
    `${species.bodyPlan} on a branch`,
    `IMG_${1000 + random.integer(8999)}`,
  ];
  return {
    title: pick(random, titles),
    tags: [
      ...birdTags(species, random),
      ...chatterTags(random),
      ...(chance(random, 0.4) ? [joined(place.toLowerCase())] : []),
    ],
    description: pick(random, remarks),
  };
}

/** Of another bird that the search found for `asked`: honestly named, named as the one asked for, or not at all. */
export function captionOfOther(asked: Species, shown: Species, random: Random): Caption {
  const honesty = random.uniform();
  if (honesty < 0.35) return captionOf(asked, random);
  const caption = captionOf(shown, random);
  if (honesty < 0.6) return { ...caption, title: `${shown.name}, not ${asked.name}` };
  if (honesty < 0.8)
    return {
      ...caption,
      title: `Is this a ${asked.bodyPlan}? Please help me identify`,
      tags: [...caption.tags, 'unidentified'],
    };
  return { ...caption, tags: [...caption.tags, asked.bodyPlan, ...chatterTags(random)] };
}

const subjectWords: Readonly<Record<OffTopicSubject, readonly string[]>> = {
  landscape: ['landscape', 'hills', 'view', 'panorama'],
  nest: ['nest', 'nesting', 'twigs', 'breeding'],
  eggs: ['egg', 'eggs', 'clutch', 'collection'],
  logo: ['logo', 'illustration', 'badge', 'society'],
};

export function captionOffTopic(asked: Species, subject: OffTopicSubject, random: Random): Caption {
  const words = subjectWords[subject];
  const place = pick(random, localities);
  // A quarter says nothing about what it really shows.
  const quiet = between(random, 0, 1) < 0.25;
  const titles = [`${asked.name} ${words[0]}`, `${words[1]} at ${place}`, `Where the ${asked.bodyPlan} lives`];
  return {
    title: quiet ? asked.name : pick(random, titles),
    tags: [asked.bodyPlan, ...(quiet ? ['bird'] : words.filter(() => chance(random, 0.6))), ...chatterTags(random)],
    description: pick(random, remarks),
  };
}
