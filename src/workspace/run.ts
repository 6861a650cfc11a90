/**
 * Runs the stages of a workspace: what is stale and nothing else, side by side where neither needs the other. A stage
 * that fails stops those that need it, the others go on to their end.
 */
import { BowerbirdError, InterruptedError } from '../errors.js';
import type { Progress } from '../progress.js';
import { asConfigurationError, checkStages } from './check-stages.js';
import { lockWorkspace } from './lock.js';
import { ProgressFile } from './progress-file.js';
import { resultOf, type Stage, type StageContext, type StageInputs, type StageName } from './stage.js';
import { stages as allStages } from './stages/index.js';
import { outputHash, staleReason } from './staleness.js';
import { StageStates } from './state.js';
import { writeSchema } from './template.js';
import type { Workspace } from './workspace.js';

export interface RunOptions {
  /** Stop after this stage and what it needs. */
  until?: StageName;
  /** Run this stage though it is not stale. */
  again?: StageName;
  /** Has features extracted elsewhere than in this process. */
  extractElsewhere?: StageContext['extractElsewhere'];
  /** Has pictures of the web fetched elsewhere than in this process. */
  downloadElsewhere?: StageContext['downloadElsewhere'];
  /** Keep parameters that were chosen before, though what they were chosen on has changed, and compare nothing. */
  quick?: boolean;
  signal?: AbortSignal;
  /** Stages that need nothing more, of all, with those at work as parts; whenever one of them has news. */
  onProgress?(progress: Progress): void;
  /** `note`: something a user should know; `end`: a stage has ended, with its summary. */
  onNote?(message: string, kind: 'note' | 'end'): void;
}

export interface StageReport {
  stage: StageName;
  outcome: 'ran' | 'unchanged' | 'omitted' | 'failed' | 'blocked';
  /** Why it ran, was left out or could not run. */
  reason?: string;
  summary?: string;
  notes: readonly string[];
  failed: readonly string[];
  seconds?: number;
}

export interface RunReport {
  stages: readonly StageReport[];
  /** Items of any stage that failed though the stage ended. */
  failed: readonly string[];
}

/**
 * Brings a workspace up to date.
 *
 * @example
 * const report = await runWorkspace(await openWorkspace('birds'), { onNote: console.error });
 * for (const { stage, outcome, summary } of report.stages) console.log(stage, outcome, summary);
 * @throws the first error of a stage; what the others finished stays
 */
export async function runWorkspace(workspace: Workspace, options: RunOptions = {}): Promise<RunReport> {
  const free = await lockWorkspace(workspace);
  const file = new ProgressFile(workspace);
  const onProgress = (progress: Progress) => {
    file.update(progress);
    options.onProgress?.(progress);
  };
  await writeSchema(workspace);
  for (const note of workspace.configuration.notes) options.onNote?.(note, 'note');
  try {
    return await new Run(workspace, { ...options, onProgress }, await StageStates.open(workspace)).all();
  } finally {
    file.remove();
    await workspace.fingerprints.save().finally(free);
  }
}

class Run {
  readonly #workspace: Workspace;
  readonly #options: RunOptions;
  readonly #states: StageStates;
  readonly #stages: readonly Stage[];
  readonly #working = new Map<StageName, Progress>();
  readonly #reports = new Map<StageName, StageReport>();
  readonly #outputs = new Map<StageName, string>();
  #heavy: Promise<unknown> = Promise.resolve();
  #error: { error: unknown } | undefined;

  constructor(workspace: Workspace, options: RunOptions, states: StageStates) {
    this.#workspace = workspace;
    this.#options = options;
    this.#states = states;
    this.#stages = neededFor(options.until);
  }

