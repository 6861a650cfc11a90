/**
 * Pictures and categories in the plane of largest variance. Where the method learnt semantic vectors, these are shown with
 * the categories' own; otherwise the scores of the classifier, z = (s₁ … s_C), with each category at the weighted mean
 * Σ θ_i z_i / Σ θ_i of its web pictures.
 */
import { readFitRecord, readModel, readSemantics, scorePictures } from '../fit/index.js';
import type { Backend } from '../linalg/index.js';
import { createBackend, Matrix } from '../linalg/index.js';
import { principalPlane } from '../report/index.js';
import { featureFolder, layout, type Workspace } from '../workspace/index.js';
import type { CategoriesView } from './api.js';
import { featureRows } from './feature-rows.js';
import type { KeptFit } from './history.js';

const mostDots = 3000;
/** Web pictures that place a category. */
const mostOfCategory = 60;

interface Placed {
  kind: 'semantics' | 'scores';
  ids: string[];
  pictures: Matrix;
  categories: Matrix;
  names: readonly string[];
}

export interface MapSetting {
  workspace: Workspace;
  fit: KeptFit;
  names: readonly string[];
  /** Category of a test picture, where it is known. */
  truths: ReadonlyMap<string, string>;
  /** Category that a web picture was found for. */
  categoryOf: (webPicture: string) => string | undefined;
}

export async function categoryMap(setting: MapSetting): Promise<CategoriesView['map']> {
  const backend = await createBackend({ device: 'wasm', threads: 1 });
  try {
    const placed = (await learntVectors(setting)) ?? (await scoreVectors(setting, backend));
    return placed && projected(placed, setting, backend);
  } finally {
    backend.dispose();
  }
}

function projected({ kind, ids, pictures, categories, names: own }: Placed, setting: MapSetting, backend: Backend) {
  const { fit, names, truths } = setting;
  const all = Matrix.zeros(pictures.rows + categories.rows, pictures.cols, 'float64');
  all.view(0, pictures.rows).copyFrom(pictures);
  all.view(pictures.rows, all.rows).copyFrom(categories);
  const plane = principalPlane(backend, all);
  const step = Math.ceil(pictures.rows / mostDots);
  const points = plane.of(pictures).flatMap(([x, y], i) => {
    if (i % step !== 0) return [];
    const category = names.indexOf(fit.predictions.get(ids[i])?.name ?? '');
    return [{ x, y, id: ids[i], category, truth: names.indexOf(truths.get(ids[i]) ?? '') }];
  });
  const places = new Map(plane.of(categories).map(([x, y], c) => [own[c], { x, y }]));
  return { kind, shares: plane.shares, categories: names.map((name) => places.get(name)), pictures: points };
}

async function learntVectors({ workspace, fit }: MapSetting): Promise<Placed | undefined> {
  const run = workspace.path(layout.run);
  const learnt = await readSemantics(run);
  if (learnt?.pictures.rows !== fit.rows.test.length) return undefined;
  const { categories: names } = await readFitRecord(run);
  return { kind: 'semantics', ids: fit.rows.test, ...learnt, names };
}

async function scoreVectors(setting: MapSetting, backend: Backend): Promise<Placed | undefined> {
  const { workspace, fit, categoryOf } = setting;
  const model = await readModel(workspace.path(layout.run));
  if (!model) return undefined;
  const { scorer } = model;
  const score = async (set: 'test' | 'web', wanted: ReadonlySet<string>) => {
    const ids: string[] = [];
    const rows: ArrayLike<number>[] = [];
    for await (const row of featureRows(workspace.path(featureFolder(set)), (id) => wanted.has(id))) {
      const features = Matrix.zeros(1, row.features.length, 'float32');
      features.row(0).set(row.features);
      ids.push(row.id);
      rows.push(scorePictures(scorer, features, backend).row(0).slice());
    }
    return { ids, rows };
  };
  const step = Math.ceil(fit.rows.test.length / mostDots);
  const test = await score('test', new Set(fit.rows.test.filter((_, i) => i % step === 0)));
  const web = await score('web', heaviest(fit, categoryOf));
  if (test.ids.length < 2) return undefined;
  const sums = Matrix.zeros(scorer.names.length, scorer.names.length, 'float64');
  const totals = new Float64Array(scorer.names.length);
  for (const [i, id] of web.ids.entries()) {
    const c = scorer.names.indexOf(categoryOf(id) ?? '');
    const weight = fit.weights.get(id) ?? 1;
    if (c < 0) continue;
    totals[c] += weight;
    for (let j = 0; j < sums.cols; j++) sums.set(c, j, sums.at(c, j) + weight * web.rows[i][j]);
  }
  const placed = scorer.names.map((_, c) => c).filter((c) => totals[c] > 0);
  const categories = Matrix.zeros(placed.length, sums.cols, 'float64');
  for (const [k, c] of placed.entries())
    for (let j = 0; j < sums.cols; j++) categories.set(k, j, sums.at(c, j) / totals[c]);
  const pictures = Matrix.zeros(test.ids.length, sums.cols, 'float64');
  for (const [i, row] of test.rows.entries()) pictures.row(i).set(row);
  return { kind: 'scores', ids: test.ids, pictures, categories, names: placed.map((c) => scorer.names[c]) };
}

/** Of each category the web pictures with the highest weights. */
function heaviest(fit: KeptFit, categoryOf: MapSetting['categoryOf']): Set<string> {
  const chosen = new Set<string>();
  const counts = new Map<string, number>();
  const weight = (id: string) => fit.weights.get(id) ?? 1;
  for (const id of [...fit.rows.web].sort((a, b) => weight(b) - weight(a))) {
    const category = categoryOf(id);
    const count = counts.get(category ?? '') ?? 0;
    if (category === undefined || count >= mostOfCategory) continue;
    counts.set(category, count + 1);
    chosen.add(id);
  }
  return chosen;
}
