/**
 * Fuzzing for file readers: mutated copies of valid files, drawn from a seeded generator so that every case can be
 * replayed. Each must either be read or be refused with a BowerbirdError, in bounded time and memory.
 */
import { once } from 'node:events';
import { writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BowerbirdError } from '../src/errors.js';

export interface FuzzOptions {
  /** @default BOWERBIRD_CASES, else 300, or 10,000 when BOWERBIRD_LONG is set */
  cases?: number;
  /** The longest one read may take. @default 5 */
  seconds?: number;
  /** How far the peak of the process's memory may rise during all cases together. @default 256 */
  mebibytes?: number;
  /** Mends a mutated file before it is read, for example its checksums, so that mutations reach deeper layers. */
  repair?: (bytes: Uint8Array) => Uint8Array;
}

export interface FuzzSummary {
  cases: number;
  read: number;
  refused: number;
}

/** Reads mutated copies of `seeds` and throws, naming the case and keeping its file, at the first that misbehaves. */
export async function fuzzReader(
  name: string,
  seeds: readonly Uint8Array[],
  read: (bytes: Uint8Array) => Promise<unknown>,
  options: FuzzOptions = {},
): Promise<FuzzSummary> {
  const { seconds = 5, mebibytes = 256, repair = (bytes: Uint8Array) => bytes } = options;
  const asked = Number(process.env.BOWERBIRD_CASES) || undefined;
  const cases = options.cases ?? asked ?? (process.env.BOWERBIRD_LONG ? 10_000 : 300);
  const peakBefore = peakMebibytes();
  const watchdog = await startWatchdog(name, seconds * 4);
  const summary: FuzzSummary = { cases, read: 0, refused: 0 };
  try {
    for (let index = 0; index < cases; index++) {
      const { bytes, mutations } = mutated(name, seeds, index);
      const input = repair(bytes);
      const complain = (problem: string, cause?: unknown) => {
        const file = join(tmpdir(), `fuzz-${name.replaceAll(/\W+/g, '-')}-${index}`);
        writeFileSync(file, input);
        return new Error(`${name}, case ${index} (${mutations.join(', ')}): ${problem}; the file is ${file}`, {
          cause,
        });
      };
      watchdog.beat(index);
      const start = performance.now();
      try {
        await read(input);
        summary.read++;
      } catch (error) {
        if (!(error instanceof BowerbirdError)) throw complain(`threw ${(error as Error)?.stack ?? error}`, error);
        summary.refused++;
      }
      const elapsed = (performance.now() - start) / 1000;
      if (elapsed > seconds) throw complain(`took ${elapsed.toFixed(1)} s, more than ${seconds} s`);
      const growth = peakMebibytes() - peakBefore;
      if (growth > mebibytes)
        throw complain(
          `memory rose by ${growth.toFixed(0)} MiB, more than ${mebibytes} MiB for a file of ${input.length} bytes`,
        );
    }
  } finally {
    await watchdog.stop();
  }
  if (asked) {
    const peak = `peak ${peakMebibytes().toFixed(0)} MiB`;
    writeSync(2, `${name}: ${cases} mutated files, ${summary.read} read, ${summary.refused} refused, ${peak}\n`);
  }
  return summary;
}

/** The file of one case: the same name, seeds and index give the same bytes. */
export function mutated(
  name: string,
  seeds: readonly Uint8Array[],
  index: number,
): { bytes: Uint8Array; mutations: string[] } {
  const random = generator(`${name}:${index}`);
  let bytes = Uint8Array.from(pick(random, seeds));
  const mutations: string[] = [];
  const count = 1 + below(random, 4);
  for (let i = 0; i < count && bytes.length > 0; i++) {
    const [label, mutate] = pick(random, mutators);
    bytes = mutate(bytes, random, seeds);
    mutations.push(label);
  }
  return { bytes, mutations };
}

type Random = () => number;
type Mutator = (
  bytes: Uint8Array<ArrayBuffer>,
  random: Random,
  seeds: readonly Uint8Array[],
) => Uint8Array<ArrayBuffer>;

/** Values at which sizes, offsets and counts go wrong. */
const extremes = [
  0n,
  1n,
  2n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0xffffn,
  0x7fffffffn,
  0x80000000n,
  0xfffffff8n,
  0xffffffffn,
  0x100000000n,
  0x1fffffffffffffn,
  0x7fffffffffffffffn,
  0x8000000000000000n,
  0xffffffffffffffffn,
];
const texts = [
  '-1',
  '0',
  '99999999',
  '9223372036854775807',
  '1e308',
  'nan',
  '"',
  "'",
  '(',
  ')',
  '[',
  '{',
  '}',
  ',',
  '\n',
  '\r',
  '\0',
  '\xff',
  '\xc0\x80',
];

