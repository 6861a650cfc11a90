/**
 * The way of one method through a run, as a small state machine: the search for its parts (where it is made of others),
 * a first look at every trial on a share of the pictures (where early stopping is wanted), the trials that are left on all
 * of them, then the final fits with what was chosen.
 * What it decides depends on outcomes alone, never on the order or the time in which they came.
 */
import { inSetting, type MethodSpec, type PreparationTimes } from '../methods/index.js';
import { resolveParameters } from '../parameters.js';
import type { FitFailure, FitJob, FitOutcome, JournalLine, Parameters, RepeatedTrials } from './results.js';
import { distinctTrials, type Searched, sampleParameters, searchable } from './sample-parameters.js';

/**
 * Successive halving with one step (Jamieson and Talwalkar 2016): every trial is first fitted to `share` of each category's
 * pictures, and only the best `keep` of them go on.
 */
export interface EarlyStopping {
  share: number;
  keep: number;
}

export interface MethodRunOptions {
  spec: MethodSpec;
  /** 0 for the defaults. */
  trials: number;
  seed: number;
  generalized: boolean;
  earlyStopping?: EarlyStopping;
  /** Parameters chosen before; there is no search then. */
  given?: Parameters;
  /** The runs of the methods it is made of. Their parameters are taken from these, and only its own are searched for. */
  parts?: readonly MethodRun[];
  /** The fits with what was chosen. */
  finals(parameters: Parameters): readonly FitJob[];
}

type Stage = 'parts' | 'look' | 'trial' | 'final' | 'done';

/** A trial that ended, well or not. */
interface Ended {
  index: number;
  line: JournalLine;
}

/** Fewer trials than this are not worth a first look. */
const fewestForLook = 4;

export class MethodRun {
  readonly spec: MethodSpec;
  readonly options: MethodRunOptions;
  parameters: Parameters;
  chosenBy: 'search' | 'defaults' | 'given';
  /** Why there was no search though one was asked for. */
  note: string | undefined;
  chosenTrial: { id: string; validationAccuracy: number } | undefined;
  readonly finals: JournalLine[] = [];
  /** Jobs that ended. */
  done = 0;
  readonly #looks: Ended[] = [];
  readonly #trials: Ended[] = [];
  #stage: Stage = 'done';
  #ready: FitJob[] = [];
  /** Trials with the parameters of another one, by its name: one fit says what all of them come to. */
  readonly #repeats = new Map<string, FitJob[]>();
  /** What the parts have chosen. */
  #fixed: Parameters = {};
  #survivors: number | undefined;
  #running = 0;
  #fits = 0;
  #seconds = 0;

  constructor(options: MethodRunOptions) {
    this.spec = inSetting(options.spec, options.generalized);
    this.options = { ...options, spec: this.spec };
    const { name, parameters } = this.spec;
    this.parameters = options.given ?? resolveParameters(name, parameters, {});
    this.chosenBy = options.given ? 'given' : 'defaults';
    if (options.given || options.trials === 0 || !searchable(options.spec)) this.#conclude();
    else if (options.parts) this.#stage = 'parts';
    else this.#search();
  }

  get ended(): boolean {
    this.#awaitParts();
    return this.#stage === 'done';
  }

  /** Jobs that could start now. */
  get ready(): number {
    this.#awaitParts();
    return this.#ready.length;
  }

  /** Whether the parameters are settled. */
  get concluded(): boolean {
    return this.#stage === 'final' || this.#stage === 'done';
  }

