/**
 * The problems of the wild benchmark: each with pictures of categories that are neither listed nor auxiliary (near strangers),
 * pictures of something else altogether (far strangers), and web pictures in the number and with the noise asked for.
 */
import { join } from 'node:path';
import { openNpz, toInt32, toMatrix, toStrings } from '../../src/formats/index.js';
import { type Matrix, Random } from '../../src/linalg/index.js';
import {
  loadProblem,
  normalize,
  type Problem,
  plantWeb,
  restrictToCategories,
  scaleToUnitLength,
  subsetWeb,
  withWrongShare,
} from '../../src/problem/index.js';
import { rowsWhere, selectRows } from '../../src/problem/rows.js';
import { keepValidationWeb, rowsByCategory } from '../../src/problem/subset.js';
import { cachedFeatures, farFeatures } from './features.js';

export interface WildProblem {
  readonly problem: Problem;
  readonly strangers: Matrix;
  readonly far: Matrix;
}

/** What is asked of the web pictures; what is left out is as the problem has it. */
export interface WebChoice {
  readonly wrong?: number;
  readonly perCategory?: number;
}

export interface WildSource {
  readonly title: string;
  /** Whether web pictures have text. */
  readonly text: boolean;
  /** The most web pictures of a category that there are. */
  readonly mostWeb: number;
  /** Share of wrong labels among made-up web pictures of validation categories, where the problem has none of its own. */
  readonly validationNoise?: number;
  make(seed: number, web: WebChoice): Promise<WildProblem>;
}

/** The problems by name; `data` is the folder of the data sets, `cache` one for extracted features. */
export function wildSources(data: string, cache: string): Record<string, WildSource> {
  const cub = once(() => readCub(data));
  const zoomed = once(() => readZoomed(data));
  const farOf = (model: string) => once(async () => unit((await farFeatures(model, cache)).features));
  const [farResnet, farMobilenet] = [farOf('resnet50'), farOf('mobilenet-v2-0.35')];
  const planted = (semantics: 'attributes' | 'words'): WildSource => ({
    title: `CUB, ResNet-50, planted noise, ${semantics}`,
    text: false,
    mostWeb: 100,
    validationNoise: 0.4,
    make: async (seed, web) => ({
      ...plantedCub({ ...(await cub()), ...(takesZoomed(web) && { zoomed: await zoomed() }) }, semantics, seed, web),
      far: await farResnet(),
    }),
  });
  const crawled = (semantics: 'attributes' | 'words'): WildSource => {
    const whole = once(() =>
      loadProblem(join(data, 'cub-web.npz'), semantics === 'attributes' ? { semantics: 'attributes' } : {}),
    );
    return {
      title: `CUB, GoogLeNet, web edits and text, ${semantics}`,
      text: true,
      mostWeb: 40,
      make: async (seed, web) => webCub(await whole(), seed, web),
    };
  };
  const mini = (model: string, title: string, far: () => Promise<Matrix>): WildSource => ({
    title: `15 species, photographs of a web search, ${title}`,
    text: false,
    mostWeb: 26,
    validationNoise: 0.3,
    make: async (seed, web) => ({
      ...(await birdsMini(join(data, 'birds-mini'), model, cache, await cub(), seed, web)),
      far: await far(),
    }),
  });
  return {
    'cub-resnet50': planted('attributes'),
    'cub-resnet50-words': planted('words'),
    'cub-web': crawled('attributes'),
    'cub-web-words': crawled('words'),
    'birds-mini-resnet50': mini('resnet50', 'ResNet-50', farResnet),
    'birds-mini-mobilenet': mini('mobilenet-v2-0.35', 'MobileNet', farMobilenet),
  };
}

interface Cub {
  readonly features: Matrix;
  /** The middle of each picture, mirrored: a further web picture where many are asked for. */
  readonly zoomed?: Matrix;
  readonly labels: Int32Array;
  readonly names: string[];
  readonly attributes: Matrix;
  readonly words: Matrix;
}

