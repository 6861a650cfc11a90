/**
 * The learner on a GPU: the ceilings of the machine (DGEMM, memory bandwidth), the paper's CUB sizes, where the time of
 * an iteration goes, a search of 100 trials with several fits at a time, and a million web images; the passes over rows of the
 * default method. Options: `--part NAME` (ceilings, rows, cub, search, million; may be repeated), `--trials N`, `--jobs N` (may be repeated).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { search } from 'bowerbird/evaluation';
import { type LearnerOptions, PaperLearner, ResidentProblem } from 'bowerbird/learner';
import { type Backend, createBackend, type DeviceProgram, Matrix, Random } from 'bowerbird/linalg';
import type { Problem } from 'bowerbird/problem';
import { cubSearch, cubSizes, evenLabels, narrowSizes, noisyCopies, parameters } from './shared/sizes.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      part: { type: 'string', multiple: true },
      trials: { type: 'string', default: '100' },
      jobs: { type: 'string', multiple: true },
    },
  });
  const parts = values.part ?? ['ceilings', 'rows', 'cub', 'search', 'million'];
  const backend = await createBackend({ device: 'cuda' });
  console.log(backend.description);
  if (parts.includes('ceilings')) ceilings(backend);
  if (parts.includes('rows')) rowPasses(backend);
  if (parts.includes('cub')) await cub(backend);
  if (parts.includes('million')) await million(backend);
  backend.dispose();
  if (parts.includes('search')) await searches(Number(values.trials), values.jobs?.map(Number) ?? [undefined]);
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
  const [vector, image] = [backend.matrix(1, 16384), backend.matrix(1, 16384)];
  const read = seconds(backend, 10, () => backend.gemv(image, x, vector));
  console.log(`matrix times vector on the device: ${(bytes / read / 1e12).toFixed(2)} TB/s read`);
  for (const matrix of [x, y, vector, image]) backend.release(matrix);
}

/** The passes of one round of the default method over 50,000 pictures of 1,024 dimensions and 1,000 categories. */
function rowPasses(backend: Backend): void {
  const [n, categories, d, edges] = [50_000, 1000, 1024, 16];
  const matrix = (rows: number, cols: number) => {
    const result = backend.matrix(rows, cols, 'float32');
    backend.copy(result, randomMatrix(rows, cols).copy('float32'));
    return result;
  };
  const [pictures, means] = [matrix(n, d), matrix(categories, d)];
  const [scores, chances] = [matrix(n, categories), matrix(n, categories)];
  const random = new Random(1);
  const numbers = (length: number) => Float64Array.from({ length }, () => 1 + random.uniform());
  const [lengths, squares, factors, offsets] = [
    numbers(n),
    numbers(categories),
    numbers(categories),
    numbers(categories),
  ];
  const sparse = {
    starts: Int32Array.from({ length: n + 1 }, (_, i) => i * edges),
    columns: Int32Array.from({ length: n * edges }, () => Math.floor(n * random.uniform())),
    values: numbers(n * edges),
  };
  const counts = new Float64Array(categories);
  const elements = n * categories * 4;
  const flops = 2 * n * categories * d;
  const told = (name: string, bytes: number, work: () => void) => {
    const time = seconds(backend, 10, work);
    console.log(`${name}: ${(time * 1000).toFixed(2)} ms, ${(bytes / time / 1e12).toFixed(2)} TB/s`);
  };
  const product = seconds(backend, 10, () => backend.gemm(scores, pictures, means, { transposeB: true }));
  console.log(
    `products: ${(product * 1000).toFixed(2)} ms, ${(flops / product / 1e12).toFixed(1)} TFLOP/s in single precision`,
  );
  told('scoreRows', 2 * elements, () => backend.scoreRows(scores, { lengths, squares, factors, constants: offsets }));
  told('softmaxRows', 5 * elements, () => backend.softmaxRows(chances, scores, offsets, lengths, counts));
  told('energyOfRows', 2 * elements, () => backend.energyOfRows(chances, scores, lengths));
  told('sumOfDifferences', 2 * elements, () => backend.sumOfDifferences(chances, scores));
  told('addSparse', (2 + edges) * elements, () => backend.addSparse(scores, sparse, chances));
  for (const each of [pictures, means, scores, chances]) backend.release(each);
}

function randomMatrix(rows: number, cols: number): Matrix {
  const table = new Random(1).normalArray(1_000_003);
  return new Matrix(
    Float64Array.from({ length: rows * cols }, (_, i) => table[i % table.length]),
    rows,
    cols,
  );
}

async function cub(backend: Backend): Promise<void> {
  const problem = cubSizes();
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
          backend,
          resident: () => resident,
        },
      );
      console.log(
        `CUB sizes, ${dtype}, 50 iterations, ${round} fit: ${((performance.now() - begun) / 1000).toFixed(3)} s in all, ${inIterations(learner).toFixed(3)} s in iterations`,
      );
    }
    if (dtype === 'float64') await profile(backend, problem, resident, { maxIterations: 50, tolerance: 1e-300 });
    resident.release();
  }
}

function inIterations(learner: PaperLearner): number {
  return learner.trace_.reduce((sum, record) => sum + record.seconds, 0);
}

