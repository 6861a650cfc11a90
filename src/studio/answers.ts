/** What the fit says of the test pictures, all of them at once, and what people say against it. */
import { ArgumentError } from '../errors.js';
import { verdict } from '../fit/index.js';
import { type Act, agreedLabel, auxiliaryCategories, recordActs } from '../workspace/index.js';
import type { AnswersView, AskAnswer } from './api.js';
import type { Library } from './library.js';

const none = -1;

export async function answersView(library: Library): Promise<AnswersView> {
  const names = await candidates(library);
  const place = new Map(names.map((name, i) => [name, i]));
  const at = (name: string | null) => (name === null ? none : (place.get(name) ?? none));
  const fit = await library.fit();
  const pictures = await library.own('test');
  const { answers } = await library.decisions();
  const columns: Omit<AnswersView, 'names'> = { id: [], said: [], confidence: [], second: [], truth: [], answered: [] };
  for (const [id, answer] of fit?.predictions ?? []) {
    const said = at(verdict(answer));
    const folder = pictures.get(id)?.category;
    const heard = answers.get(id);
    columns.id.push(id);
    columns.said.push(said);
    columns.confidence.push(rounded(said === none ? answer.unlisted : answer.confidence));
    columns.second.push(said === none ? at(answer.name) : at(answer.runnerUp));
    columns.truth.push(folder ? at(folder) : null);
    columns.answered.push(heard ? at(agreedLabel(heard)) : null);
  }
  return { names, ...columns };
}

/** Every name that an answer may have. */
async function candidates(library: Library): Promise<string[]> {
  const workspace = await library.workspace();
  const own = workspace.configuration.categories.map(({ name }) => name);
  return workspace.configuration.answers === 'all' ? [...own, ...(await auxiliaryCategories(workspace)).names] : own;
}

function rounded(chance: number | undefined): number | null {
  return chance === undefined || !Number.isFinite(chance) ? null : Math.round(chance * 1e4) / 1e4;
}

const mostAtOnce = 10_000;

/** Writes down what somebody says that test pictures show; `label` null: none of the categories. */
export async function recordAnswers(library: Library, request: object): Promise<AskAnswer> {
  const { ids, label, by } = request as { ids?: unknown; label?: unknown; by?: unknown };
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > mostAtOnce)
    throw new ArgumentError(`ids must be a list of 1 to ${mostAtOnce} pictures`);
  if (by !== undefined && (typeof by !== 'string' || by.length > 80))
    throw new ArgumentError('by must be a name of at most 80 characters');
  if (label !== null && (typeof label !== 'string' || !(await candidates(library)).includes(label)))
    throw new ArgumentError(
      `${JSON.stringify(label)} is none of the categories`,
      'The page of questions makes a category of a new name.',
    );
  const predictions = (await library.fit())?.predictions;
  const unknown = ids.find((id) => typeof id !== 'string' || !predictions?.has(id));
  if (unknown !== undefined) throw new ArgumentError(`${JSON.stringify(unknown)} is none of the test pictures`);
  const known = new Set(await candidates(library));
  const bySaid = new Map<string | null, string[]>();
  for (const id of ids as string[]) {
    const said = verdict(predictions!.get(id)!);
    const predicted = known.has(said) ? said : null;
    bySaid.set(predicted, [...(bySaid.get(predicted) ?? []), id]);
  }
  const acts = [...bySaid].map(([predicted, own]): Act => ({ ids: own, label, asked: { why: 'list', predicted } }));
  await recordActs(await library.workspace(), acts, by?.trim() || undefined);
  const { answers, undoable } = await library.decisions();
  return { answered: answers.size, undoable };
}
