/**
 * Questions about the pictures of a workspace and what becomes of the answers. The problem is fitted once with the parameters
 * that the workspace has; every answer is a line in the decisions first, and then evidence in a quick refit. Nothing that is
 * answered waits for the refit: questions that are out already stay good, and the next list knows more.
 */
import { readFile } from 'node:fs/promises';
import { UsageError } from '../errors.js';
import { type AccuracyEstimate, drawCheck } from '../fit/index.js';
import { type Backend, createBackend } from '../linalg/index.js';
import { createMethod, findMethod } from '../methods/index.js';
import { candidateNames, loadProblem, type Method, type Problem, unanswered } from '../problem/index.js';
import type { Progress } from '../progress.js';
import {
  addCategory,
  agreedLabel,
  chosenParameters,
  type Decisions,
  estimateFromAnswers,
  layout,
  type ProblemRows,
  readDecisions,
  recordActs,
  StageStates,
  UnfinishedError,
  undoDecision,
  type Workspace,
  webPictures,
} from '../workspace/index.js';
import { beliefsOf, canAsk, verdicts } from './beliefs.js';
import { actOf, type Question, type Reply, type Standing } from './question.js';
import { type Asking, askingOf, rankQuestions } from './questions.js';
import type { Beliefs } from './value.js';

export interface SessionOptions {
  /** Who answers. @default nobody's name */
  by?: string;
  /** Share of the questions that are drawn at random, to know how right the folder is. @default 0.25 */
  check?: number;
  /** Share of the questions that somebody else has answered already. @default 0 */
  repeat?: number;
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

/** One of so many questions is about a group of strangers, where there is one: this one of them. */
const groupOnceIn = 8;
const groupPlace = 3;
/** Likeliest candidates that a question names. */
const choicesShown = 5;

export class AskSession {
  readonly workspace: Workspace;
  readonly #options: SessionOptions;
  readonly #backend: Backend;
  readonly #method: Method;
  readonly #problem: Problem;
  readonly #rows: ProblemRows;
  readonly #names: readonly string[];
  readonly #before: { verdicts: Int32Array; expected: number; answered: number };
  #decisions: Decisions;
  #beliefs: Beliefs;
  #known: string;
  #seconds = 0;
  #webFiles: Promise<ReadonlyMap<string, string>> | undefined;

  /** @throws UnfinishedError where nothing is fitted, UsageError for a method that takes no answers */
  static async open(workspace: Workspace, options: SessionOptions = {}): Promise<AskSession> {
    const { learner, seed } = workspace.configuration;
    const states = await StageStates.open(workspace);
    if (states.get('problem')?.state !== 'done')
      throw new UnfinishedError(
        `${workspace.folder} has nothing to ask about yet`,
        `Run "bowerbird run ${workspace.folder}" first.`,
      );
    const spec = findMethod(learner.method);
    const { parameters } = await chosenParameters(workspace);
    const method = createMethod(spec, parameters, seed);
    if (!canAsk(method))
      throw new UsageError(
        `the method ${learner.method} takes no answers`,
        'Set learner.method to bowerbird in bowerbird.yaml.',
      );
    const problem = await loadProblem(workspace.path(layout.problem), {
      scaling: learner.scaling,
      web: 'optional',
      signal: options.signal,
    });
    const rows = JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
    const backend = await createBackend({ device: learner.device, threads: learner.threads });
    try {
      await method.fit(problem, { backend, signal: options.signal, onProgress: options.onProgress });
      const session = new AskSession(
        workspace,
        options,
        backend,
        method,
        problem,
        rows,
        await readDecisions(workspace),
      );
      await session.refit();
      session.#begin();
      return session;
    } catch (error) {
      backend.dispose();
      throw error;
    }
  }

  private constructor(
    workspace: Workspace,
    options: SessionOptions,
    backend: Backend,
    method: Method,
    problem: Problem,
    rows: ProblemRows,
    decisions: Decisions,
  ) {
    this.workspace = workspace;
    this.#options = options;
    this.#backend = backend;
    this.#method = method;
    this.#problem = problem;
    this.#rows = rows;
    this.#names = candidateNames(problem);
    this.#decisions = decisions;
    this.#beliefs = beliefsOf(method, problem, problem.testKnown);
    this.#known = JSON.stringify([[...(problem.testKnown ?? [])], [...(problem.webVouched ?? [])]]);
    this.#before = { verdicts: new Int32Array(), expected: 0, answered: 0 };
  }

