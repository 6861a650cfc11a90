/**
 * The problems on which methods are compared with the paper and their ranges are learnt: CUB with GoogLeNet features and web
 * pictures that were edited (`cub-web.npz`, with text), and CUB with ResNet-50 features along their 512 main directions and planted web
 * pictures (from `cub-resnet50.npz`, without text), each with attributes and with the word vectors of the names.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openNpz, toInt32, toMatrix, toStrings } from '../../src/formats/index.js';
import { createBackend, type Matrix, Random } from '../../src/linalg/index.js';
import { mainDirections, project } from '../../src/numerics/index.js';
import {
  loadProblem,
  normalize,
  type PlantedPicture,
  type Problem,
  plantWeb,
  rowsByCategory,
  saveProblem,
  scaleToUnitLength,
  selectRows,
  validationCategoryCount,
} from '../../src/problem/index.js';

export const cubProblemNames = ['cub-web', 'cub-web-words', 'cub-resnet50', 'cub-resnet50-words'] as const;
export type CubProblemName = (typeof cubProblemNames)[number];

/** The problem whose pictures this one has: what does not read semantic vectors is the same in both. */
export function twinOf(name: CubProblemName): CubProblemName | undefined {
  return name.endsWith('-words') ? (name.slice(0, -'-words'.length) as CubProblemName) : undefined;
}

export function hasText(name: CubProblemName): boolean {
  return name.startsWith('cub-web');
}

export interface CubFolders {
  /** Where the data sets are. */
  data: string;
  /** Where problems that have to be made are kept, as files of their own. */
  made: string;
}

/** @param words the size of the vocabulary, where there is text. @default 2000 */
export async function cubProblem({ data, made }: CubFolders, name: CubProblemName, words?: number): Promise<Problem> {
  const byName = twinOf(name) !== undefined;
  if (hasText(name))
    return loadProblem(join(data, 'cub-web.npz'), { words, ...(!byName && { semantics: 'attributes' }) });
  const path = join(made, `${name}.npz`);
  if (!existsSync(path)) {
    mkdirSync(made, { recursive: true });
    const problem = await plantedProblem(join(data, 'cub-resnet50.npz'), byName ? 'glove100' : 'attributes');
    await saveProblem(path, problem, { dtype: 'float16', compress: true });
  }
  return loadProblem(path);
}

/** Main directions kept of the ResNet's features, which are 2,048. */
const dimensions = 512;

/** Web pictures of a category, and the share of them that shows something else, as in `cub-web.npz`. */
const perCategory = 36;
const wrong = 0.38;

/**
 * The standard split (150 auxiliary, 50 test categories). Half of a test category's pictures are to be classified, the others
 * play web pictures, some under a wrong name; so it is for the validation categories. No picture is in two places.
 */
async function plantedProblem(path: string, semantics: 'attributes' | 'glove100'): Promise<Problem> {
  const { features, labels, names, vectors, attributes, auxiliary, test } = await readPhotographs(path, semantics);
  const random = new Random(1);
  const kept: number[] = [];
  const pools = rowsByCategory(labels, names.length).map((rows) => Array.from(rows));
  const held = auxiliary.slice(0, validationCategoryCount(auxiliary.length, test.length));
  for (const category of [...test, ...held]) {
    const rows = Array.from(random.permutation(pools[category].length), (k) => pools[category][k]);
    kept.push(...rows.splice(0, rows.length >> 1));
    pools[category] = rows;
  }
  const plant = (listed: readonly number[], among: readonly number[], seed: number) => {
    const own = pools.map((rows, category) => (among.includes(category) ? rows : []));
    const inOrder = plantWeb({ pools: own, listed, vectors: attributes, perCategory, wrong }, seed);
    // The order within a category is the rank of a search, which knows little of what is right.
    const planted = Array.from(random.permutation(inOrder.length), (k) => inOrder[k]).sort(
      (a, b) => a.claimed - b.claimed,
    );
    const used = new Set(planted.map(({ row }) => row));
    for (const category of among) pools[category] = pools[category].filter((row) => !used.has(row));
    return planted;
  };
  const others = auxiliary.slice(held.length);
  const web = plant(test, [...test, ...others], 1);
  const validation = plant(held, auxiliary, 2);
  // A validation category keeps its own pictures, which the problem itself may learn from.
  const isHeld = new Set(held);
  const lent = validation.filter(({ row }) => isHeld.has(labels[row])).map(({ row }) => row);
  const isUsed = new Set(lent);
  const isTest = new Set(test);
  const testRows = kept.filter((row) => isTest.has(labels[row])).sort((a, b) => a - b);
  const auxiliaryRows = [
    ...kept.filter((row) => !isTest.has(labels[row])),
    ...auxiliary.flatMap((category) => pools[category]),
    ...lent,
  ].sort((a, b) => a - b);
  const all = selectRows(features, auxiliaryRows);
  const along = await ontoMainDirections(all);
  const [claims, validationClaims] = [webPart(features, web, along), webPart(features, validation, along)];
  return normalize({
    auxiliaryFeatures: along(all),
    auxiliaryLabels: Int32Array.from(auxiliaryRows, (row) => auxiliary.indexOf(labels[row])),
    auxiliarySemantics: selectRows(vectors, auxiliary),
    auxiliaryNames: auxiliary.map((category) => names[category]),
    webFeatures: claims.features,
    webLabels: claims.labels,
    webKinds: claims.kinds,
    testFeatures: along(selectRows(features, testRows)),
    testLabels: Int32Array.from(testRows, (row) => test.indexOf(labels[row])),
    testSemantics: selectRows(vectors, test),
    testNames: test.map((category) => names[category]),
    generalized: false,
    validationWeb: {
      ...validationClaims,
      auxiliaryUsed: Uint8Array.from(auxiliaryRows, (row) => (isUsed.has(row) ? 1 : 0)),
    },
  });
}

/** What takes pictures to their coordinates along the main directions of these. */
async function ontoMainDirections(features: Matrix): Promise<(pictures: Matrix) => Matrix> {
  const backend = await createBackend({ threads: 1 });
  const unit = features.copy('float64');
  scaleToUnitLength('features', unit);
  const { directions } = mainDirections(backend, unit, dimensions);
  const origin = new Float64Array(features.cols);
  return (pictures) => project(backend, pictures, origin, directions);
}

function webPart(features: Matrix, planted: readonly PlantedPicture[], along: (pictures: Matrix) => Matrix) {
  const rows = planted.map(({ row }) => row);
  return {
    features: along(selectRows(features, rows)),
    labels: Int32Array.from(planted, ({ claimed }) => claimed),
    kinds: planted.map(({ kind }) => kind),
  };
}

async function readPhotographs(path: string, semantics: 'attributes' | 'glove100') {
  const archive = await openNpz(path);
  try {
    const integers = async (name: string) => Array.from(toInt32(await archive.read(name)));
    return {
      features: toMatrix(await archive.read('features'), 'float32'),
      labels: toInt32(await archive.read('labels')),
      names: toStrings(await archive.read('class_names')),
      attributes: toMatrix(await archive.read('attributes')),
      vectors: toMatrix(await archive.read(semantics)),
      auxiliary: await integers('ss_train'),
      test: await integers('ss_test'),
    };
  } finally {
    await archive.close();
  }
}
