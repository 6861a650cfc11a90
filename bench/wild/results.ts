/** What was measured, kept line by line so that an interrupted run goes on, and summed up over seeds and draws. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type Calibration, calibratedError, calibrationError, pooled } from './calibration.js';
import type { Failure, Measurement } from './measure.js';

export interface Cell {
  readonly problem: string;
  readonly regime: string;
  readonly seed: number;
  readonly draw: number;
  readonly method: string;
}

export type Line = Cell & (Measurement | Failure | { readonly areas: Record<string, number> });

/** The row of scores that need no method. */
export const featuresAlone = 'features alone';

/** The method that the others are rivals of. */
export const own = 'bowerbird';
/** The row of accuracies that the truth would give. */
export const ceilingName = 'ceiling (true labels)';

/** Entries of a file, a line each, found by what `key` says of them. */
export class Journal<Known, Entry extends Known> {
  readonly lines: Entry[] = [];
  readonly #file: string;
  readonly #key: (known: Known) => string;
  readonly #byKey = new Map<string, Entry>();

  constructor(file: string, key: (known: Known) => string) {
    this.#file = file;
    this.#key = key;
    if (!existsSync(file)) return;
    for (const text of readFileSync(file, 'utf8').split('\n')) {
      try {
        this.#keep(JSON.parse(text) as Entry);
      } catch {
        // A line that was being written when the run ended.
      }
    }
  }

  has(known: Known): boolean {
    return this.find(known) !== undefined;
  }

  find(known: Known): Entry | undefined {
    return this.#byKey.get(this.#key(known));
  }

  add(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
    this.#keep(entry);
  }

  #keep(entry: Entry): void {
    this.lines.push(entry);
    this.#byKey.set(this.#key(entry), entry);
  }
}

export const openMeasured = (file: string): Journal<Cell, Line> =>
  new Journal(file, ({ problem, regime, seed, draw, method }) => [problem, regime, seed, draw, method].join('|'));

/** One method in one regime of one problem, over all seeds and draws. */
export interface Summary {
  readonly problem: string;
  readonly regime: string;
  readonly method: string;
  readonly folders: number;
  readonly pictures: number;
  /** In percent. */
  readonly accuracy: number;
  readonly macro: number;
  /** In percent; the harmonic mean is that of the other two. Where auxiliary categories are candidates. */
  readonly seen?: number;
  readonly unseen?: number;
  readonly harmonic?: number;
  /** In percent, of the accuracy. */
  readonly standardError: number;
  readonly strangers: Readonly<Record<string, number>>;
  readonly confidence: Calibration;
  readonly confidenceError: number;
  /** What the same confidences would show on average if they held. */
  readonly confidenceIfCalibrated: number;
  readonly calledUnlisted?: number;
  readonly webError?: number;
  readonly webIfCalibrated?: number;
  readonly webArea?: number;
  readonly seconds: number;
}

/** Failed ones are left out. */
export function summarize(lines: readonly Line[]): Summary[] {
  const groups = new Map<string, (Cell & Measurement)[]>();
  for (const line of lines) {
    if (!('pictures' in line)) continue;
    const name = [line.problem, line.regime, line.method].join('|');
    groups.set(name, [...(groups.get(name) ?? []), line]);
  }
  return [...groups.values()].map((group) => {
    const { problem, regime, method } = group[0];
    const pictures = sum(group.map((line) => line.pictures));
    const rate = sum(group.map((line) => line.right)) / pictures;
    const webParts = group.flatMap(({ webCalibration }): Calibration[] => (webCalibration ? [webCalibration] : []));
    const confidence = pooled(group.map((line) => line.confidence));
    const known = <K extends 'webArea' | 'calledUnlisted' | 'seen' | 'unseen'>(name: K) =>
      group.map((line) => line[name]).filter((value): value is number => typeof value === 'number');
    return {
      problem,
      regime,
      method,
      folders: group.length,
      pictures,
      accuracy: 100 * rate,
      macro: 100 * mean(group.map((line) => line.macro)),
      ...(known('seen').length > 0 && harmonicMean(100 * mean(known('seen')), 100 * mean(known('unseen')))),
      standardError: 100 * Math.sqrt((rate * (1 - rate)) / pictures),
      strangers: meanAreas(group.map((line) => line.strangers)),
      confidence,
      confidenceError: calibrationError(confidence),
      confidenceIfCalibrated: calibratedError(confidence),
      ...(known('calledUnlisted').length > 0 && { calledUnlisted: 100 * mean(known('calledUnlisted')) }),
      ...(webParts.length > 0 && {
        webError: calibrationError(pooled(webParts)),
        webIfCalibrated: calibratedError(pooled(webParts)),
        webArea: mean(known('webArea')),
      }),
      seconds: mean(group.map((line) => line.seconds)),
    };
  });
}

function harmonicMean(seen: number, unseen: number) {
  return { seen, unseen, harmonic: (2 * seen * unseen) / Math.max(1e-9, seen + unseen) };
}

/** Of the scores that need no method, by problem and regime. */
export function featureAreas(
  lines: readonly Line[],
): { problem: string; regime: string; areas: Record<string, number> }[] {
  const groups = new Map<string, { problem: string; regime: string; all: Record<string, number>[] }>();
  for (const line of lines) {
    if (!('areas' in line)) continue;
    const name = [line.problem, line.regime].join('|');
    const group = groups.get(name) ?? { problem: line.problem, regime: line.regime, all: [] };
    group.all.push(line.areas);
    groups.set(name, group);
  }
  return [...groups.values()].map(({ problem, regime, all }) => ({ problem, regime, areas: meanAreas(all) }));
}

function meanAreas(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = [...new Set(all.flatMap((each) => Object.keys(each)))];
  return Object.fromEntries(
    names.map((name) => [name, mean(all.map((each) => each[name]).filter((value) => typeof value === 'number'))]),
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
export const mean = (values: readonly number[]) => sum(values) / values.length;