  /** From here on it is counted what answers bought. */
  #begin(): void {
    const { chances } = this.#beliefs;
    Object.assign(this.#before, {
      verdicts: verdicts(chances),
      expected: this.#expected(),
      answered: this.#decisions.answers.size,
    });
  }

  close(): void {
    this.#backend.dispose();
  }

  /** Where a picture of a question lies. */
  async pictureFile({ kind }: Question, id: string): Promise<string> {
    if (kind !== 'web') return this.workspace.path(this.workspace.configuration.test, id);
    this.#webFiles ??= webPictures(this.workspace).then((list) => new Map(list.map((one) => [one.id, one.path])));
    return this.workspace.path((await this.#webFiles).get(id) ?? id);
  }

  /** What the fit says of a test picture; undefined for one that it does not have. */
  predicted(id: string): string | null | undefined {
    const row = this.#rows.test.indexOf(id);
    return row < 0 ? undefined : this.#name(verdicts(this.#beliefs.chances)[row]);
  }

  get pictures(): readonly string[] {
    return this.#rows.test;
  }

  /** Every name that an answer may have. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** The most valuable questions that nobody has answered, checks among them. */
  async questions(count: number, apart: readonly string[] = []): Promise<Question[]> {
    const { answers, unsure } = this.#decisions;
    const not = new Set([...apart, ...unsure]);
    const isFree = (row: number) => !not.has(this.#rows.test[row]) && !answers.has(this.#rows.test[row]);
    const web = this.#method.webWeights?.();
    const ranked = rankQuestions(
      {
        ...this.#beliefs,
        groups: this.#method.groups?.(),
        ...(web && { web: { labels: this.#problem.webLabels, trust: web, known: this.#webKnown() } }),
      },
      this.#rows.test.length + this.#rows.web.length,
    ).flatMap((asking): Asking | Asking[] => {
      if (asking.kind === 'web') return not.has(this.#rows.web[asking.row]) ? [] : asking;
      return askingOf(asking, isFree) ?? [];
    });
    // The largest group without a name is asked about however sure it is: a name is more than "none of these".
    const [group] = rankedGroups(ranked);
    const done = answers.size + unsure.size;
    const order = group ? [...ranked] : ranked;
    const place = (((groupPlace - done) % groupOnceIn) + groupOnceIn) % groupOnceIn;
    if (group && order.indexOf(group) > place) {
      order.splice(order.indexOf(group), 1);
      order.splice(place, 0, group);
    }
    const taken = new Set<number>();
    const list: Question[] = this.#repeats(count);
    const every = Math.round(1 / Math.max(1e-6, this.#options.check ?? 0.25));
    let checks = this.#checksSoFar();
    for (const asking of order) {
      if (list.length >= count) break;
      if ((list.length + done) % every === every - 1) {
        const check = this.#check((row) => isFree(row) && !taken.has(row), checks);
        if (check) {
          checks++;
          taken.add(check.row);
          list.push(check.question);
          if (list.length >= count) break;
        }
      }
      const rest = asking.kind === 'web' ? asking : askingOf(asking, (row) => !taken.has(row));
      if (!rest) continue;
      if (rest.kind === 'picture') taken.add(rest.row);
      if (rest.kind === 'group') for (const row of rest.rows) taken.add(row);
      list.push(this.#question(rest));
    }
    return list;
  }

  /** Writes the answer down; the fit takes it up with the next `refit`. */
  async answer(question: Question, reply: Reply): Promise<void> {
    const { by } = this.#options;
    await recordActs(this.workspace, [actOf(question, reply)], by);
    this.#decisions = await readDecisions(this.workspace);
  }

  /**
   * The pictures of a question show something that becomes a category: the next run crawls its name, and until then they
   * count as showing none of the others.
   * @throws UsageError for a name that is taken
   */
  async nameCategory(question: Question, name: string): Promise<void> {
    const { configuration } = await addCategory(this.workspace, name);
    await this.answer(question, { label: configuration.categories.at(-1)!.name });
  }

  /** @returns the pictures of the answer that was taken back */
  async undo(): Promise<readonly string[] | undefined> {
    const act = await undoDecision(this.workspace, this.#options.by);
    this.#decisions = await readDecisions(this.workspace);
    return act?.ids;
  }

  /** Takes up what people have decided since the last one. */
  async refit(): Promise<void> {
    this.#decisions = await readDecisions(this.workspace);
    const [test, web] = [this.#testKnown(), this.#webKnown()];
    const known = JSON.stringify([[...test], [...web]]);
    const plain = JSON.stringify([[], []]);
    const nothing = test.every((label) => label === unanswered) && web.every((said) => said === 0);
    if (known === this.#known || (nothing && this.#known === plain)) return;
    const begun = performance.now();
    await this.#method.refit!({ test, web }, { signal: this.#options.signal });
    this.#known = known;
    this.#beliefs = beliefsOf(this.#method, this.#problem, test);
    this.#seconds = (performance.now() - begun) / 1000;
  }

  /** Where things stand, and what the answers of this session bought. */
  standing(): Standing {
    const { chances } = this.#beliefs;
    const now = verdicts(chances);
    const before = this.#before;
    const changed = [...now.keys()].filter((j) => now[j] !== before.verdicts[j]);
    const { answers } = this.#decisions;
    const confidence = (j: number) => (now[j] < 0 ? chances.at(j, chances.cols - 1) : chances.at(j, now[j]));
    const moves = changed.map((j) => ({
      id: this.#rows.test[j],
      from: this.#name(before.verdicts[j]),
      to: this.#name(now[j]),
      confidence: confidence(j),
      said: answers.has(this.#rows.test[j]),
    }));
    return {
      pictures: now.length,
      answered: answers.size,
      answeredNow: answers.size - before.answered,
      expectedBefore: before.expected,
      expected: this.#expected(),
      moves: moves.sort((a, b) => Number(a.said) - Number(b.said) || b.confidence - a.confidence),
      refitSeconds: this.#seconds,
      ...(this.estimate() && { estimate: this.estimate() }),
    };
  }

  estimate(): AccuracyEstimate | undefined {
    return estimateFromAnswers(this.#decisions, this.#rows.test.length);
  }

  /** Share of the folder that is right, as the fit sees it. */
  #expected(): number {
    const { chances, answered } = this.#beliefs;
    let sum = 0;
    for (let j = 0; j < chances.rows; j++)
      sum += answered[j] ? 1 : chances.row(j).reduce((most, p) => Math.max(most, p), 0);
    return sum / Math.max(1, chances.rows);
  }

  #name(category: number): string | null {
    return category < 0 ? null : this.#names[category];
  }

  #testKnown(): Int32Array {
    return Int32Array.from(this.#rows.test, (id) => {
      const said = this.#decisions.answers.get(id);
      return said ? this.#names.indexOf(agreedLabel(said) ?? '') : unanswered;
    });
  }

  #webKnown(): Int8Array {
    const { of, moved } = this.#decisions;
    const { webLabels, testNames } = this.#problem;
    return Int8Array.from(this.#rows.web, (id, i) => {
      const to = moved.get(id);
      if (to !== undefined) return to === testNames[webLabels[i]] ? 1 : -1;
      return of.get(id) === 'keep' ? 1 : of.get(id) === 'drop' ? -1 : 0;
    });
  }

  #checksSoFar(): number {
    return [...this.#decisions.answers.values()].flat().filter(({ asked }) => asked?.drawn).length;
  }

  #check(isFree: (row: number) => boolean, checks: number): { row: number; question: Question } | undefined {
    const rows = this.#rows.test.flatMap((_, row) => (isFree(row) ? [row] : []));
    const best = (row: number) => this.#beliefs.chances.row(row).reduce((most, p) => Math.max(most, p), 0);
    const found = drawCheck(Float64Array.from(rows, best), checks, startOf(this.workspace.configuration.seed));
    if (!found) return undefined;
    const row = rows[found.picture];
    const question = this.#question({ kind: 'picture', row, gain: 1 - best(row) });
    return { row, question: { ...question, why: 'check', drawn: found.drawn } };
  }

  /** Pictures that somebody else has answered and this person has not. */
  #repeats(count: number): Question[] {
    const { by = '', repeat = 0 } = this.#options;
    const wanted = Math.round(repeat * count);
    return this.#rows.test
      .flatMap((id, row) => {
        const said = this.#decisions.answers.get(id);
        return said && !said.some((one) => one.by === by) ? [row] : [];
      })
      .slice(0, wanted)
      .map((row) => ({ ...this.#question({ kind: 'picture', row, gain: 0 }), why: 'repeat' as const }));
  }

  #question(asking: Asking): Question {
    const { chances } = this.#beliefs;
    if (asking.kind === 'web') {
      const category = this.#problem.testNames[this.#problem.webLabels[asking.row]];
      const id = this.#rows.web[asking.row];
      const trust = this.#method.webWeights!()![asking.row];
      return { kind: 'web', key: `web:${id}`, ids: [id], category, confidence: trust, gain: asking.gain, why: 'gain' };
    }
    const row = asking.kind === 'group' ? asking.rows[0] : asking.row;
    const best = [...chances.row(row).entries()].sort((a, b) => b[1] - a[1]).slice(0, choicesShown);
    const none = chances.cols - 1;
    const choices = best.map(([c, chance]) => ({ name: c === none ? null : this.#names[c], chance }));
    const predicted = this.#name(verdicts(chances)[row]);
    if (asking.kind === 'picture') {
      const id = this.#rows.test[asking.row];
      return {
        ...{ kind: 'picture', key: `picture:${id}`, ids: [id], choices, predicted },
        ...{ confidence: choices[0].chance, gain: asking.gain, why: 'gain' },
      };
    }
    const { listed, auxiliary } = this.#method.groups!()!.nearest[asking.group];
    const ids = asking.rows.map((member) => this.#rows.test[member]);
    return {
      ...{ kind: 'group', key: `group:${ids[0]}`, ids, predicted, gain: asking.gain, why: 'group' },
      nearestListed: this.#problem.testNames[listed],
      nearestAuxiliary: this.#problem.auxiliaryNames[auxiliary],
      confidence: chances.at(row, none),
    };
  }
}

function rankedGroups(ranked: readonly Asking[]): Asking[] {
  const size = (asking: Asking) => (asking.kind === 'group' ? asking.rows.length : 0);
  return ranked.filter(({ kind }) => kind === 'group').sort((a, b) => size(b) - size(a));
}

/** Where the sequence of checks begins: the same for a workspace whenever it is asked. */
function startOf(seed: number): number {
  return (((seed * 0.7548776662) % 1) + 1) % 1;
}
