/** Test pictures that probably show none of the categories: how many, and those that belong together, with what they resemble. */
import { type Answer, type FitResult, noneOfThese, verdict } from '../fit/index.js';
import { percent } from '../percent.js';
import { whole } from './format.js';
import { type Html, html, table } from './html.js';
import { thumbnail } from './pictures.js';
import type { GalleryOptions } from './weights.js';

/** Pictures shown of each group. */
const mostShown = 12;

interface Kind {
  title: string;
  note?: string;
  answers: readonly Answer[];
}

/** Undefined where the method cannot tell, or where everything seems to be listed. */
export async function strangerSection(
  fit: FitResult,
  answers: readonly Answer[],
  folder: string,
  options: GalleryOptions,
): Promise<Html | undefined> {
  const strange = answers.filter((answer) => verdict(answer) === noneOfThese);
  if (strange.length === 0) return undefined;
  const kinds = kindsOf(fit, strange);
  const parts: Html[] = [];
  if (options.pictures?.testPicture)
    for (const kind of kinds) {
      options.signal?.throwIfAborted();
      parts.push(await pictureList(kind, folder, options));
    }
  else
    parts.push(
      table<Kind>(
        [
          { head: 'Pictures', cell: ({ title }) => title },
          { head: 'Most like', cell: ({ note }) => note ?? '–' },
          { head: 'Rows', cell: ({ answers: own }) => rowsOf(own) },
        ],
        kinds,
      ),
    );
  return html`<h3>Probably none of the categories</h3>
<p>${whole(strange.length)} of ${whole(answers.length)} pictures more likely than not show none of the categories${groupCount(kinds)}.</p>${parts}`;
}

function kindsOf(fit: FitResult, strange: readonly Answer[]): Kind[] {
  const groups = (fit.strangerGroups ?? []).map(({ group, nearestListed, nearestAuxiliary }) => {
    const own = strange.filter((answer) => answer.group === group);
    return {
      title: `${whole(own.length)} pictures of one kind, near ${nearestAuxiliary}`,
      note: `${nearestAuxiliary} among the auxiliary categories, ${nearestListed} among the listed ones`,
      answers: own,
    };
  });
  const single = strange.filter(({ group }) => group === undefined);
  const title =
    groups.length > 0 ? `${whole(single.length)} of other kinds` : `${whole(single.length)} of no common kind`;
  return [...groups, ...(single.length > 0 ? [{ title, answers: single }] : [])].filter(
    (kind) => kind.answers.length > 0,
  );
}

function groupCount(kinds: readonly Kind[]): string {
  const count = kinds.filter(({ note }) => note !== undefined).length;
  if (count === 0) return '';
  return count === 1 ? ', among them a group of one kind' : `, among them ${count} groups of one kind each`;
}

async function pictureList({ title, note, answers }: Kind, folder: string, options: GalleryOptions): Promise<Html> {
  const sorted = [...answers].sort((a, b) => b.unlisted! - a.unlisted! || a.row - b.row);
  const items: Html[] = [];
  for (const { row, name, unlisted, truth } of sorted.slice(0, mostShown)) {
    const known = await options.pictures!.testPicture!(row, folder);
    const image = known?.file ? await thumbnail(known.file) : undefined;
    if (known?.file && !image) options.onUnreadable?.(known.file);
    const label = known?.title ?? `test picture ${row}`;
    items.push(
      html`<li>${image && html`<img src="${image}" alt="${label}">`}<div class="words"><span class="weight low">${percent(unlisted, 0)} %</span> ${label}<div class="tags">else ${name}${truth !== undefined && `; in truth ${truth}`}</div></div></li>`,
    );
  }
  const rest = sorted.length - items.length;
  return html`<h4>${title}</h4>${note && html`<p class="caption">Most like ${note}.</p>`}<ul class="gallery">${items}</ul>${rest > 0 && html`<p class="caption">and ${rest} more.</p>`}`;
}

function rowsOf(answers: readonly Answer[]): string {
  const rows = answers.map(({ row }) => row);
  return rows.length > mostShown ? `${rows.slice(0, mostShown).join(', ')}, …` : rows.join(', ');
}