/** Without the zoomed pictures. */
export async function readCub(data: string): Promise<Cub> {
  const file = join(data, 'cub-resnet50.npz');
  return {
    features: toMatrix(await read(file, 'features'), 'float32'),
    labels: toInt32(await read(file, 'labels')),
    names: toStrings(await read(file, 'class_names')),
    attributes: toMatrix(await read(file, 'attributes')),
    words: toMatrix(await read(file, 'glove100')),
  };
}

export async function readZoomed(data: string): Promise<Matrix> {
  return toMatrix(await read(join(data, 'cub-resnet50-zoom.npz'), 'features'), 'float32');
}

async function read(file: string, name: string) {
  const archive = await openNpz(file);
  try {
    return await archive.read(name);
  } finally {
    await archive.close();
  }
}

/** Each category has too few pictures of its own for as many web pictures. */
const takesZoomed = ({ perCategory = 20 }: WebChoice) => perCategory > 20;

/**
 * 50 listed species, 20 strangers, 130 auxiliary ones, drawn by the seed. Half of a listed species' pictures, at most 30, are to be
 * classified, the others play web pictures, some of them under a wrong name. Where more than 20 web pictures are asked
 * for, fewer are to be classified and each web picture comes twice, plain and zoomed.
 */
export function plantedCub(cub: Cub, semantics: 'attributes' | 'words', seed: number, web: WebChoice) {
  const { perCategory = 20, wrong = 0.4 } = web;
  const random = new Random(seed);
  const order = Array.from(random.permutation(cub.names.length));
  const [listed, strange, auxiliary] = [order.slice(0, 50), order.slice(50, 70), order.slice(70)];
  const pools = rowsByCategory(cub.labels, cub.names.length);
  const many = takesZoomed(web);
  const test: number[] = [];
  for (const category of listed) {
    const rows = Array.from(random.permutation(pools[category].length), (k) => pools[category][k]);
    test.push(...rows.splice(0, many ? Math.min(15, rows.length >> 2) : Math.min(30, rows.length >> 1)));
    pools[category] = many ? rows.flatMap((row) => [row, row + cub.labels.length]) : rows;
  }
  const planted = plantWeb({ pools, listed, vectors: cub.attributes, perCategory, wrong }, seed);
  const used = new Set(planted.map(({ row }) => row));
  const unused = (categories: number[]) =>
    categories.flatMap((category) => pools[category].filter((row) => !used.has(row)));
  const [auxiliaryRows, strangerRows] = [unused(auxiliary), unused(strange)];
  const vectors = cub[semantics];
  const plain = planted.map(({ row }) => row % cub.labels.length);
  const webFeatures = selectRows(cub.features, plain).copy('float64');
  planted.forEach(({ row }, i) => {
    if (row >= cub.labels.length) webFeatures.row(i).set(cub.zoomed!.row(row - cub.labels.length));
  });
  const problem = normalize({
    auxiliaryFeatures: selectRows(cub.features, auxiliaryRows).copy('float64'),
    auxiliaryLabels: Int32Array.from(auxiliaryRows, (row) => auxiliary.indexOf(cub.labels[row])),
    auxiliarySemantics: selectRows(vectors, auxiliary),
    auxiliaryNames: auxiliary.map((category) => cub.names[category]),
    webFeatures,
    webLabels: Int32Array.from(planted, ({ claimed }) => claimed),
    webKinds: planted.map(({ kind }) => kind),
    testFeatures: selectRows(cub.features, test).copy('float64'),
    testLabels: Int32Array.from(test, (row) => listed.indexOf(cub.labels[row])),
    testSemantics: selectRows(vectors, listed),
    testNames: listed.map((category) => cub.names[category]),
    generalized: false,
  });
  return { problem, strangers: unit(selectRows(cub.features, strangerRows)) };
}