const mutators: readonly [label: string, mutate: Mutator][] = [
  [
    'bit flip',
    (bytes, random) => {
      bytes[place(bytes, random)] ^= 1 << below(random, 8);
      return bytes;
    },
  ],
  [
    'random byte',
    (bytes, random) => {
      bytes[place(bytes, random)] = below(random, 256);
      return bytes;
    },
  ],
  ['truncation', (bytes, random) => bytes.slice(0, below(random, bytes.length))],
  [
    'removal',
    (bytes, random) => {
      const start = place(bytes, random);
      return concatenated(bytes.subarray(0, start), bytes.subarray(start + 1 + below(random, 16)));
    },
  ],
  [
    'duplication',
    (bytes, random) => {
      const start = place(bytes, random);
      const end = Math.min(bytes.length, start + 1 + below(random, 64));
      return concatenated(bytes.subarray(0, end), bytes.subarray(start));
    },
  ],
  [
    'extreme integer',
    (bytes, random) => {
      const width = pick(random, [1, 2, 4, 8]);
      let value = pick(random, extremes);
      const start = place(bytes, random);
      const littleEndian = random() < 0.8;
      for (let i = 0; i < width; i++, value >>= 8n) {
        const at = start + (littleEndian ? i : width - 1 - i);
        if (at < bytes.length) bytes[at] = Number(value & 0xffn);
      }
      return bytes;
    },
  ],
  [
    'extreme text',
    (bytes, random) => {
      const start = place(bytes, random);
      const replaced = below(random, 3);
      return concatenated(
        bytes.subarray(0, start),
        Buffer.from(pick(random, texts), 'latin1'),
        bytes.subarray(start + replaced),
      );
    },
  ],
  [
    'other digit',
    (bytes, random) => {
      const start = place(bytes, random);
      const at = bytes.findIndex((byte, i) => i >= start && byte >= 0x30 && byte <= 0x39);
      if (at >= 0) bytes[at] = 0x30 + below(random, 10);
      return bytes;
    },
  ],
  [
    'zeroed run',
    (bytes, random) => {
      const start = place(bytes, random);
      return bytes.fill(0, start, start + 1 + below(random, 32));
    },
  ],
  [
    'splice',
    (bytes, random, seeds) => {
      const other = pick(random, seeds);
      return concatenated(
        bytes.subarray(0, below(random, bytes.length + 1)),
        other.subarray(below(random, other.length + 1)),
      );
    },
  ],
];

/** Half of the mutations fall on the first 256 bytes or the last 256, where headers and directories lie. */
function place(bytes: Uint8Array, random: Random): number {
  const choice = random();
  const span = Math.min(bytes.length, 256);
  if (choice < 0.3) return below(random, span);
  if (choice < 0.5) return bytes.length - 1 - below(random, span);
  return below(random, bytes.length);
}

function concatenated(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let position = 0;
  for (const part of parts) {
    result.set(part, position);
    position += part.length;
  }
  return result;
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[below(random, choices.length)];
}

/** Uniform numbers in [0, 1) from a text: FNV-1a for the state, then mulberry32. */
function generator(text: string): Random {
  let state = 0x811c9dc5;
  for (const character of Buffer.from(text)) state = Math.imul(state ^ character, 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The largest resident size this process has ever had, so that short peaks count. */
function peakMebibytes(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/**
 * A reader in an endless loop never gives the test's own timer a turn, so another thread watches: when one case lasts
 * too long it says which and ends the process.
 */
async function startWatchdog(
  name: string,
  seconds: number,
): Promise<{ beat(index: number): void; stop(): Promise<unknown> }> {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const script = `
    const { workerData: { name, seconds, state } } = require('node:worker_threads');
    let last = -1, since = Date.now();
    setInterval(() => {
      const beat = Atomics.load(state, 0);
      if (beat !== last) { last = beat; since = Date.now(); }
      else if (Date.now() - since > seconds * 1000) {
        require('node:fs').writeSync(2, name + ', case ' + Atomics.load(state, 1) + ': no end after ' + seconds + ' s\\n');
        process.kill(process.pid, 'SIGKILL');
      }
    }, 250);`;
  const worker = new Worker(script, { eval: true, workerData: { name, seconds, state }, execArgv: [] });
  // It must be running before the first case: a busy thread cannot start another.
  await once(worker, 'online');
  return {
    beat(index) {
      Atomics.store(state, 1, index);
      Atomics.add(state, 0, 1);
    },
    stop: () => worker.terminate(),
  };
}
