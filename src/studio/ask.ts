/** The studio's page of questions: a thread that chooses them, answers that are written down at once, and new categories. */
import { AskThread, actOf, type Question, type Reply } from '../ask/index.js';
import { ArgumentError } from '../errors.js';
import { addCategory, agreementOf, estimateFromAnswers, layout, recordActs, undoDecision } from '../workspace/index.js';
import type { AskAnswer, AskView } from './api.js';
import { stampOf } from './file-cache.js';
import type { Library } from './library.js';
import type { Runs } from './runs.js';

/** Questions kept ready. */
const ready = 12;

interface Opened {
  readonly thread: AskThread;
  readonly by: string | undefined;
  readonly check: number;
  readonly repeat: number;
  /** Of the problem file. */
  readonly problem: string;
}

export class AskHost {
  readonly #library: Library;
  readonly #runs: Runs;
  #opened: Opened | undefined;
  /** Questions that a page may still show. */
  readonly #out = new Map<string, Question>();

  constructor(library: Library, runs: Runs) {
    this.#library = library;
    this.#runs = runs;
  }

  /** For those who wait for news. */
  get version(): string {
    return this.#opened ? `${this.#opened.problem} ${this.#opened.thread.state.version}` : '';
  }

  async open(request: object): Promise<AskView> {
    const { by, check = 0.25, repeat = 0 } = request as { by?: unknown; check?: unknown; repeat?: unknown };
    if (by !== undefined && (typeof by !== 'string' || by.length > 80))
      throw new ArgumentError('by must be a name of at most 80 characters');
    for (const share of [check, repeat])
      if (typeof share !== 'number' || !(share >= 0 && share <= 1))
        throw new ArgumentError(`${JSON.stringify(share)} is no share between 0 and 1`);
    await this.#begin(by?.trim() || undefined, check as number, repeat as number);
    return this.view();
  }

  async #begin(by: string | undefined, check: number, repeat: number): Promise<void> {
    await this.close();
    const { folder, path } = await this.#library.workspace();
    const problem = await stampOf([path(layout.problem)]);
    const thread = new AskThread(folder, ready, { by, check, repeat });
    this.#opened = { thread, by, check, repeat, problem };
  }

  async view(): Promise<AskView> {
    const workspace = await this.#library.workspace();
    const decisions = await this.#library.decisions();
    const pictures = (await this.#library.own('test')).size;
    const [estimate, agreement] = [estimateFromAnswers(decisions, pictures), agreementOf(decisions)];
    const about = {
      ...{ answered: decisions.answers.size, undoable: this.#undoable(decisions.standing), pictures },
      ...(estimate && { estimate }),
      ...(agreement && { agreement: { ...agreement, disputed: agreement.disputed.slice(0, 50) } }),
      categories: workspace.configuration.categories.map(({ name }) => name),
    };
    const opened = this.#opened;
    if (!opened) return { state: 'closed', busy: false, questions: [], names: [], ...about };
    // A run has made another problem: questions about the old one are of no use.
    if (!this.#runs.own && (await stampOf([workspace.path(layout.problem)])) !== opened.problem)
      await this.#begin(opened.by, opened.check, opened.repeat);
    const { state, busy, progress, standing, names, failure, questions } = this.#opened!.thread.state;
    const open = questions.filter(({ ids, kind }) => !isDecided(decisions, kind, ids, opened.by));
    for (const question of open) this.#out.set(question.key, question);
    return {
      ...{ state, busy, names: [...names], questions: [...open], ...about },
      ...(opened.by && { by: opened.by }),
      ...(progress && { progress }),
      ...(standing && { standing: { ...standing, moves: standing.moves.slice(0, 60), moved: standing.moves.length } }),
      ...(failure && { failure }),
    };
  }

  /** Written down when it returns; the fit takes it up afterwards. */
  async answer(request: object): Promise<AskAnswer> {
    const { key, reply } = request as { key?: unknown; reply?: unknown };
    const question = this.#question(key);
    await recordActs(await this.#library.workspace(), [actOf(question, replyOf(reply))], this.#opened?.by);
    return this.#after();
  }

  async undo(): Promise<AskAnswer> {
    const act = await undoDecision(await this.#library.workspace(), this.#opened?.by);
    return { ...(await this.#after()), ids: act ? [...act.ids] : [] };
  }

  /** The pictures of a question become a category, whose name is crawled in the background. */
  async category(request: object): Promise<AskAnswer> {
    const { key, name } = request as { key?: unknown; name?: unknown };
    const question = this.#question(key);
    if (typeof name !== 'string') throw new ArgumentError('a category needs a name');
    const { configuration } = await addCategory(await this.#library.workspace(), name);
    const label = configuration.categories.at(-1)!.name;
    await recordActs(await this.#library.workspace(), [actOf(question, { label })], this.#opened?.by);
    await this.#runs.start({ quick: true });
    return this.#after();
  }

  /** Something was decided elsewhere. */
  look(): void {
    this.#opened?.thread.look();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.thread.close();
  }

  async #after(): Promise<AskAnswer> {
    this.#opened?.thread.look();
    const { answers, standing } = await this.#library.decisions();
    return { answered: answers.size, undoable: this.#undoable(standing) };
  }

  #undoable(standing: readonly { by?: string }[]): number {
    const by = this.#opened?.by;
    return standing.filter((act) => by === undefined || act.by === by).length;
  }

  #question(key: unknown): Question {
    const question = typeof key === 'string' ? this.#out.get(key) : undefined;
    if (!question) throw new ArgumentError('this question is not asked', 'Load the page again.');
    return question;
  }
}

function isDecided(
  { answers, of }: Awaited<ReturnType<Library['decisions']>>,
  kind: Question['kind'],
  ids: readonly string[],
  by = '',
): boolean {
  if (kind === 'web') return of.has(ids[0]);
  return ids.every((id) => answers.get(id)?.some((one) => one.by === by));
}

function replyOf(reply: unknown): Reply {
  const given = (reply ?? {}) as { label?: unknown; right?: unknown; unsure?: unknown };
  if (given.unsure === true) return { unsure: true };
  if (typeof given.right === 'boolean') return { right: given.right };
  if (given.label === null || (typeof given.label === 'string' && given.label.length <= 200))
    return { label: given.label };
  throw new ArgumentError('the reply says nothing', 'Give label, right or unsure.');
}