  /** Seconds the jobs still to come may take, as far as can be told: endless before the first was started. */
  get expectedSeconds(): number {
    if (this.#fits > 0) return (this.#seconds / this.#fits) * this.#ready.length;
    return this.#running > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Jobs this run will have had, if nothing fails. */
  get expectedJobs(): number {
    const { earlyStopping } = this.options;
    const trials = this.#trialCount;
    const finals = this.options.finals(this.parameters).length;
    if (this.chosenBy !== 'search' && this.#stage === 'final') return this.done + this.#ready.length + this.#running;
    if (this.#stage === 'done') return this.done;
    if (!earlyStopping || trials < fewestForLook) return trials + finals;
    return trials + (this.#survivors ?? survivorCount(trials, earlyStopping.keep) + 1) + finals;
  }

  get trials(): readonly JournalLine[] {
    return this.#trials.map(({ line }) => line);
  }

  get failedTrials(): number {
    return [...this.#looks, ...this.#trials].filter(({ line }) => 'failure' in line).length;
  }

  /** Trials that were given up after the first look. */
  get stoppedTrials(): number {
    return this.#looks.length === 0 ? 0 : this.#looks.length - this.#trials.length;
  }

  get searchSeconds(): number {
    const parts = this.options.parts?.reduce((sum, part) => sum + part.searchSeconds, 0) ?? 0;
    return [...this.#looks, ...this.#trials].reduce((sum, { line }) => sum + (outcomeOf(line)?.seconds ?? 0), parts);
  }

  /** Everything that ended. */
  get lines(): JournalLine[] {
    return [...[...this.#looks, ...this.#trials].map(({ line }) => line), ...this.finals];
  }

  /** What its fits have in common, in seconds; undefined for methods without such parts. */
  get preparation(): PreparationTimes | undefined {
    return sumOfPreparation(this.lines);
  }

  /** Trials that needed no fit of their own. */
  get repeats(): RepeatedTrials | undefined {
    return sumOfRepeats(this.lines);
  }

  /** The next job to start, if one is ready, of those that share what is named; it must come back through `accept`. */
  next(shared?: string): FitJob | undefined {
    const at = shared === undefined ? 0 : this.#ready.findIndex((job) => this.sharedPart(job) === shared);
    const [job] = at < 0 ? [] : this.#ready.splice(at, 1);
    if (job) this.#running++;
    return job;
  }

  /** Fits with the same one, of whatever method, have a part in common that is best made for all of them in turn. */
  sharedPart({ split, generalized, change, parameters }: FitJob): string | undefined {
    const { sharedBy } = this.spec;
    return sharedBy && JSON.stringify([split, generalized, change, sharedBy.map((name) => [name, parameters[name]])]);
  }

  /** Takes what came of a job; gives the lines of the trials that need no fit of their own any more. */
  accept(line: JournalLine): JournalLine[] {
    this.#running--;
    this.done++;
    this.#fits++;
    this.#seconds += outcomeOf(line)?.seconds ?? 0;
    const repeated: JournalLine[] = [];
    if (this.#stage === 'final') this.finals.push(line);
    else {
      repeated.push(...(this.#repeats.get(line.job.id) ?? []).map((job) => repeatedLine(job, line)));
      this.#repeats.delete(line.job.id);
      this.done += repeated.length;
      for (const each of [line, ...repeated])
        (this.#stage === 'look' ? this.#looks : this.#trials).push({ index: trialIndex(each.job.id), line: each });
      // What is wrong with the problem does not depend on the parameters.
      if (unsuitable(line)) this.#ready = [];
    }
    if (this.#ready.length === 0 && this.#running === 0) this.#advance();
    return repeated;
  }

  /** What is searched for: all parameters, or those that do not belong to a part. */
  get #own(): Searched {
    const { spec, parts } = this.options;
    if (!parts) return spec;
    const prefixes = parts.map((part) => `${part.spec.name}.`);
    const own = Object.entries(spec.parameters).filter(([name]) => !prefixes.some((prefix) => name.startsWith(prefix)));
    return { parameters: Object.fromEntries(own) };
  }

  /** One trial, for the record, where the parts leave nothing to choose. */
  get #trialCount(): number {
    return searchable(this.#own) ? Math.min(this.options.trials, distinctTrials(this.#own)) : 1;
  }

  /** Goes on once every part has its parameters. */
  #awaitParts(): void {
    const { parts } = this.options;
    if (this.#stage !== 'parts' || !parts?.every(({ concluded }) => concluded)) return;
    this.#fixed = Object.fromEntries(
      parts.flatMap(({ spec, parameters }) =>
        Object.entries(parameters).map(([name, value]) => [`${spec.name}.${name}`, value]),
      ),
    );
    this.parameters = { ...this.parameters, ...this.#fixed };
    this.#search();
  }

  #search(): void {
    const trials = this.#trialCount;
    const look = this.options.earlyStopping !== undefined && trials >= fewestForLook;
    const all = Array.from({ length: trials }, (_, index) => index);
    this.#enter(
      look ? 'look' : 'trial',
      all.map((index) => this.#trialJob(index, look)),
    );
  }

  #enter(stage: Stage, jobs: readonly FitJob[]): void {
    this.#stage = jobs.length === 0 ? 'done' : stage;
    this.#ready = stage === 'final' ? [...jobs] : this.#withoutRepeats(jobs);
  }

  /** The first of those with the same parameters; the others wait for what comes of it. */
  #withoutRepeats(jobs: readonly FitJob[]): FitJob[] {
    this.#repeats.clear();
    const firsts = new Map<string, FitJob>();
    for (const job of jobs) {
      const key = JSON.stringify(job.parameters);
      const first = firsts.get(key);
      if (first) this.#repeats.set(first.id, [...(this.#repeats.get(first.id) ?? []), job]);
      else firsts.set(key, job);
    }
    return [...firsts.values()];
  }

  #advance(): void {
    const { earlyStopping } = this.options;
    if (this.#stage === 'look') {
      const looked = ranked(this.#looks);
      const best = looked.slice(0, survivorCount(this.#trialCount, earlyStopping!.keep)).map(({ index }) => index);
      // The defaults go on too, whatever the first look says of them.
      if (!best.includes(0) && looked.some(({ index }) => index === 0)) best.push(0);
      this.#survivors = best.length;
      const indices = best.sort((a, b) => a - b);
      if (indices.length === 0) this.#conclude();
      else
        this.#enter(
          'trial',
          indices.map((index) => this.#trialJob(index, false)),
        );
    } else if (this.#stage === 'trial') this.#conclude();
    else this.#stage = 'done';
  }

  #conclude(): void {
    const [best] = ranked(this.#trials);
    if (best) {
      this.chosenBy = 'search';
      this.parameters = best.line.job.parameters;
      this.chosenTrial = { id: best.line.job.id, validationAccuracy: scoreOf(best.line) };
    } else {
      const failed = [...this.#trials, ...this.#looks].map(({ line }) => failureOf(line)).find(Boolean);
      if (failed) this.note = `no trial succeeded, so these are the defaults: ${failed.message}`;
    }
    this.#enter('final', this.options.finals(this.parameters));
  }

  #trialJob(index: number, look: boolean): FitJob {
    const { spec, seed, generalized, earlyStopping } = this.options;
    return {
      id: `${spec.name}/${look ? 'look' : 'trial'}-${String(index).padStart(3, '0')}`,
      method: spec.name,
      parameters: { ...this.#fixed, ...sampleParameters(this.#own, seed, index) },
      seed,
      split: 'validation',
      generalized,
      ...(look && { change: { share: earlyStopping!.share } }),
    };
  }
}

/**
 * A run for each of these, and the runs they wait for: methods that are made of others take what was chosen for each part on
 * its own. A part that is asked for itself is searched for once.
 */
export function methodRuns(
  wanted: readonly MethodRunOptions[],
  { joint = false }: { joint?: boolean } = {},
): { wanted: MethodRun[]; all: MethodRun[] } {
  const runs = new Map<string, MethodRun>();
  const key = ({ spec, generalized }: MethodRunOptions) => `${spec.name} ${generalized}`;
  const runOf = (options: MethodRunOptions): MethodRun => {
    const found = runs.get(key(options));
    if (found) return found;
    const searched = !joint && !options.given && options.trials > 0;
    const parts = searched ? options.spec.parts?.map((spec) => runOf(partOptions(spec, options, wanted))) : undefined;
    const run = new MethodRun({ ...options, parts });
    runs.set(key(options), run);
    return run;
  };
  const own = wanted.map(runOf);
  return { wanted: own, all: [...runs.values()] };
}

/** As the part itself is asked for, or a search without final fits, in the setting that the part knows. */
function partOptions(spec: MethodSpec, whole: MethodRunOptions, wanted: readonly MethodRunOptions[]): MethodRunOptions {
  const generalized = whole.generalized && spec.setting !== 'standard';
  const asked = wanted.find((each) => each.spec === spec && each.generalized === generalized);
  return asked ?? { ...whole, spec, generalized, finals: () => [] };
}

/** Best mean per-category accuracy first, the smaller trial among equals; failed ones are left out. */
function ranked(ended: readonly Ended[]): Ended[] {
  return ended
    .filter(({ line }) => 'outcome' in line)
    .sort((a, b) => scoreOf(b.line) - scoreOf(a.line) || a.index - b.index);
}

function survivorCount(trials: number, keep: number): number {
  return Math.max(1, Math.ceil(keep * trials));
}

function scoreOf(line: JournalLine): number {
  return outcomeOf(line)?.meanCategoryAccuracy ?? -1;
}

function trialIndex(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

/** What a fit says of another trial with its parameters, which takes no time. */
function repeatedLine(job: FitJob, line: JournalLine): JournalLine {
  const { id } = job;
  if ('failure' in line) return { job, failure: { ...line.failure, id } };
  const { preparation: _, processorSeconds: __, ...outcome } = line.outcome;
  return { job, outcome: { ...outcome, id, seconds: 0, repeats: line.job.id } };
}

/** Trials that were not fitted because another one had their parameters, and the seconds which that spared. */
export function sumOfRepeats(lines: readonly JournalLine[]): RepeatedTrials | undefined {
  const outcomes = lines.flatMap((line) => outcomeOf(line) ?? []);
  const repeats = outcomes.flatMap((outcome) => outcome.repeats ?? []);
  if (repeats.length === 0) return undefined;
  const took = new Map(outcomes.map(({ id, seconds }) => [id, seconds]));
  return { trials: repeats.length, seconds: repeats.reduce((sum, id) => sum + (took.get(id) ?? 0), 0) };
}

/** Of all fits together. */
export function sumOfPreparation(lines: readonly JournalLine[]): PreparationTimes | undefined {
  const each = lines.flatMap((line) => outcomeOf(line)?.preparation ?? []);
  if (each.length === 0) return undefined;
  const sum = (name: keyof PreparationTimes) => each.reduce((total, times) => total + times[name], 0);
  return { made: sum('made'), shared: sum('shared') };
}

export function outcomeOf(line: JournalLine): FitOutcome | undefined {
  return 'outcome' in line ? line.outcome : undefined;
}

export function failureOf(line: JournalLine): FitFailure | undefined {
  return 'failure' in line ? line.failure : undefined;
}

/** Whether the job failed because the method cannot work on such a problem. */
export function unsuitable(line: JournalLine): boolean {
  return failureOf(line)?.code === 'BOWERBIRD_PROBLEM';
}
