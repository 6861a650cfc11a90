/**
 * A generated problem with known truth: auxiliary and test categories share one dictionary from semantic vectors to
 * features, web pictures are shifted and partly wrong, and `webKinds` tells which.
 */
import { ArgumentError } from '../errors.js';
import type { Dtype } from '../linalg/index.js';
import { Random } from '../linalg/index.js';
import { cleanPictures, generateWorld, type World, webPictures } from './generate-pictures.js';
import { type FeatureScaling, normalize } from './normalize.js';
import type { Problem, ValidationWeb } from './problem.js';
import { validationCategoryCount } from './validation.js';

export interface GenerateOptions {
  /** @default 1 */
  seed?: number;
  /** @default 12 */
  auxiliaryCategories?: number;
  /** @default 6 */
  testCategories?: number;
  /** Visual features per picture, d. @default 40 */
  dimensions?: number;
  /** Length of a semantic vector, m. @default 10 */
  semanticDimensions?: number;
  /** Pictures per auxiliary category. @default 20 */
  auxiliaryPerCategory?: number;
  /** Web pictures per test category. @default 30 */
  webPerCategory?: number;
  /** Test pictures per test category. @default 20 */
  testPerCategory?: number;
  /** Share of web pictures whose label is wrong, in equal parts confused, other and off-topic. @default 0.3 */
  wrong?: number;
  /** Standard deviation of a picture around its category, where categories spread by 1. @default 1 */
  noise?: number;
  /** Size of the part of a category's mean that its semantic vector does not explain. @default 0.3 */
  offset?: number;
  /** Mean distance, per feature, by which web pictures are moved away from test pictures. @default 0.3 */
  shift?: number;
  /** Titles and tags for the web pictures. @default true */
  text?: boolean;
  /** Web pictures of the validation categories too. @default true */
  validation?: boolean;
  /** @default 'l2' */
  scaling?: FeatureScaling;
  /** @default 'float64' */
  dtype?: Dtype;
}

const defaults: Required<GenerateOptions> = {
  seed: 1,
  auxiliaryCategories: 12,
  testCategories: 6,
  dimensions: 40,
  semanticDimensions: 10,
  auxiliaryPerCategory: 20,
  webPerCategory: 30,
  testPerCategory: 20,
  wrong: 0.3,
  noise: 1,
  offset: 0.3,
  shift: 0.3,
  text: true,
  validation: true,
  scaling: 'l2',
  dtype: 'float64',
};

/**
 * Generates a problem; the same options give the same problem, bit for bit.
 *
 * @example
 * const problem = generateProblem({ seed: 7, testCategories: 4, wrong: 0.4 });
 * problem.webKinds?.filter((kind) => kind !== 'clean').length; // 48 of 120
 */
export function generateProblem(options: GenerateOptions = {}): Problem {
  const settings = { ...defaults, ...options };
  checkSettings(settings);
  const { auxiliaryCategories, testCategories, seed } = settings;
  const categories = auxiliaryCategories + testCategories;
  const world = generateWorld(settings);
  const auxiliary = cleanPictures(world, 0, auxiliaryCategories, settings.auxiliaryPerCategory, new Random(seed, 2));
  const test = cleanPictures(world, auxiliaryCategories, categories, settings.testPerCategory, new Random(seed, 3));
  const auxiliaryIndices = range(0, auxiliaryCategories);
  const web = webPictures(world, range(auxiliaryCategories, categories), auxiliaryIndices, new Random(seed, 4));
  const problem: Problem = {
    auxiliaryFeatures: auxiliary.features,
    auxiliaryLabels: auxiliary.labels,
    auxiliarySemantics: world.semantics.view(0, auxiliaryCategories),
    auxiliaryNames: world.names.slice(0, auxiliaryCategories),
    webFeatures: web.features,
    webLabels: web.labels,
    webKinds: web.kinds,
    ...(settings.text && { webText: web.text, webTexts: web.texts }),
    testFeatures: test.features,
    testLabels: test.labels,
    testSemantics: world.semantics.view(auxiliaryCategories, categories),
    testNames: world.names.slice(auxiliaryCategories),
    generalized: false,
    ...(settings.validation && { validationWeb: generateValidationWeb(world) }),
  };
  return normalize(problem, { scaling: settings.scaling });
}

function generateValidationWeb(world: World): ValidationWeb {
  const { auxiliaryCategories, testCategories, seed } = world.settings;
  const count = validationCategoryCount(auxiliaryCategories, testCategories);
  return webPictures(world, range(0, count), range(count, auxiliaryCategories), new Random(seed, 5));
}

function checkSettings(settings: Required<GenerateOptions>): void {
  const counts = [
    'auxiliaryCategories',
    'testCategories',
    'dimensions',
    'semanticDimensions',
    'auxiliaryPerCategory',
    'webPerCategory',
    'testPerCategory',
  ] as const;
  for (const name of counts)
    if (!Number.isSafeInteger(settings[name]) || settings[name] < 1)
      throw new ArgumentError(`generateProblem: ${name} is ${settings[name]}; it must be a whole number of at least 1`);
  for (const name of ['noise', 'offset', 'shift'] as const)
    if (!(settings[name] >= 0 && Number.isFinite(settings[name])))
      throw new ArgumentError(`generateProblem: ${name} is ${settings[name]}; it must be a number of at least 0`);
  if (!(settings.wrong >= 0 && settings.wrong <= 1))
    throw new ArgumentError(`generateProblem: wrong is ${settings.wrong}; it must be a share between 0 and 1`);
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
