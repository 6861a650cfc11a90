/**
 * The learner against a literal numpy transcription (bench/literal.py) on the paper's CUB sizes, in one run: seconds
 * per iteration of each backend, agreement of the answers, peak memory, growth with the number of web images, and a
 * streamed fit (`--part streamed`, of the default method too: `--method bowerbird`, and of `--pictures N`).
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NpyWriter, readNpy, toMatrix, writeNpy } from 'bowerbird/formats';
import { PaperLearner } from 'bowerbird/learner';
import { type Backend, createBackend, Matrix } from 'bowerbird/linalg';
import type { Problem } from 'bowerbird/problem';
import { cubSizes, evenLabels, narrowSizes, noisyCopies, parameters } from './shared/sizes.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      iterations: { type: 'string', default: '50' },
      threads: { type: 'string', default: '1' },
      streamed: { type: 'string', default: '10' },
      part: { type: 'string', multiple: true },
      method: { type: 'string', default: 'paper' },
      pictures: { type: 'string', default: '200000' },
    },
  });
  const iterations = Number(values.iterations);
  const threads = Number(values.threads);
  const parts = values.part ?? ['literal', 'growth', 'streamed'];
  if (parts.includes('literal')) await againstLiteral(iterations, threads);
  if (parts.includes('growth')) await growth(threads);
  if (parts.includes('streamed')) await streamed(values.method, Number(values.pictures), Number(values.streamed));
}

async function againstLiteral(iterations: number, threads: number): Promise<void> {
  console.log(
    `Paper's CUB sizes (d 4096, m 800, 150 + 50 categories, nw 5000, nt 2933), ${iterations} iterations, ${threads} thread(s)`,
  );
  const problem = cubSizes();
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-bench-'));
  try {
    const literal = await runLiteral(problem, folder, iterations, threads);
    if (literal)
      console.log(
        `numpy ${literal.numpy}: ${literal.iteration.toFixed(3)} s an iteration, ${literal.iterationWithoutWeights.toFixed(3)} s without the weights' problem`,
      );
    const featureBytes = [problem.auxiliaryFeatures, problem.webFeatures, problem.testFeatures].reduce(
      (sum, x) => sum + x.rows * x.cols * 8,
      0,
    );
    for (const device of ['native', 'wasm'] as const) {
      let backend: Backend;
      try {
        backend = await createBackend({ device, threads });
      } catch (error) {
        console.log(`${device}: ${(error as Error).message}`);
        continue;
      }
      const begun = performance.now();
      const learner = await new PaperLearner({ ...parameters, maxIterations: iterations, tolerance: 1e-300 }).fit(
        problem,
        { backend },
      );
      const total = (performance.now() - begun) / 1000;
      const each = learner.trace_.reduce((sum, record) => sum + record.seconds, 0) / iterations;
      const ratio = literal
        ? `, ${(literal.iterationWithoutWeights / each).toFixed(1)} × numpy without the weights' problem, ${(literal.iteration / each).toFixed(1)} × with it`
        : '';
      const agreement = literal ? `, A differs by at most ${await difference(folder, learner)}` : '';
      const memory = process.resourceUsage().maxRSS * 1024;
      console.log(
        `${device} (${backend.description}): ${each.toFixed(3)} s an iteration, ${total.toFixed(1)} s in all${ratio}${agreement}; peak memory ${(memory / 2 ** 20).toFixed(0)} MiB, ${(memory / featureBytes).toFixed(2)} × the features`,
      );
      backend.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface LiteralTimes {
  iteration: number;
  iterationWithoutWeights: number;
  numpy: string;
}

async function runLiteral(
  problem: Problem,
  folder: string,
  iterations: number,
  threads: number,
): Promise<LiteralTimes | undefined> {
  const matrices = {
    aux_features: problem.auxiliaryFeatures,
    web_features: problem.webFeatures,
    test_features: problem.testFeatures,
    aux_semantics: problem.auxiliarySemantics,
    test_semantics: problem.testSemantics,
  };
  for (const [name, matrix] of Object.entries(matrices)) await writeNpy(join(folder, `${name}.npy`), matrix);
  for (const [name, labels] of Object.entries({ aux_labels: problem.auxiliaryLabels, web_labels: problem.webLabels }))
    await writeNpy(join(folder, `${name}.npy`), { shape: [labels.length], dtype: 'int32', data: labels });
  const { lambda1, lambda2, lambda3, lambda4, bound } = parameters;
  const script = fileURLToPath(new URL('literal.py', import.meta.url));
  const result = spawnSync(
    'python3',
    [script, folder, ...[iterations, lambda1, lambda2, lambda3, lambda4, bound].map(String)],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        OPENBLAS_NUM_THREADS: String(threads),
        OMP_NUM_THREADS: String(threads),
        MKL_NUM_THREADS: String(threads),
      },
    },
  );
  if (result.status === 0) return JSON.parse(result.stdout) as LiteralTimes;
  console.log(`numpy is not available: ${result.stderr?.trim().split('\n').pop() ?? result.error?.message}`);
  return undefined;
}

async function difference(folder: string, learner: PaperLearner): Promise<string> {
  const literal = toMatrix(await readNpy(join(folder, 'literal_semantics.npy')), 'float64');
  let largest = 0;
  for (let i = 0; i < literal.rows; i++) {
    const [x, y] = [literal.row(i), learner.semantics_.row(i)];
    for (let j = 0; j < x.length; j++) largest = Math.max(largest, Math.abs(x[j] - y[j]));
  }
  return largest.toExponential(1);
}

/** Seconds per iteration against the number of web images, at d 1024 and 50 categories. */
async function growth(threads: number): Promise<void> {
  const backend = await createBackend({ threads });
  const sizes = [5000, 10000, 20000, 40000];
  const seconds: number[] = [];
  for (const size of sizes) {
    const problem = narrowSizes({ testCategories: 50, webPerCategory: size / 50 });
    const iterations = 20;
    const learner = await new PaperLearner({ ...parameters, maxIterations: iterations, tolerance: 1e-300 }).fit(
      problem,
      {
        backend,
      },
    );
    // The median: other work on the machine only ever adds time.
    const each = learner.trace_.map((record) => record.seconds).sort((a, b) => a - b)[iterations / 2];
    seconds.push(each);
    console.log(`nw ${size}: ${each.toFixed(4)} s an iteration`);
  }
  const exponent = Math.log(seconds[seconds.length - 1] / seconds[0]) / Math.log(sizes[sizes.length - 1] / sizes[0]);
  console.log(`growth from ${sizes[0]} to ${sizes[sizes.length - 1]} web images: nw^${exponent.toFixed(2)}`);
  backend.dispose();
}

