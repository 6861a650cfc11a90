/** The page of questions without the page: what keys mean, which questions come next, and what is said of the result. */
import type { AskView } from '../../src/studio/api.js';
import { percent } from './words.js';

type Question = AskView['questions'][number];
export type Reply = { label: string | null } | { right: boolean } | { unsure: true };

/** What a key means for a question; undefined for one that means nothing. */
export function replyOfKey(key: string, question: Question): Reply | undefined {
  const pressed = key.toLowerCase();
  if (pressed === 's') return { unsure: true };
  if (question.kind === 'web') {
    if (pressed === 'y' || pressed === 'arrowright') return { right: true };
    return pressed === 'n' || pressed === 'arrowleft' ? { right: false } : undefined;
  }
  if (pressed === 'n' || pressed === '0') return { label: null };
  const choice = /^[1-9]$/.test(pressed) ? choicesOf(question)[Number(pressed) - 1] : undefined;
  return choice && { label: choice.name };
}

/** The named candidates of a question; "none of these" has a button of its own. */
export function choicesOf({ choices = [] }: Question): { name: string; chance: number }[] {
  return choices.flatMap(({ name, chance }) => (name === null ? [] : [{ name, chance }]));
}

/**
 * The questions to show: those at hand first, as long as they are still asked or the server has not looked again, then the
 * server's new ones.
 * @param answered keys of what was answered on this page
 */
export function upcoming(
  shown: readonly Question[],
  fresh: readonly Question[],
  answered: ReadonlySet<string>,
): Question[] {
  const [first] = shown.filter(({ key }) => !answered.has(key));
  const rest = fresh.filter(({ key }) => !answered.has(key) && key !== first?.key);
  return first ? [first, ...rest] : rest;
}

export function questionText({ kind, category, choices = [], ids }: Question): string {
  if (kind === 'web') return `Does this web picture show ${category}?`;
  if (kind === 'group') return `Do these ${ids.length} show the same thing? What is it?`;
  const [first, second] = choices.map(({ name }) => name ?? 'none of these');
  return second === undefined ? `Is this ${first}?` : `Which is it: ${first} or ${second}?`;
}

/** "7 answers: 3 put right, 12 others changed with them; 84.1 → 87.9 % expected to be right" */
export function boughtText({ standing }: Pick<AskView, 'standing'>): string {
  if (!standing || standing.answeredNow === 0)
    return 'Every answer teaches the fit at once; this line says what it bought.';
  const corrected = standing.moves.filter(({ said }) => said).length;
  const others = standing.moved - corrected;
  const answers = `${standing.answeredNow} ${standing.answeredNow === 1 ? 'picture' : 'pictures'} answered`;
  return `${answers}: ${corrected} put right, ${others} others changed with them. Expected to be right: ${percent(standing.expectedBefore)} before, ${percent(standing.expected)} now.`;
}

export function estimateText({ estimate }: Pick<AskView, 'estimate'>): string {
  if (!estimate) return 'Some questions are drawn at random: a few of them will say how right the folder is.';
  const more = estimate.moreToHalve > 0 ? ` ${estimate.moreToHalve} more would halve the interval.` : '';
  return `Between ${percent(estimate.low, 0)} and ${percent(estimate.high, 0)} of the folder is right, from ${estimate.checked} checked at random.${more}`;
}
