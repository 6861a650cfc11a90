/**
 * The default method at scale, against a plain EM in numpy (bench/scale/em.py), each in a process of its own on the same
 * pictures, taking turns: seconds, processor seconds and peak memory. Options: `--size NAME` (small, middle, large, many, web; may be repeated),
 * `--device NAME`, `--threads N` (both may be repeated), `--way NAME` (blocks, as `bowerbird fit` reads a file; loaded, streamed; may be repeated), `--rounds N`, `--numpy DTYPE` (float64, float32, none; may be repeated), `--write`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { generateProblem, saveProblem } from 'bowerbird/problem';
import { markdownTable, writeSection } from './shared/document.js';

/** What one process says of itself; memory in MiB. */
export interface Measured {
  readonly seconds: number;
  readonly processor: number;
  readonly peak: number;
  readonly accuracy: number;
  readonly rounds?: number;
}

const sizes: Record<string, [auxiliary: number, test: number, ...perCategory: [number, number, number]]> = {
  small: [100, 50, 50, 100, 40],
  middle: [200, 200, 100, 100, 50],
  large: [500, 1000, 100, 100, 50],
  // Few categories of many pictures: what is kept of each picture counts most.
  many: [100, 50, 400, 800, 800],
  // A million web pictures, of which hardly any fit in memory together.
  web: [200, 200, 100, 5000, 50],
};
const dimensions = 1024;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      size: { type: 'string', multiple: true, default: ['middle'] },
      device: { type: 'string', multiple: true, default: ['native', 'wasm'] },
      threads: { type: 'string', multiple: true, default: ['1', '2'] },
      numpy: { type: 'string', multiple: true, default: ['float64', 'float32'] },
      rounds: { type: 'string', default: '1' },
      way: { type: 'string', multiple: true, default: ['blocks'] },
      write: { type: 'boolean', default: false },
    },
  });
  const [before] = loadavg();
  const parts: string[] = [];
  for (const size of values.size) parts.push(await measured(size, values, Number(values.rounds)));
  const [after] = loadavg();
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}; load average ${before.toFixed(1)} before and ${after.toFixed(1)} after.`;
  const text = [machine, ...parts].join('\n\n');
  console.log(text);
  if (values.write) writeSection('scale', text);
}

async function measured(
  size: string,
  { device, threads, numpy, way }: { device: string[]; threads: string[]; numpy: string[]; way: string[] },
  rounds: number,
): Promise<string> {
  if (!Object.hasOwn(sizes, size))
    throw new Error(`--size is ${size}; it must be one of ${Object.keys(sizes).join(', ')}`);
  const [auxiliaryCategories, testCategories, auxiliaryPerCategory, webPerCategory, testPerCategory] = sizes[size];
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-scale-'));
  try {
    const file = join(folder, 'problem.npz');
    const problem = generateProblem({
      ...{ auxiliaryCategories, testCategories, auxiliaryPerCategory, webPerCategory, testPerCategory, dimensions },
      ...{ semanticDimensions: 100, noise: 6, text: false, validation: false, dtype: 'float32' },
    });
    await saveProblem(file, problem);
    const pictures = [problem.auxiliaryFeatures, problem.webFeatures, problem.testFeatures].map(({ rows }) => rows);
    const features = (pictures.reduce((sum, rows) => sum + rows, 0) * dimensions * 4) / 2 ** 20;
    const contestants = [
      ...numpy.filter((dtype) => dtype !== 'none').flatMap((dtype) => threads.map((count) => emOf(file, dtype, count))),
      ...device.flatMap((name) => threads.flatMap((count) => way.map((each) => fitOf(file, name, count, each)))),
    ];
    for (let round = 0; round < rounds; round++) for (const { trials, trial } of contestants) trials.push(trial());
    const bests = contestants.map(({ name, trials }) => ({ name, ...best(trials) }));
    const [reference] = bests;
    const rows = bests.map(({ name, seconds, processor, peak, accuracy, rounds: count }) => [
      name,
      seconds.toFixed(1),
      processor.toFixed(1),
      (reference.processor / processor).toFixed(2),
      peak.toFixed(0),
      (peak / features).toFixed(2),
      (100 * accuracy).toFixed(1),
      count === undefined ? '' : String(count),
    ]);
    return [
      `**${auxiliaryCategories} / ${testCategories} categories, ${pictures.join(' / ')} auxiliary, web and test pictures of ${dimensions} dimensions** (${features.toFixed(0)} MiB in float32)`,
      markdownTable(
        ['', 'seconds', 'of processor', 'first over this', 'peak MiB', 'over the features', 'right, %', 'rounds'],
        rows,
      ),
    ].join('\n\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Contestant {
  readonly name: string;
  readonly trials: Measured[];
  readonly trial: () => Measured;
}

function emOf(file: string, dtype: string, threads: string): Contestant {
  const env = { OPENBLAS_NUM_THREADS: threads, OMP_NUM_THREADS: threads, MKL_NUM_THREADS: threads };
  return {
    name: `numpy EM, ${dtype}, ${threads} ${threads === '1' ? 'thread' : 'threads'}`,
    trials: [],
    trial: () => outcomeOf('python3', [beside('scale/em.py'), file, dtype], env),
  };
}

/** How a fit comes by its pictures, as its row in the table is called. */
const ways: Record<string, string> = { blocks: 'by blocks', loaded: 'loaded', streamed: 'streamed' };

function fitOf(file: string, device: string, threads: string, way: string): Contestant {
  if (!Object.hasOwn(ways, way)) throw new Error(`--way is ${way}; it must be one of ${Object.keys(ways).join(', ')}`);
  const parts = [beside('scale/fit-once.mjs'), file, device, threads, way];
  return {
    name: `bowerbird, ${device}, ${threads} ${threads === '1' ? 'thread' : 'threads'}, ${ways[way]}`,
    trials: [],
    trial: () => outcomeOf(process.execPath, parts, {}),
  };
}

const beside = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

function outcomeOf(program: string, args: string[], env: Record<string, string>): Measured {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Measured;
}

/** The quickest trial; a disturbance only ever makes one slower. */
function best(trials: readonly Measured[]): Measured {
  return trials.reduce((a, b) => (b.seconds < a.seconds ? b : a));
}
