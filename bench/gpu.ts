/**
 * The learner on a GPU: the ceilings of the machine (DGEMM, memory bandwidth), the paper's CUB sizes, where the time of
 * an iteration goes, a search of 100 trials over one upload, and a million web images.
 */
import { parseArgs } from 'node:util';
import { PaperLearner, ResidentProblem } from 'bowerbird/learner';
import { type Backend, createBackend, Matrix, Random } from 'bowerbird/linalg';
import type { Problem } from 'bowerbird/problem';
import { cubSizes, evenLabels, narrowSizes, noisyCopies, parameters } from './shared/sizes.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { part: { type: 'string', multiple: true }, trials: { type: 'string', default: '100' } },
  });
  const parts = values.part ?? ['ceilings', 'cub', 'search', 'million'];
  const backend = await createBackend({ device: 'cuda' });
  console.log(backend.description);
  if (parts.includes('ceilings')) ceilings(backend);
  if (parts.includes('cub') || parts.includes('search')) {
    const problem = cubSizes();
    if (parts.includes('cub')) await cub(backend, problem);
    if (parts.includes('search')) await search(backend, problem, Number(values.trials));
  }
  if (parts.includes('million')) await million(backend);
  backend.dispose();
}

function seconds(backend: Backend, repeat: number, work: () => void): number {
  const probe = backend.matrix(1, 1);
  const finish = () => backend.dot(probe, probe);
  work();
  finish();
  const begun = performance.now();
  for (let k = 0; k < repeat; k++) work();
  finish();
  backend.release(probe);
  return (performance.now() - begun) / 1000 / repeat;
}

function ceilings(backend: Backend): void {
  for (const [m, n, k] of [
    [8192, 8192, 8192],
    [4096, 200, 2933],
    [2933, 200, 4096],
  ]) {
    const [a, b, c] = [backend.matrix(m, k), backend.matrix(k, n), backend.matrix(m, n)];
    backend.copy(a, randomMatrix(m, k));
    backend.copy(b, randomMatrix(k, n));
    const time = seconds(backend, 20, () => backend.gemm(c, a, b));
    console.log(
      `DGEMM ${m}×${n}×${k}: ${((2 * m * n * k) / time / 1e12).toFixed(1)} TFLOP/s, ${(time * 1000).toFixed(3)} ms`,
    );
    for (const matrix of [a, b, c]) backend.release(matrix);
  }
  const [x, y] = [backend.matrix(16384, 16384), backend.matrix(16384, 16384)];
  const copied = seconds(backend, 10, () => backend.copy(y, x));
  const bytes = 16384 * 16384 * 8;
  console.log(`copy on the device: ${((2 * bytes) / copied / 1e12).toFixed(2)} TB/s read and written`);
  const added = seconds(backend, 10, () => backend.axpby(y, 0.5, x, 0.5));
  console.log(`axpby on the device: ${((3 * bytes) / added / 1e12).toFixed(2)} TB/s read and written`);
  backend.release(x);
  backend.release(y);
}

function randomMatrix(rows: number, cols: number): Matrix {
  const table = new Random(1).normalArray(1_000_003);
  return new Matrix(
    Float64Array.from({ length: rows * cols }, (_, i) => table[i % table.length]),
    rows,
    cols,
  );
}

async function cub(backend: Backend, problem: Problem): Promise<void> {
  for (const dtype of ['float64', 'float32'] as const) {
    const upload = performance.now();
    const resident = new ResidentProblem(problem, backend, { dtype });
    await resident.dotsWithTestSum();
    await resident.spectralBound();
    resident.basis('span');
    const classSums = resident.auxiliary.counts.length;
    console.log(
      `${dtype}: upload and sums over ${classSums} categories ${((performance.now() - upload) / 1000).toFixed(2)} s`,
    );
    for (const round of ['first', 'second', 'third']) {
      const begun = performance.now();
      const learner = await new PaperLearner({ ...parameters, dtype, maxIterations: 50, tolerance: 1e-300 }).fit(
        problem,
        {
          resident,
        },
      );
      const inside = learner.trace_.reduce((sum, record) => sum + record.seconds, 0);
      console.log(
        `CUB sizes, ${dtype}, 50 iterations, ${round} fit: ${((performance.now() - begun) / 1000).toFixed(3)} s in all, ${inside.toFixed(3)} s in iterations`,
      );
    }
    if (dtype === 'float64') await profile(backend, problem, resident);
    resident.release();
  }
}