  async all(): Promise<RunReport> {
    await checkStages(this.#workspace, this.#stages, this.#states, (message) =>
      this.#options.onNote?.(`also: ${message}`, 'note'),
    );
    const started = new Map<StageName, Promise<void>>();
    const start = (stage: Stage): Promise<void> => {
      const running = started.get(stage.name);
      if (running) return running;
      const needs = stage.needs.map((name) => start(this.#stages.find((one) => one.name === name)!));
      const promise = Promise.all(needs).then(() => this.#one(stage));
      started.set(stage.name, promise);
      return promise;
    };
    await Promise.all(this.#stages.map(start));
    if (this.#options.signal?.aborted)
      throw new InterruptedError('the run was interrupted', 'Run it again to go on where it stopped.');
    if (this.#error) throw this.#error.error;
    const reports = this.#stages.map(({ name }) => this.#reports.get(name)!);
    return { stages: reports, failed: reports.flatMap(({ failed }) => failed) };
  }

  async #one(stage: Stage): Promise<void> {
    const { signal } = this.#options;
    if (signal?.aborted) return this.#close(stage, { outcome: 'blocked', reason: 'interrupted' });
    const omitted = stage.omitted?.(this.#workspace);
    if (omitted !== undefined) return this.#close(stage, { outcome: 'omitted', reason: omitted });
    const missing = stage.needs.find((name) => ['failed', 'blocked'].includes(this.#reports.get(name)!.outcome));
    if (missing) return this.#close(stage, { outcome: 'blocked', reason: `${missing} did not end` });
    let inputs: StageInputs | undefined;
    try {
      inputs = { ...(await stage.inputs(this.#workspace)), ...this.#neededOutputs(stage) };
      const record = this.#states.get(stage.name);
      if (this.#options.quick && searches.has(stage.name) && record?.state === 'done' && record.output !== undefined) {
        this.#outputs.set(stage.name, record.output);
        return this.#close(stage, { outcome: 'unchanged', summary: record.summary });
      }
      const stale = await staleReason(stage, this.#workspace, inputs, record);
      const reason = stale ?? (this.#options.again === stage.name ? 'asked for' : undefined);
      if (reason !== undefined) {
        const known = inputs;
        if (stage.heavy) await this.#inTurn(() => this.#execute(stage, known, reason));
        else await this.#execute(stage, known, reason);
        return;
      }
      this.#outputs.set(stage.name, record!.output!);
      const { summary, notes = [], failed = [] } = record!;
      this.#close(stage, { outcome: 'unchanged', summary, notes, failed });
    } catch (error) {
      await this.#fail(stage, inputs, error);
    }
  }

  async #execute(stage: Stage, inputs: StageInputs, reason: string): Promise<void> {
    const { signal = new AbortController().signal } = this.#options;
    signal.throwIfAborted();
    await this.#states.set(stage.name, { state: 'running', inputs });
    const begun = performance.now();
    const notes: string[] = [];
    this.#progress(stage, { done: 0 });
    const { summary, failed = [] } = await stage.run({
      workspace: this.#workspace,
      signal,
      extractElsewhere: this.#options.extractElsewhere,
      downloadElsewhere: this.#options.downloadElsewhere,
      onProgress: (progress) => this.#progress(stage, progress),
      note: (message) => {
        notes.push(message);
        this.#options.onNote?.(`${stage.name}: ${message}`, 'note');
      },
    });
    const output = await outputHash(stage, this.#workspace);
    if (output === undefined) throw new Error(`the stage ${stage.name} ended without its outputs`);
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    const finished = new Date().toISOString();
    await this.#states.set(stage.name, { state: 'done', inputs, output, summary, notes, failed, seconds, finished });
    await this.#workspace.fingerprints.save();
    this.#outputs.set(stage.name, output);
    this.#close(stage, { outcome: 'ran', reason, summary, notes, failed, seconds });
    this.#options.onNote?.(`${stage.name}: ${summary} (${seconds} s)`, 'end');
  }

  /** @param inputs absent where not even they could be found out */
  async #fail(stage: Stage, inputs: StageInputs | undefined, cause: unknown): Promise<void> {
    const error = asConfigurationError(cause);
    const { message } = error as Error;
    // An interrupted stage stays as it is: it is gone on with.
    if (!this.#options.signal?.aborted) {
      this.#error ??= { error };
      const { code, hint } = (error instanceof BowerbirdError ? error : undefined) ?? {};
      // A result stands while the folder that it was made from is away: it may come back as it was.
      if (inputs || this.#states.get(stage.name)?.state !== 'done')
        await this.#states.set(stage.name, { state: 'failed', inputs: inputs ?? {}, error: { code, message, hint } });
      this.#options.onNote?.(`${stage.name} failed: ${message}`, 'note');
    }
    this.#close(stage, { outcome: 'failed', reason: message });
  }

  #neededOutputs(stage: Stage): StageInputs {
    return Object.fromEntries(
      stage.needs.flatMap((name) => {
        const output = this.#outputs.get(name);
        return output === undefined ? [] : [[resultOf(name), output]];
      }),
    );
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#heavy.then(work);
    this.#heavy = turn.catch(() => {});
    return turn;
  }

  #progress(stage: Stage, progress: Progress): void {
    // What a stage does within itself belongs to its words.
    const within = progress.stage === stage.name ? undefined : progress.stage;
    const detail = [within, progress.detail].filter(Boolean).join(', ');
    this.#working.set(stage.name, { ...progress, stage: stage.name, ...(detail && { detail }) });
    this.#tell();
  }

  #close(stage: Stage, report: Partial<StageReport> & Pick<StageReport, 'outcome'>): void {
    this.#working.delete(stage.name);
    this.#reports.set(stage.name, { stage: stage.name, notes: [], failed: [], ...report });
    this.#tell();
  }

  #tell(): void {
    this.#options.onProgress?.({
      done: this.#reports.size,
      total: this.#stages.length,
      parts: [...this.#working.values()],
    });
  }
}

/** Stages that try parameters or methods, which takes far longer than a fit. */
const searches: ReadonlySet<StageName> = new Set(['tune', 'compare']);

/** A stage and everything before it, in the order of the graph. */
function neededFor(until: StageName | undefined): readonly Stage[] {
  if (until === undefined) return allStages;
  const names = new Set<StageName>();
  const add = (name: StageName) => {
    names.add(name);
    allStages.find((stage) => stage.name === name)!.needs.forEach(add);
  };
  add(until);
  return allStages.filter(({ name }) => names.has(name));
}
