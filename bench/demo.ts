/**
 * Whether the aviary of the demonstration is a fair test: what each ingredient is worth, and what the noise costs.
 *
 * On workspaces left by `bowerbird demo --seed N --out FOLDER`, with the methods' defaults: ridge regression on all web
 * pictures and on the right ones alone; ESZSL with the names, and with the names exchanged among the test species; bowerbird with and without text; and the
 * paper's learner, decided as printed (nearest category to a picture's semantic vector) and by nearest prototype D ā_c in
 * the space of features. Arguments: the folders.
 */
import { join } from 'node:path';
import { accuracy } from '../src/fit/index.js';
import { PaperLearner } from '../src/learner/index.js';
import { type Backend, createBackend, Matrix } from '../src/linalg/index.js';
import { createMethod, findMethod } from '../src/methods/index.js';
import { loadProblem, type Problem } from '../src/problem/index.js';
import { rowsWhere, selectIntegers, selectRows } from '../src/problem/rows.js';
import { layout } from '../src/workspace/index.js';
import { markdownTable } from './shared/document.js';

export async function run(folders: string[]): Promise<void> {
  if (folders.length === 0) throw new Error('name folders made by "bowerbird demo --seed N --out FOLDER"');
  const backend = await createBackend({});
  const columns: [string, number][][] = [];
  for (const folder of folders) columns.push(await measure(await loadProblem(join(folder, layout.problem)), backend));
  backend.dispose();
  const rows = columns[0].map(([title], i) => [title, ...columns.map((column) => (100 * column[i][1]).toFixed(1))]);
  console.log(markdownTable(['accuracy in percent', ...folders], rows));
}

async function measure(problem: Problem, backend: Backend): Promise<[string, number][]> {
  const score = async (name: string, on: Problem) => {
    const method = createMethod(findMethod(name));
    await method.fit(on, { backend });
    return listedAccuracy(method.predict(on.testFeatures), on.testLabels!);
  };
  const wrong = problem.webKinds!.filter((kind) => kind !== 'clean').length / problem.webKinds!.length;
  return [
    ['share of wrong web pictures', wrong],
    ['web only, all pictures (lr)', await score('lr', problem)],
    ['web only, right pictures alone (lr)', await score('lr', cleanWeb(problem))],
    ['names only (eszsl)', await score('eszsl', problem)],
    ['names only, exchanged (eszsl)', await score('eszsl', exchangedNames(problem))],
    ['everything (bowerbird)', await score('bowerbird', problem)],
    ['everything but the text (bowerbird)', await score('bowerbird', withoutText(problem))],
    ...(await bothDecisions(problem, backend)),
  ];
}

/** Of the pictures that show a listed species. */
function listedAccuracy(predicted: Int32Array, labels: Int32Array): number {
  const rows = rowsWhere(labels.length, (i) => labels[i] >= 0);
  return accuracy(selectIntegers(predicted, rows), selectIntegers(labels, rows));
}

function withoutText({ webText: _, webTexts: __, ...rest }: Problem): Problem {
  return rest;
}

function cleanWeb(problem: Problem): Problem {
  const { webKinds, ...rest } = withoutText(problem);
  const right = Int32Array.from(webKinds!.keys()).filter((i) => webKinds![i] === 'clean');
  return {
    ...rest,
    webFeatures: selectRows(problem.webFeatures, right),
    webLabels: selectIntegers(problem.webLabels, right),
  };
}

/** Every test species gets the vector of the next one. */
function exchangedNames(problem: Problem): Problem {
  const { rows } = problem.testSemantics;
  const next = Int32Array.from({ length: rows }, (_, i) => (i + 1) % rows);
  return { ...problem, testSemantics: selectRows(problem.testSemantics, next) };
}

/** λ as the search finds them best for the printed decision (the defaults), and with more of the auxiliary dictionary. */
async function bothDecisions(problem: Problem, backend: Backend): Promise<[string, number][]> {
  const rows: [string, number][] = [];
  for (const [title, options] of [
    ['paper, defaults', {}],
    ['paper, λ1 = 4', { lambda1: 4, lambda2: 3, lambda3: 0.03, lambda4: 0.03 }],
  ] as const) {
    const learner = await new PaperLearner(options).fit(problem, { backend });
    const semantics = problem.testSemantics.copy('float64');
    const prototypes = Matrix.zeros(semantics.rows, problem.testFeatures.cols);
    backend.gemm(prototypes, semantics, learner.dictionary_, { transposeB: true });
    rows.push([`${title}: as printed`, listedAccuracy(learner.predict(problem.testFeatures), problem.testLabels!)]);
    rows.push([
      `${title}: nearest prototype`,
      listedAccuracy(nearest(problem.testFeatures, prototypes), problem.testLabels!),
    ]);
  }
  return rows;
}

/** By cosine. */
function nearest(features: Matrix, prototypes: Matrix): Int32Array {
  return Int32Array.from({ length: features.rows }, (_, i) => {
    const x = features.row(i);
    const cosines = Array.from({ length: prototypes.rows }, (_, c) => {
      const p = prototypes.row(c);
      let [product, square] = [0, 0];
      for (let j = 0; j < p.length; j++) {
        product += p[j] * x[j];
        square += p[j] ** 2;
      }
      return product / Math.sqrt(square);
    });
    return cosines.indexOf(Math.max(...cosines));
  });
}