/** The whole of `cub-web.npz`, but for 20 auxiliary species that become strangers and half of the off-topic validation pictures. */
function webCub(whole: Problem, seed: number, web: WebChoice): WildProblem {
  const random = new Random(seed);
  const { validationWeb, auxiliaryNames, auxiliaryLabels } = whole;
  // Validation web pictures are of the first auxiliary categories.
  const first = 1 + validationWeb!.labels.reduce((most, label) => Math.max(most, label), 0);
  const strange = new Set(Array.from(random.choice(auxiliaryNames.length - first, 20), (k) => first + k));
  const kept = auxiliaryNames.map((_, category) => category).filter((category) => !strange.has(category));
  const offTopic = [...validationWeb!.kinds!.keys()].filter((i) => validationWeb!.kinds![i] === 'offtopic');
  const far = new Set(Array.from(random.choice(offTopic.length, offTopic.length >> 1), (k) => offTopic[k]));
  const remaining = rowsWhere(validationWeb!.labels.length, (i) => !far.has(i));
  const problem = restrictToCategories(
    { ...whole, validationWeb: keepValidationWeb(validationWeb!, remaining) },
    { auxiliary: kept },
  );
  return {
    problem: chosenWeb(problem, seed, web),
    strangers: selectRows(
      whole.auxiliaryFeatures,
      [...auxiliaryLabels.keys()].filter((i) => strange.has(auxiliaryLabels[i])),
    ),
    far: selectRows(
      validationWeb!.features,
      [...far].sort((a, b) => a - b),
    ),
  };
}

/** 15 listed species; 10 of the 40 auxiliary ones, drawn by the seed, are strangers. Attributes are those of CUB. */
async function birdsMini(folder: string, model: string, cache: string, cub: Cub, seed: number, web: WebChoice) {
  const load = (part: string) => cachedFeatures(join(folder, part), model, join(cache, `birds-mini-${model}-${part}`));
  const [auxiliary, found, test] = [await load('auxiliary'), await load('web'), await load('test')];
  const species = [...new Set(auxiliary.categories)].sort();
  const names = [...new Set(test.categories)].sort();
  const order = Array.from(new Random(seed).permutation(species.length), (k) => species[k]);
  const [strange, known] = [order.slice(0, 10), order.slice(10).sort()];
  const vectors = (of: string[]) =>
    selectRows(
      cub.attributes,
      of.map((name) => cub.names.indexOf(name)),
    );
  const rowsOf = (part: typeof auxiliary, of: string[]) =>
    [...part.categories.keys()].filter((i) => of.includes(part.categories[i]));
  const labelled = (part: typeof auxiliary, of: string[]) => {
    const rows = rowsOf(part, of);
    return {
      features: selectRows(part.features, rows).copy('float64'),
      labels: Int32Array.from(rows, (i) => of.indexOf(part.categories[i])),
    };
  };
  const [knownPart, webPart, testPart] = [labelled(auxiliary, known), labelled(found, names), labelled(test, names)];
  const problem = normalize({
    auxiliaryFeatures: knownPart.features,
    auxiliaryLabels: knownPart.labels,
    auxiliarySemantics: vectors(known),
    auxiliaryNames: known,
    webFeatures: webPart.features,
    webLabels: webPart.labels,
    webKinds: rowsOf(found, names).map((i) => (found.paths[i].includes('right') ? 'clean' : 'other')),
    testFeatures: testPart.features,
    testLabels: testPart.labels,
    testSemantics: vectors(names),
    testNames: names,
    generalized: false,
  });
  const strangers = unit(selectRows(auxiliary.features, rowsOf(auxiliary, strange)));
  return { problem: chosenWeb(problem, seed, web), strangers };
}

/** Fewer web pictures out of those there are; their noise, where it is to be another, from the known truth. */
function chosenWeb(problem: Problem, seed: number, { wrong, perCategory }: WebChoice): Problem {
  if (wrong !== undefined) return withWrongShare(problem, wrong, perCategory ?? 20, seed);
  return perCategory === undefined ? problem : subsetWeb(problem, perCategory, seed);
}

/** A copy with rows of unit length, as `normalize` gives a problem's own features. */
function unit(features: Matrix): Matrix {
  const copy = features.copy('float64');
  scaleToUnitLength('strangers', copy);
  return copy;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
