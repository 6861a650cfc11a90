/** What the body plans look like before any mark is added, and the colours that marks can have. */
import { Random } from '../linalg/index.js';
import { between } from './geometry.js';
import type { BodyPlanName, ColourName, Species } from './species.js';

/** Hue in degrees, saturation and lightness in percent. */
export type Colour = readonly [hue: number, saturation: number, lightness: number];

/** Lengths in units of the drawing; the body is about a hundred long. */
export interface BodyPlan {
  /** Half axes of the body. */
  readonly length: number;
  readonly depth: number;
  /** How far the body is reared up when perched, in degrees. */
  readonly tilt: number;
  readonly head: number;
  /** The head's centre, in half axes of the body. */
  readonly headAt: readonly [number, number];
  readonly billLength: number;
  readonly billDepth: number;
  readonly tailLength: number;
  readonly tailWidth: number;
  readonly legs: number;
  readonly upper: Colour;
  readonly under: Colour;
  readonly bill: Colour;
}

export const bodyPlans: Readonly<Record<BodyPlanName, BodyPlan>> = {
  finch: {
    length: 46,
    depth: 32,
    tilt: 30,
    head: 25,
    headAt: [0.72, -0.78],
    billLength: 17,
    billDepth: 16,
    tailLength: 42,
    tailWidth: 15,
    legs: 20,
    upper: [28, 32, 42],
    under: [38, 38, 74],
    bill: [35, 45, 55],
  },
  warbler: {
    length: 44,
    depth: 24,
    tilt: 22,
    head: 19,
    headAt: [0.84, -0.72],
    billLength: 17,
    billDepth: 5,
    tailLength: 44,
    tailWidth: 12,
    legs: 24,
    upper: [75, 28, 40],
    under: [55, 22, 80],
    bill: [30, 12, 25],
  },
  thrush: {
    length: 52,
    depth: 29,
    tilt: 44,
    head: 22,
    headAt: [0.9, -0.62],
    billLength: 21,
    billDepth: 8,
    tailLength: 46,
    tailWidth: 16,
    legs: 34,
    upper: [22, 14, 38],
    under: [35, 18, 78],
    bill: [38, 55, 45],
  },
  kingfisher: {
    length: 42,
    depth: 30,
    tilt: 50,
    head: 28,
    headAt: [0.92, -0.5],
    billLength: 50,
    billDepth: 11,
    tailLength: 24,
    tailWidth: 16,
    legs: 10,
    upper: [195, 30, 42],
    under: [30, 24, 76],
    bill: [20, 10, 22],
  },
};

const pureColours: Readonly<Record<ColourName, Colour>> = {
  red: [2, 78, 44],
  yellow: [50, 92, 54],
  blue: [218, 72, 46],
  black: [30, 8, 11],
  white: [45, 15, 94],
  orange: [24, 90, 52],
};

/** What a species looks like beyond its name: every real species has traits that nobody put into words. */
interface UnnamedTraits {
  readonly upper: Colour;
  readonly under: Colour;
  readonly bill: Colour;
  /** Multiply the lengths of the body plan. */
  readonly billLength: number;
  readonly tailLength: number;
}

function unnamedTraits(species: Species): UnnamedTraits {
  const plan = bodyPlans[species.bodyPlan];
  // The same in every aviary: it belongs to the species, not to the seed.
  const random = new Random(
    [...species.name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 2 ** 32, 7),
  );
  const own = ([hue, saturation, lightness]: Colour, spread: number): Colour => [
    hue + spread * between(random, -16, 16),
    Math.max(4, saturation + spread * between(random, -12, 14)),
    lightness + spread * between(random, -10, 10),
  ];
  return {
    upper: own(plan.upper, 1),
    under: own(plan.under, 0.8),
    bill: own(plan.bill, 1.2),
    billLength: between(random, 0.85, 1.2),
    tailLength: between(random, 0.85, 1.15),
  };
}

/** One bird of a species: its own shade of every colour, its own proportions, its own pattern of spots. */
export interface Individual {
  readonly upper: Colour;
  readonly under: Colour;
  readonly bill: Colour;
  readonly marks: Readonly<Partial<Record<'wing' | 'throat' | 'cap' | 'breast', Colour>>>;
  /** Multiplies the depth of the body and the size of every mark. */
  readonly plumpness: number;
  readonly markSize: number;
  readonly billLength: number;
  readonly tailLength: number;
}

export function individualOf(species: Species, random: Random): Individual {
  const own = unnamedTraits(species);
  const shade = ([hue, saturation, lightness]: Colour, spread: number): Colour => [
    hue + spread * between(random, -7, 7),
    Math.max(0, Math.min(100, saturation + spread * between(random, -12, 12))),
    Math.max(4, Math.min(97, lightness + spread * between(random, -8, 8))),
  ];
  const marks = Object.entries(species.colours).map(([part, colour]) => [part, shade(pureColours[colour], 0.8)]);
  return {
    upper: shade(own.upper, 1),
    under: shade(own.under, 1),
    bill: shade(own.bill, 1),
    marks: Object.fromEntries(marks),
    plumpness: between(random, 0.9, 1.14),
    markSize: between(random, 0.82, 1.15),
    billLength: own.billLength * between(random, 0.95, 1.05),
    tailLength: own.tailLength * between(random, 0.92, 1.08),
  };
}

export function css([hue, saturation, lightness]: Colour, lighter = 0): string {
  const clamped = Math.max(0, Math.min(100, lightness + lighter));
  return `hsl(${(((hue % 360) + 360) % 360) | 0},${saturation | 0}%,${clamped | 0}%)`;
}