/** What a call has to do at least: numbers multiplied and added, or bytes read and written. */
const amounts: Record<string, (operands: Matrix[]) => { flops: number } | { bytes: number }> = {
  gemm: ([c, a]) => ({ flops: 2 * c.cols * a.rows * a.cols }),
  syrk: ([c, a]) => ({ flops: c.rows * a.rows * a.cols }),
  gemv: ([, a]) => ({ bytes: bytesOf(a) }),
  segmentDots: ([, a]) => ({ bytes: bytesOf(a) }),
  segmentSums: ([c, a]) => ({ bytes: bytesOf(a) + bytesOf(c) }),
  axpby: ([y]) => ({ bytes: 3 * bytesOf(y) }),
  copy: ([y]) => ({ bytes: 2 * bytesOf(y) }),
  scaleRows: ([a]) => ({ bytes: 2 * bytesOf(a) }),
  rowDots: ([, a, b]) => ({ bytes: bytesOf(a) + bytesOf(b) }),
  dot: ([a, b]) => ({ bytes: bytesOf(a) + bytesOf(b) }),
  maxAbs: ([a]) => ({ bytes: bytesOf(a) }),
  addDiagonal: ([a]) => ({ bytes: 16 * a.rows }),
  cholesky: ([a]) => ({ flops: a.rows ** 3 / 3 }),
  choleskySolve: ([l, b]) => ({ flops: 2 * l.rows * b.rows * b.cols }),
  eigh: ([, a]) => ({ flops: 9 * a.rows ** 3 }),
};

function bytesOf(matrix: Matrix): number {
  return matrix.rows * matrix.cols * (matrix.dtype === 'float64' ? 8 : 4);
}

/**
 * Time of each kind of call in a fit whose every call waits for the device, less the time of such a wait; so the sum is
 * that of the kernels and of starting them one by one, where an undisturbed fit lets them overlap.
 */
async function profile(
  backend: Backend,
  problem: Problem,
  resident: ResidentProblem,
  options: Partial<LearnerOptions>,
): Promise<void> {
  const entries = new Map<string, { seconds: number; calls: number; flops: number; bytes: number }>();
  const target = backend as unknown as Record<string, (...values: unknown[]) => unknown>;
  const probe = backend.matrix(1, 1);
  const dot = backend.dot.bind(backend);
  const wait = seconds(backend, 1000, () => dot(probe, probe));
  const timed = <T>(name: string, amount: { flops?: number; bytes?: number }, work: () => T): T => {
    const begun = performance.now();
    const result = work();
    dot(probe, probe);
    const entry = entries.get(name) ?? { seconds: 0, calls: 0, flops: 0, bytes: 0 };
    entry.seconds += Math.max(0, (performance.now() - begun) / 1000 - wait);
    entry.calls++;
    entry.flops += amount.flops ?? 0;
    entry.bytes += amount.bytes ?? 0;
    entries.set(name, entry);
    return result;
  };
  for (const [name, amount] of Object.entries(amounts)) {
    const inner = target[name].bind(backend);
    target[name] = (...values) => timed(name, amount(values as Matrix[]), () => inner(...values));
  }
  const compile = backend.compile!.bind(backend);
  target.compile = (...values) => {
    const program = compile(...(values as Parameters<typeof compile>));
    const launch: DeviceProgram['launch'] = (name, ...rest) =>
      timed(`pictures' numbers: ${name}`, {}, () => program.launch(name, ...rest));
    return { launch };
  };
  const begun = performance.now();
  const learner = await new PaperLearner({ ...parameters, dtype: resident.dtype, ...options }).fit(problem, {
    backend,
    resident: () => resident,
  });
  const total = (performance.now() - begun) / 1000;
  for (const name of [...Object.keys(amounts), 'compile']) delete target[name];
  const iterations = learner.trace_.length;
  console.log(
    `where the time goes (${iterations} iterations, waiting after every call, ${total.toFixed(3)} s, of which a wait is ${(wait * 1e6).toFixed(0)} µs):`,
  );
  for (const [name, entry] of [...entries].sort((a, b) => b[1].seconds - a[1].seconds)) {
    const rate = entry.flops > 0 ? [entry.flops, 'TFLOP/s'] : entry.bytes > 0 ? [entry.bytes, 'TB/s'] : undefined;
    const reached = rate ? `, ${((rate[0] as number) / entry.seconds / 1e12).toFixed(2)} ${rate[1]}` : '';
    console.log(
      `  ${name}: ${((1000 * entry.seconds) / iterations).toFixed(3)} ms an iteration in ${(entry.calls / iterations).toFixed(1)} calls${reached}`,
    );
  }
  backend.release(probe);
}

/** `bowerbird tune` on a problem whose validation categories are as many as CUB's test categories. */
async function searches(trials: number, widths: (number | undefined)[]): Promise<void> {
  const problem = cubSearch();
  for (const jobs of widths) {
    const folder = mkdtempSync(join(tmpdir(), 'bowerbird-gpu-'));
    try {
      const begun = performance.now();
      const { trials: ended } = await search({ problem, folder, method: 'paper', trials, device: 'cuda', jobs });
      const total = (performance.now() - begun) / 1000;
      const outcomes = ended.flatMap((line) => ('outcome' in line && line.outcome ? [line.outcome] : []));
      const iterations = outcomes.reduce((sum, outcome) => sum + (outcome.iterations ?? 0), 0);
      const busy = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
      console.log(
        `search, ${jobs ?? 'the usual number of'} fits at a time: ${outcomes.length} trials in ${total.toFixed(1)} s, ${(iterations / outcomes.length).toFixed(0)} iterations and ${(busy / outcomes.length).toFixed(2)} s each on average`,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
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
  const learner = await new PaperLearner({ ...parameters, dtype: 'float32' }).fit(problem, {
    backend,
    resident: () => resident,
  });
  const total = (performance.now() - begun) / 1000;
  console.log(
    `fit of 1,000,000 × 1024 float32: ${total.toFixed(1)} s in all, ${inIterations(learner).toFixed(1)} s in ${learner.trace_.length} iterations, converged ${learner.converged_}`,
  );
  await profile(backend, problem, resident, {});
  resident.release();
}