/** Time of each kind of call in a fit whose every call waits for the device; so the sum exceeds an undisturbed fit. */
async function profile(backend: Backend, problem: Problem, resident: ResidentProblem): Promise<void> {
  const times = new Map<string, { seconds: number; calls: number }>();
  const original = new Map<string, unknown>();
  const target = backend as unknown as Record<string, (...values: unknown[]) => unknown>;
  const probe = backend.matrix(1, 1);
  const dot = target.dot.bind(backend);
  for (const name of [
    'gemm',
    'syrk',
    'gemv',
    'axpby',
    'scaleRows',
    'rowDots',
    'copy',
    'addDiagonal',
    'dot',
    'maxAbs',
    'segmentDots',
    'segmentSums',
    'cholesky',
    'choleskySolve',
    'eigh',
  ]) {
    const inner = target[name].bind(backend);
    original.set(name, inner);
    target[name] = (...values) => {
      const begun = performance.now();
      const result = inner(...values);
      dot(probe, probe);
      const entry = times.get(name) ?? { seconds: 0, calls: 0 };
      entry.seconds += (performance.now() - begun) / 1000;
      entry.calls++;
      times.set(name, entry);
      return result;
    };
  }
  const begun = performance.now();
  await new PaperLearner({ ...parameters, maxIterations: 50, tolerance: 1e-300 }).fit(problem, { resident });
  const total = (performance.now() - begun) / 1000;
  for (const name of original.keys()) delete target[name];
  console.log(`where the time goes (50 iterations, waiting after every call, ${total.toFixed(3)} s):`);
  for (const [name, { seconds: spent, calls }] of [...times].sort((a, b) => b[1].seconds - a[1].seconds))
    console.log(`  ${name}: ${((1000 * spent) / 50).toFixed(3)} ms an iteration in ${(calls / 50).toFixed(1)} calls`);
  backend.release(probe);
}

async function search(backend: Backend, problem: Problem, trials: number): Promise<void> {
  const random = new Random(1);
  const resident = new ResidentProblem(problem, backend);
  const power = () => 10 ** (random.integer(7) - 3);
  const begun = performance.now();
  let iterations = 0;
  for (let trial = 0; trial < trials; trial++) {
    const drawn = {
      lambda1: power(),
      lambda2: power(),
      lambda3: power(),
      lambda4: power(),
      bound: 1.5 + 0.5 * random.integer(8),
    };
    const learner = await new PaperLearner(drawn).fit(problem, { resident });
    iterations += learner.trace_.length;
  }
  const total = (performance.now() - begun) / 1000;
  console.log(
    `search: ${trials} trials to convergence in ${total.toFixed(1)} s, ${(iterations / trials).toFixed(0)} iterations each on average`,
  );
  resident.release();
}

async function million(backend: Backend): Promise<void> {
  const [count, categories] = [1_000_000, 200];
  const base = narrowSizes({ testCategories: categories, webPerCategory: 1, dtype: 'float32' });
  const webLabels = evenLabels(count, categories);
  const webFeatures = Matrix.zeros(count, base.webFeatures.cols, 'float32');
  noisyCopies(base.webFeatures, webLabels)(webFeatures, 0);
  const problem: Problem = { ...base, webFeatures, webLabels, webKinds: undefined };
  const upload = performance.now();
  const resident = new ResidentProblem(problem, backend, { dtype: 'float32' });
  const { web } = resident;
  console.log(
    `a million web images: upload of ${web.rows} × ${web.cols} float32 ${((performance.now() - upload) / 1000).toFixed(1)} s`,
  );
  const begun = performance.now();
  const learner = await new PaperLearner({ ...parameters, dtype: 'float32' }).fit(problem, { resident });
  console.log(
    `fit of 1,000,000 × 1024 float32: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${learner.trace_.length} iterations, converged ${learner.converged_}`,
  );
  resident.release();
}