/** A fit with web pictures of 1024 dimensions that are read from disk in every pass: peak memory of the whole process. */
async function streamed(method: string, count: number, iterations: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-bench-'));
  try {
    const problem = narrowSizes({ testCategories: 50, webPerCategory: 1, dtype: 'float32' });
    const dimensions = problem.webFeatures.cols;
    await writeStreamedProblem(folder, problem, count);
    const out = join(folder, 'run');
    const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
    const own = ['--lambda1', '10', '--lambda2', '0.5', '--lambda3', '0.1', '--max-iterations', String(iterations)];
    const options = ['--stream', '--dtype', 'float32', '--method', method, ...(method === 'paper' ? own : [])];
    const result = spawnSync(process.execPath, [command, 'fit', folder, '--out', out, ...options, '--quiet'], {
      encoding: 'utf8',
    });
    if (result.status !== 0) throw new Error(result.stderr);
    const record = JSON.parse(await readFile(join(out, 'run.json'), 'utf8')) as {
      seconds: number;
      iterations: number;
      peakMemoryBytes: number;
    };
    console.log(
      `streamed ${count} × ${dimensions} float32 (${((count * dimensions * 4) / 2 ** 30).toFixed(2)} GiB): ${record.iterations} iterations, ` +
        `${(record.seconds / record.iterations).toFixed(2)} s each, peak memory ${(record.peakMemoryBytes / 1e9).toFixed(2)} GB`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The web pictures are those of the problem, one for each category, repeated with noise of their own. */
async function writeStreamedProblem(folder: string, problem: Problem, count: number): Promise<void> {
  const matrices = {
    aux_features: problem.auxiliaryFeatures,
    test_features: problem.testFeatures,
    aux_semantics: problem.auxiliarySemantics,
    test_semantics: problem.testSemantics,
  };
  for (const [name, matrix] of Object.entries(matrices)) await writeNpy(join(folder, `${name}.npy`), matrix);
  const web = evenLabels(count, problem.testSemantics.rows);
  const labels = { aux_labels: problem.auxiliaryLabels, test_labels: problem.testLabels!, web_labels: web };
  for (const [name, values] of Object.entries(labels))
    await writeNpy(join(folder, `${name}.npy`), { shape: [values.length], dtype: 'int32', data: values });
  const { cols } = problem.webFeatures;
  const writer = await NpyWriter.create(join(folder, 'web_features.npy'), { dtype: 'float32', rowShape: [cols] });
  const fill = noisyCopies(problem.webFeatures, web);
  const block = Matrix.zeros(2000, cols, 'float32');
  for (let start = 0; start < count; start += block.rows) {
    fill(block, start);
    await writer.append(block);
  }
  await writer.close();
}
