/**
 * A small text about birds, in which names of species stand among the names of their parts, as in a field guide, so that
 * word vectors trained on it place a name by its parts. It speaks of all species alike, whether pictures of them are
 * labelled or not.
 */
import { Random } from '../linalg/index.js';
import { chance, pick } from './geometry.js';
import type { Species } from './species.js';

const phrases: Readonly<Record<string, readonly string[]>> = {
  crested: [
    'a crest',
    'a pointed crest on the head',
    'long crown feathers that form a crest',
    'a crest it raises when alarmed',
  ],
  masked: [
    'a dark mask',
    'a mask across the eye',
    'a black mask from bill to cheek',
    'a dark line through the eye like a mask',
  ],
  collared: ['a collar', 'a pale collar round the neck', 'a white ring on the neck', 'a white neck band like a collar'],
  spotted: ['spots', 'dark spots on the flank', 'round spots below', 'many small spots on the underparts'],
  barred: ['bars', 'dark bars on the flank', 'narrow bars below', 'underparts crossed by dark bars'],
  'long-tailed': ['a long tail', 'a tail as long as its body', 'a very long narrow tail', 'long tail feathers'],
};

const partPhrases: Readonly<Record<string, readonly string[]>> = {
  winged: ['COLOUR wings', 'a COLOUR wing patch', 'COLOUR feathers in the wing', 'COLOUR coverts that show in flight'],
  throated: ['a COLOUR throat', 'a COLOUR bib', 'COLOUR feathers on chin and throat', 'a COLOUR throat patch'],
  capped: ['a COLOUR cap', 'a COLOUR crown', 'COLOUR feathers on top of the head', 'a neat COLOUR cap'],
  breasted: ['a COLOUR breast', 'COLOUR underparts', 'COLOUR feathers on the breast', 'a bright COLOUR breast'],
};

const bodySentences: Readonly<Record<string, readonly string[]>> = {
  finch: [
    'cracks hard seeds with its thick bill',
    'is a stout finch with a short thick bill',
    'feeds on seeds in flocks',
  ],
  warbler: ['picks insects from leaves with its thin bill', 'is a small slim warbler', 'sings from the top of a bush'],
  thrush: [
    'hops over lawns looking for worms',
    'is an upright thrush with long legs',
    'sings at dusk from a high perch',
  ],
  kingfisher: [
    'dives for fish with its long bill',
    'is a kingfisher with a large head',
    'waits above the river for fish',
  ],
};

const generalSentences = [
  'birds moult their feathers once a year',
  'many birds build a nest of twigs and moss',
  'the eggs hatch after two weeks',
  'in autumn flocks gather near the lake before they leave',
  'a good pair of binoculars helps to see the marks of a bird',
  'young birds are duller than their parents',
  'the song carries far over the water in the morning',
  'watch the colour of wing and breast to name a bird',
  'a feeder in the garden brings birds close in winter',
  'both parents feed the young',
];

/** A part of the body in other words, for a mark such as `crested` or `red-winged`. */
function describe(mark: string, random: Random): string {
  if (phrases[mark]) return pick(random, phrases[mark]);
  const [colour, part] = mark.split('-');
  return pick(random, partPhrases[part]).replace('COLOUR', colour);
}

/** One paragraph a line. */
export function writeCorpus(species: readonly Species[], seed: number, sentencesPerSpecies = 60): string {
  const random = new Random(seed, 3);
  const marks = [...new Set(species.flatMap((one) => one.marks))].sort();
  const lines: string[] = [];
  for (const one of species) for (let i = 0; i < sentencesPerSpecies; i++) lines.push(speciesSentence(one, random));
  // What a mark means does not depend on who wears it.
  for (const mark of marks) for (let i = 0; i < sentencesPerSpecies; i++) lines.push(markSentence(mark, random));
  for (let i = 0; i < species.length * 10; i++) lines.push(`${pick(random, generalSentences)}.`);
  return [...random.permutation(lines.length)].map((i) => `${lines[i]}\n`).join('');
}

function speciesSentence(one: Species, random: Random): string {
  const name = one.name.toLowerCase();
  const parts = one.marks.map((mark) => describe(mark, random));
  if (chance(random, 0.5)) parts.reverse();
  return pick(random, [
    () => `the ${name} has ${parts.join(' and ')}.`,
    () => `look for ${parts.join(' and ')} to tell the ${name} from other birds.`,
    () => `the ${name} ${pick(random, bodySentences[one.bodyPlan])} and shows ${parts[0]}.`,
    () => `with ${parts.join(' and ')} the ${name} is easy to name.`,
    () => `the ${name} ${pick(random, bodySentences[one.bodyPlan])}.`,
  ])();
}

function markSentence(mark: string, random: Random): string {
  const [one, other] = [describe(mark, random), describe(mark, random)];
  return pick(random, [
    () => `a ${mark} bird has ${one}.`,
    () => `birds called ${mark} show ${one}.`,
    () => `${mark} means that it has ${one} or ${other}.`,
    () => `in ${mark} species both sexes have ${one}.`,
  ])();
}
