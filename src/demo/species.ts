/**
 * The birds of the aviary. A species is its name: the last word is the body plan, every word before it a mark that can
 * be seen, so `Crested Red-winged Finch` is a finch with a crest and red wings. Marks recur: each mark of a test species
 * is also worn by auxiliary species, which is what lets words carry over from one to the other.
 */
import { ArgumentError } from '../errors.js';

export const bodyPlanNames = ['finch', 'warbler', 'thrush', 'kingfisher'] as const;
export type BodyPlanName = (typeof bodyPlanNames)[number];

export const colourNames = ['red', 'yellow', 'blue', 'black', 'white', 'orange'] as const;
export type ColourName = (typeof colourNames)[number];

/** Parts that a colour can be said of, as in `red-winged`. */
const colouredParts = { winged: 'wing', throated: 'throat', capped: 'cap', breasted: 'breast' } as const;
type ColouredPart = (typeof colouredParts)[keyof typeof colouredParts];
const shapes = ['crested', 'masked', 'collared', 'spotted', 'barred', 'long-tailed'] as const;
type Shape = (typeof shapes)[number];

export interface Species {
  readonly name: string;
  readonly bodyPlan: BodyPlanName;
  /** The words before the last one, in lower case. */
  readonly marks: readonly string[];
  readonly shapes: ReadonlySet<Shape>;
  readonly colours: Readonly<Partial<Record<ColouredPart, ColourName>>>;
}

/** Reads what a species looks like from its name. */
export function speciesNamed(name: string): Species {
  const words = name.toLowerCase().split(' ');
  const bodyPlan = bodyPlanNames.find((plan) => plan === words.at(-1));
  if (!bodyPlan) throw new ArgumentError(`speciesNamed: "${name}" does not end in one of ${bodyPlanNames.join(', ')}`);
  const marks = words.slice(0, -1);
  const worn = new Set<Shape>();
  const colours: Partial<Record<ColouredPart, ColourName>> = {};
  for (const mark of marks) {
    const shape = shapes.find((known) => known === mark);
    const [first, second] = mark.split('-');
    const colour = colourNames.find((known) => known === first);
    if (shape) worn.add(shape);
    else if (colour && second in colouredParts) colours[colouredParts[second as keyof typeof colouredParts]] = colour;
    else throw new ArgumentError(`speciesNamed: "${mark}" in "${name}" is no mark that can be drawn`);
  }
  return { name, bodyPlan, marks, shapes: worn, colours };
}

/** Nobody has labelled these. Within a body plan neighbours in the list differ by a single mark. */
const testNames = [
  ['Crested Red-winged Finch', 'Spotted Red-winged Finch', 'Spotted Black-throated Finch'],
  ['Masked Yellow-breasted Warbler', 'Crested Yellow-breasted Warbler', 'Crested Blue-winged Warbler'],
  ['Collared White-winged Thrush', 'Collared Black-throated Thrush', 'Long-tailed Black-throated Thrush'],
  ['Barred Black-capped Kingfisher', 'Barred Orange-breasted Kingfisher', 'Crested Orange-breasted Kingfisher'],
];

const auxiliaryNames = [
  [
    'Crested Black-throated Finch',
    'Masked Red-winged Finch',
    'Spotted Yellow-throated Finch',
    'Long-tailed Red-capped Finch',
    'Barred White-winged Finch',
    'Collared Orange-breasted Finch',
  ],
  [
    'Masked Blue-winged Warbler',
    'Crested Yellow-throated Warbler',
    'Spotted White-winged Warbler',
    'Long-tailed Black-capped Warbler',
    'Collared Red-winged Warbler',
    'Barred Black-throated Warbler',
  ],
  [
    'Collared Yellow-throated Thrush',
    'Long-tailed White-winged Thrush',
    'Spotted Red-capped Thrush',
    'Crested Orange-breasted Thrush',
    'Masked Black-capped Thrush',
    'Barred Blue-winged Thrush',
  ],
  [
    'Barred Red-winged Kingfisher',
    'Crested Yellow-breasted Kingfisher',
    'Masked Orange-breasted Kingfisher',
    'Spotted Black-capped Kingfisher',
    'Collared Blue-winged Kingfisher',
    'Long-tailed Yellow-breasted Kingfisher',
  ],
];

/** Nobody has labelled these either, and nobody has listed them: they fly in among the others. */
const strangerNames = ['Long-tailed Red-capped Warbler', 'Spotted Blue-winged Thrush'];

export interface Aviary {
  readonly test: readonly Species[];
  readonly auxiliary: readonly Species[];
  readonly strangers: readonly Species[];
}

/** The first species of each list, body plans in turn, so that a smaller aviary still holds all of them. */
export function aviary(testSpecies = 12, auxiliarySpecies = 24): Aviary {
  return {
    test: inTurn(testNames, testSpecies, 'test'),
    auxiliary: inTurn(auxiliaryNames, auxiliarySpecies, 'auxiliary'),
    strangers: strangerNames.map(speciesNamed),
  };
}

function inTurn(lists: readonly (readonly string[])[], count: number, what: string): Species[] {
  const all = lists[0].flatMap((_, i) => lists.map((names) => names[i]));
  if (!Number.isInteger(count) || count < 1 || count > all.length)
    throw new ArgumentError(`aviary: ${count} ${what} species were asked for; there are 1 to ${all.length}`);
  return all.slice(0, count).map(speciesNamed);
}

/** How many marks two species of one body plan do not share; birds of other body plans are further apart. */
export function differingMarks(a: Species, b: Species): number {
  const shared = a.marks.filter((mark) => b.marks.includes(mark)).length;
  return a.marks.length + b.marks.length - 2 * shared + (a.bodyPlan === b.bodyPlan ? 0 : 10);
}

/** The species most easily mistaken for this one, the likeliest first. */
export function lookAlikes(species: Species, others: readonly Species[]): Species[] {
  return others
    .filter((other) => other.name !== species.name && other.bodyPlan === species.bodyPlan)
    .sort((a, b) => differingMarks(species, a) - differingMarks(species, b) || (a.name < b.name ? -1 : 1));
}
