/** Runs a training program and measures it: wall-clock and processor time of the whole process, from text to vectors. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { artefact } from '../../src/artefact.js';

export interface Settings {
  readonly dim: number;
  readonly window: number;
  readonly negatives: number;
  readonly epochs: number;
  readonly rate: number;
  readonly minCount: number;
  readonly subsample: number;
  readonly threads: number;
}

export interface Timing {
  readonly wall: number;
  /** User and system time of the process and its threads. */
  readonly processor: number;
}

export const fasttextFound = spawnSync('fasttext', []).error === undefined;

/** `fasttext skipgram` without subwords; the vectors are in OUTPUT.vec. */
export function runFasttext(input: string, output: string, settings: Settings): Timing {
  const { dim, window, negatives, epochs, rate, minCount, subsample, threads } = settings;
  const options = {
    ...{ input, output, dim, ws: window, neg: negatives, epoch: epochs, lr: rate, minCount, t: subsample },
    // Without subwords their buckets would only take memory.
    ...{ thread: threads, minn: 0, maxn: 0, bucket: 1, loss: 'ns', verbose: 0 },
  };
  return timed('fasttext', [
    'skipgram',
    ...Object.entries(options).flatMap(([name, value]) => [`-${name}`, `${value}`]),
  ]);
}

/** `bowerbird words train`, from the same text to a file of the same format. */
export function runBowerbird(input: string, output: string, settings: Settings, more: string[] = []): Timing {
  const { dim, window, negatives, epochs, rate, minCount, subsample, threads } = settings;
  const options = {
    ...{ out: output, dim, window, negatives, epochs, rate, subsample, threads, 'min-count': minCount },
  };
  const line = [
    'words',
    'train',
    input,
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`]),
  ];
  return timed(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...line, '--quiet', ...more]);
}

/** The shell's `times` gives the processor time of its children. */
function timed(command: string, args: string[]): Timing {
  const begun = performance.now();
  const { stdout, stderr, status } = spawnSync('sh', ['-c', '"$@" >/dev/null && times', 'sh', command, ...args], {
    encoding: 'utf8',
  });
  const wall = (performance.now() - begun) / 1000;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  const children = stdout.trim().split('\n').at(-1)!;
  const processor = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + 60 * Number(m) + Number(s),
    0,
  );
  return { wall, processor };
}
