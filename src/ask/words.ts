/** Questions and what answers bought, in sentences: the terminal and the page say the same. */
import type { AccuracyEstimate } from '../fit/index.js';
import { percent } from '../percent.js';
import type { Agreement } from '../workspace/index.js';
import type { Question, Reply, Standing } from './question.js';

export const noneWords = 'none of these';

export function questionText({ kind, category, choices = [], ids, nearestListed, nearestAuxiliary }: Question): string {
  if (kind === 'web') return `Does this web picture show ${category}?`;
  if (kind === 'group')
    return `Do these ${ids.length} pictures show the same thing, and what is it? (It looks like ${nearestAuxiliary}, or ${nearestListed}.)`;
  const [first, second] = choices.map(({ name }) => name ?? noneWords);
  return second === undefined ? `Is this ${first}?` : `Which is it: ${first} or ${second}?`;
}

/** "between 91 and 96 % of your folder is right, from 40 answers" */
export function estimateText({ low, high, checked, moreToHalve }: AccuracyEstimate): string {
  const more = moreToHalve > 0 ? ` ${moreToHalve} more checks would halve the interval.` : '';
  return `Between ${percent(low, 0)} and ${percent(high, 0)} % of the folder is right (95 % interval), from ${checked} pictures checked at random.${more}`;
}

/** What the answers of a session bought. */
export function boughtText(standing: Standing, minutes?: number): string {
  const { answeredNow, expectedBefore, expected, moves } = standing;
  const others = moves.filter(({ said }) => !said).length;
  const corrected = moves.length - others;
  const time = minutes === undefined ? '' : ` in ${minutes < 1 ? 'under a minute' : `${minutes.toFixed(0)} min`}`;
  return `${answeredNow} ${answeredNow === 1 ? 'picture' : 'pictures'} answered${time}: ${corrected} put right, ${others} others changed with them; the fit expects ${percent(expected)} % of the folder to be right, before it was ${percent(expectedBefore)} %.`;
}

export function agreementText({ people, pictures, agreeing, kappa, disputed }: Agreement): string {
  const names = people.map((name) => name || 'somebody without a name').join(', ');
  return `${names}: ${pictures} pictures answered by several, ${percent(agreeing, 0)} % of answers agree (κ ${kappa.toFixed(2)}), ${disputed.length} disputed.`;
}

/**
 * What somebody typed, as a reply.
 * @returns undefined where it means nothing
 */
export function parseReply(
  text: string,
  question: Question,
  names: readonly string[],
): Reply | { readonly category: string } | undefined {
  const said = text.trim();
  const lower = said.toLowerCase();
  if (said === '') return undefined;
  if (lower === 's') return { unsure: true };
  if (question.kind === 'web' && lower === 'y') return { right: true };
  if (question.kind === 'web' && lower === 'n') return { right: false };
  if (lower === 'n' || lower === '0' || lower === noneWords) return { label: null };
  const choice = /^\d+$/.test(said) ? question.choices?.[Number(said) - 1] : undefined;
  if (choice) return { label: choice.name };
  if (lower === 'y' && question.predicted !== undefined) return { label: question.predicted };
  const whole = names.find((name) => name.toLowerCase() === lower);
  if (whole) return { label: whole };
  const begun = names.filter((name) => name.toLowerCase().startsWith(lower));
  if (begun.length === 1 && said.length > 1) return { label: begun[0] };
  const added = /^new:\s*(.+)$/i.exec(said)?.[1];
  return added && question.kind !== 'web' ? { category: added } : undefined;
}
