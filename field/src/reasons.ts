/** What speaks for an answer, in sentences and figures; plain functions, apart from the page that shows them. */
import { showsNone } from './classifier.svelte.js';
import type { Answer } from './messages.js';
import type { Site } from './site.js';
import { percent, text } from './texts.svelte.js';

export function reasons(site: Site, answer: Answer): string[] {
  const [best, second] = answer.candidates;
  const lines: string[] = [];
  if (showsNone(answer))
    lines.push(
      text('noneExplained', {
        ...{ count: site.categories.length, share: percent(answer.unlisted!), category: best.category },
      }),
    );
  else if (best.confidence === undefined) lines.push(text('noConfidence'));
  else if (best.confidence >= 0.8) lines.push(text('sure', { share: percent(best.confidence) }));
  else {
    lines.push(text('unsure', { share: percent(best.confidence) }));
    if (second?.confidence !== undefined)
      lines.push(text('close', { category: second.category, share: percent(second.confidence) }));
  }
  const { web } = answer.nearest;
  const same = web.filter(({ picture }) => site.gallery[picture].category === best.category).length;
  if (web.length > 0) lines.push(text('nearestSame', { count: same, total: web.length, category: best.category }));
  return lines;
}
