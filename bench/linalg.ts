/**
 * GFLOP/s of every linear-algebra backend and the ratio to numpy. Trials of all contestants are interleaved, the best
 * one of each counts; one thread is measured in processor time, which other programs disturb less, several in wall-clock
 * time. Options: `--rounds N` (default 9), `--only TEXT` (cases whose name contains it), `--pause MS` (between trials,
 * for the sake of other programs), `--write` (into docs/benchmarks.md).
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Backend, createNativeBackend, createWasmBackend, findLibrary, wasmFeatures } from 'bowerbird/linalg';
import { type Case, cases, prepare, processorClock, repetitions, wallClock } from './linalg/cases.js';
import { Numpy, numpyProblem } from './linalg/numpy.js';
import { markdownTable, writeSection } from './shared/document.js';

interface Contestant {
  name: string;
  prepare(test: Case): Promise<{ trial(count: number): number | Promise<number>; release(): void }>;
  end(): void;
}

interface Plan {
  rounds: number;
  /** Milliseconds between trials. */
  pause: number;
}

/** Seconds per operation, by contestant: every trial. */
type Trials = Map<string, number[]>;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '9' },
      only: { type: 'string', default: '' },
      pause: { type: 'string', default: '0' },
      write: { type: 'boolean', default: false },
    },
  });
  const plan = { rounds: Number(values.rounds), pause: Number(values.pause) };
  const chosen = cases.filter(({ name }) => name.includes(values.only));
  const loadBefore = loadavg()[0];
  const { numpy, contestants, descriptions } = await gather();
  const kernels = await Promise.all(wasmFeatures().kernels.map((kernel) => contestant(kernel, { kernel })));
  try {
    const results = new Map<Case, Trials>();
    for (const test of chosen) results.set(test, await measure(test, contestants, plan));
    const byKernel = await measure(cases[0], kernels, plan);
    const noise = [
      `load average ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after`,
      spread(results),
    ];
    const text = [
      `${cpus()[0].model.trim()}, ${availableParallelism()} cores, Node ${process.versions.node}, ${numpy}; float64; best of ${plan.rounds} interleaved trials; ${noise.join('; ')}.`,
      ...descriptions.map((line) => `- ${line}`),
      '',
      '**One thread**, processor time (in brackets: speed relative to numpy)',
      '',
      comparison(results, 'numpy 1', ['native 1', 'wasm fma 1', 'wasm simd 1']),
      '',
      '**Two threads**, wall-clock time (in brackets: speed relative to numpy on two threads; then to its own single thread)',
      '',
      comparison(results, 'numpy 2', ['native 2', 'wasm 2'], { 'native 2': 'native 1', 'wasm 2': 'wasm fma 1' }),
      '',
      `**WebAssembly kernels**, one thread, ${cases[0].name}`,
      '',
      markdownTable(
        ['kernel', 'GFLOP/s'],
        [...byKernel].map(([name, trials]) => [name, rate(cases[0], Math.min(...trials))]),
      ),
    ].join('\n');
    console.log(text);
    if (values.write) writeSection('linalg', text);
  } finally {
    for (const each of [...contestants, ...kernels]) each.end();
  }
}

async function gather() {
  const contestants: Contestant[] = [];
  const descriptions: string[] = [];
  const problem = numpyProblem();
  let numpy = `numpy skipped (${problem})`;
  if (problem === undefined)
    for (const threads of [1, 2]) {
      const peer = await new Numpy(threads, threads === 1 ? 'processor' : 'wall').start();
      numpy = `numpy ${peer.version}`;
      contestants.push({
        name: `numpy ${threads}`,
        prepare: async (test) => {
          await peer.prepare(test);
          return { trial: (count) => peer.trial(count), release() {} };
        },
        end: () => peer.end(),
      });
    }
  const { library } = await findLibrary();
  if (library) {
    for (const threads of [1, 2])
      contestants.push(onBackend(`native ${threads}`, await createNativeBackend({ threads })));
    descriptions.push(`native: ${library.version}`);
  } else descriptions.push('native: no BLAS/LAPACK found');
  for (const kernel of ['fma', 'simd'])
    if (wasmFeatures().kernels.some((name) => name.startsWith(kernel)))
      contestants.push(await contestant(`wasm ${kernel} 1`, { kernel }));
  const wasm = await createWasmBackend({ threads: 2 });
  contestants.push(onBackend('wasm 2', wasm));
  descriptions.push(`wasm: ${wasm.description}`);
  return { numpy, contestants, descriptions };
}

async function contestant(name: string, options: { kernel: string }): Promise<Contestant> {
  return onBackend(name, await createWasmBackend({ threads: 1, ...options }));
}

function onBackend(name: string, backend: Backend): Contestant {
  return {
    name,
    prepare: async (test) => prepare(backend, test, backend.threads === 1 ? processorClock : wallClock),
    end: () => backend.dispose(),
  };
}

/** Every contestant in turn, again and again; the first round warms up and is not counted. */
async function measure(test: Case, contestants: Contestant[], { rounds, pause }: Plan): Promise<Trials> {
  const count = repetitions(test);
  const trials: Trials = new Map();
  const prepared = [];
  for (const each of contestants) prepared.push({ name: each.name, ...(await each.prepare(test)) });
  for (let round = 0; round <= rounds; round++)
    for (const { name, trial } of prepared) {
      if (pause > 0) await setTimeout(pause);
      const seconds = (await trial(count)) / count;
      if (round > 0) trials.set(name, [...(trials.get(name) ?? []), seconds]);
    }
  for (const each of prepared) each.release();
  return trials;
}

/** A row for each case: the peer's rate, and each contestant's with its ratio to the peer and to a rival of its own. */
function comparison(results: Map<Case, Trials>, peer: string, names: string[], rivals: Record<string, string> = {}) {
  const rows = [...results].map(([test, trials]) => {
    const best = (name: string) => (trials.has(name) ? Math.min(...(trials.get(name) as number[])) : undefined);
    const peerTime = best(peer);
    const cells = names.map((name) => {
      const time = best(name);
      if (time === undefined) return '–';
      const ratios = [peerTime, rivals[name] ? best(rivals[name]) : undefined].filter((other) => other !== undefined);
      return `${rate(test, time)} (${ratios.map((other) => (other / time).toFixed(2)).join('; ')})`;
    });
    return [`${test.name}, ${test.unit}`, peerTime === undefined ? '–' : rate(test, peerTime), ...cells];
  });
  return markdownTable(['', peer.replace(/ \d$/, ''), ...names.map((name) => name.replace(/ \d$/, ''))], rows);
}

function rate(test: Case, seconds: number): string {
  return test.unit === 'ms' ? (seconds * 1000).toFixed(1) : (test.work / seconds / 1e9).toFixed(1);
}

/** How much slower the typical trial was than the best one: 1.0 on a quiet machine. */
function spread(results: Map<Case, Trials>): string {
  const ratios = [...results.values()].flatMap((trials) =>
    [...trials.values()].map((times) => [...times].sort((a, b) => a - b)[times.length >> 1] / Math.min(...times)),
  );
  ratios.sort((a, b) => a - b);
  return `the median trial took ${ratios[ratios.length >> 1].toFixed(2)} times as long as the best one (at most ${ratios.at(-1)?.toFixed(2)} times)`;
}
