/** A picture that somebody dropped on the page: its category, how sure that is, and the pictures that speak for it. */
import { decode } from '../decoding/index.js';
import { ArgumentError } from '../errors.js';
import { noneOfThese, verdict } from '../fit/index.js';
import { percent } from '../percent.js';
import { classifyPictures, featureFolder } from '../workspace/index.js';
import type { ClassifyAnswer } from './api.js';
import type { Library } from './library.js';
import { nearestPictures } from './nearest.js';

export const uploadLimits = { bytes: 32 * 2 ** 20, pixels: 60e6 };
const [nearestShown, candidatesShown] = [8, 6];

/** One at a time: a network takes all processors anyway. */
let turn: Promise<unknown> = Promise.resolve();

export function classifyUpload(library: Library, picture: Uint8Array, signal: AbortSignal): Promise<ClassifyAnswer> {
  const answer = turn.then(() => classify(library, picture, signal));
  turn = answer.catch(() => {});
  return answer;
}

async function classify(library: Library, picture: Uint8Array, signal: AbortSignal): Promise<ClassifyAnswer> {
  const begun = performance.now();
  await requirePicture(picture);
  const workspace = await library.workspace();
  const limits = { maxPixels: uploadLimits.pixels, maxBytes: uploadLimits.bytes };
  const given = { id: 'upload', path: 'the picture', content: picture };
  const { answers, features, failed } = await classifyPictures(workspace, [given], { signal, limits });
  if (failed.length > 0) throw new ArgumentError('this picture cannot be decoded');
  const { names } = answers;
  const [scores, chances] = [answers.scores!.row(0), answers.chances?.row(0)];
  const candidates = names
    .map((category, c) => ({ category, score: scores[c], ...(chances && { confidence: chances[c] }) }))
    .sort((a, b) => b.score - a.score);
  const unlisted = answers.unlisted?.[0];
  const row = features.row(0);
  const fit = await library.fit();
  const known = new Set(names);
  const listed = await library.listed();
  const ofCategories = (id: string) => known.has(listed.get(id)?.category ?? '');
  const web = await nearestPictures(workspace.path(featureFolder('web')), row, nearestShown, ofCategories);
  const auxiliary = await nearestPictures(workspace.path(featureFolder('auxiliary')), row, nearestShown);
  const answer = {
    category: candidates[0].category,
    ...(chances && { confidence: candidates[0].confidence }),
    ...(unlisted !== undefined && { unlisted }),
    noneOfThese: verdict({ name: candidates[0].category, unlisted }) === noneOfThese,
    candidates: candidates.slice(0, candidatesShown),
    web: web.map(({ id, likeness }) => ({
      ...{ set: 'web' as const, id, likeness, weight: fit?.weights.get(id) },
      ...{ label: listed.get(id)?.title || 'web picture', category: listed.get(id)?.category ?? '' },
    })),
    auxiliary: auxiliary.map(({ id, category, likeness }) => ({
      ...{ set: 'auxiliary' as const, id, likeness, category, label: category },
    })),
  };
  const weights = [...(fit?.weights.values() ?? [])];
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return { ...answer, why: reasons(answer, mean), seconds: (performance.now() - begun) / 1000 };
}

export async function requirePicture(bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) throw new ArgumentError('nothing was sent', 'Drop a picture, or choose a file.');
  const { width, height } = await decode(bytes, { kind: 'header' }, { bytes: uploadLimits.bytes }).catch((error) => {
    throw new ArgumentError(
      `this is no picture that can be read: ${(error as Error).message}`,
      'JPEG, PNG, WebP, GIF, TIFF and AVIF can; save it as one of them and try again.',
    );
  });
  const pixels = width * height;
  if (pixels > uploadLimits.pixels)
    throw new ArgumentError(
      `the picture has ${(pixels / 1e6).toFixed(0)} million pixels, more than ${uploadLimits.pixels / 1e6} million`,
    );
}

/** What speaks for the answer, and against it, in sentences. */
export function reasons(answer: Omit<ClassifyAnswer, 'why' | 'seconds'>, meanWeight: number): string[] {
  const { category, candidates, confidence, web, auxiliary } = answer;
  const lines: string[] = [];
  const second = candidates.at(1);
  if (answer.noneOfThese)
    lines.push(
      `It probably shows none of the categories (${percent(answer.unlisted ?? 0, 0)} %). If it does show one, “${category}” is the likeliest.`,
    );
  else if (confidence === undefined)
    lines.push('How sure this is cannot be said: there were no validation categories to learn it from.');
  else if (confidence >= 0.8)
    lines.push(`Of pictures as clear as this one, about ${percent(confidence, 0)} % are right.`);
  else
    lines.push(
      `This is unsure: of pictures like it, only about ${percent(confidence, 0)} % are right${second ? `, and “${second.category}” comes close (${percent(second.confidence, 0)} %)` : ''}.`,
    );
  if (web.length > 0) {
    const same = web.filter((picture) => picture.category === category);
    const trusted = same.filter(({ weight }) => weight !== undefined && weight >= meanWeight).length;
    lines.push(
      `${same.length} of the ${web.length} web pictures most like it were found for “${category}”${trusted > 0 ? `, ${trusted} of them trusted at least as much as the average` : ''}.`,
    );
    const other = mostCommon(web.map((picture) => picture.category).filter((name) => name !== category));
    if (same.length * 2 < web.length && other)
      lines.push(`More of them were found for other categories, such as “${other}”.`);
  }
  const nearest = mostCommon(auxiliary.map((picture) => picture.category));
  if (nearest) lines.push(`Among the known categories it looks most like “${nearest}”.`);
  return lines;
}

function mostCommon(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
