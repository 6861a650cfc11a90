/**
 * Labels that were made elsewhere, and those made here for elsewhere. Read are CSV files with a picture and its label in a
 * line, and what Label Studio exports as JSON; written are CSV files with who and when.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FormatError } from '../errors.js';
import { readCsv, writeCsv } from '../formats/index.js';
import { type Act, type Decisions, unlistedFolder } from '../workspace/index.js';

export interface FoundLabel {
  /** As the file has it. */
  readonly picture: string;
  readonly label: string | null;
  readonly by?: string;
}

export interface ImportedLabels {
  readonly acts: readonly { readonly act: Act; readonly by?: string }[];
  /** Pictures of the file that are none of the workspace's test pictures, or more than one of them. */
  readonly unknown: readonly string[];
  /** Labels that are none of the categories; their pictures count as showing none. */
  readonly unlisted: readonly string[];
}

/** Words for a picture that shows none of the categories. */
const noneWords = new Set(['', unlistedFolder, 'none', 'none of these', 'other']);

/** @throws FormatError where the file is neither */
export async function readLabels(file: string): Promise<FoundLabel[]> {
  return file.toLowerCase().endsWith('.json') ? readLabelStudio(file) : readLabelTable(file);
}

/** Columns `picture` and `label`, and perhaps `by`; without a header the first two. */
async function readLabelTable(file: string): Promise<FoundLabel[]> {
  const { header = [], rows } = await readCsv(file);
  const at = (names: readonly string[]) => header.findIndex((name) => names.includes(name.trim().toLowerCase()));
  const [picture, label, by] = [
    at(['picture', 'image', 'file', 'path', 'filename']),
    at(['label', 'category', 'class', 'name']),
    at(['by', 'annotator', 'person']),
  ];
  if (picture < 0 || label < 0)
    throw new FormatError(
      file,
      1,
      `the columns are ${header.map((name) => JSON.stringify(name)).join(', ')}; "picture" and "label" were expected`,
    );
  return rows.map((row) => ({
    picture: row[picture] ?? '',
    label: labelOf(row[label] ?? ''),
    ...(by >= 0 && row[by] && { by: row[by] }),
  }));
}

interface LabelStudioTask {
  data?: Record<string, unknown>;
  annotations?: readonly {
    completed_by?: unknown;
    was_cancelled?: boolean;
    result?: readonly { value?: { choices?: readonly unknown[] } }[];
  }[];
}

async function readLabelStudio(file: string): Promise<FoundLabel[]> {
  let tasks: unknown;
  try {
    tasks = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new FormatError(file, undefined, `is no JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(tasks))
    throw new FormatError(file, undefined, 'is no list of tasks', 'Export from Label Studio as "JSON".');
  return (tasks as LabelStudioTask[]).flatMap((task) => {
    const picture = Object.values(task?.data ?? {}).find((value) => typeof value === 'string');
    if (typeof picture !== 'string') return [];
    return (task.annotations ?? []).flatMap(({ completed_by: who, was_cancelled: cancelled, result = [] }) => {
      const choice = result.flatMap(({ value }) => value?.choices ?? []).find((one) => typeof one === 'string');
      if (cancelled || typeof choice !== 'string') return [];
      const by = typeof who === 'object' && who !== null ? (who as { email?: unknown }).email : who;
      return [{ picture, label: labelOf(choice), ...(by !== undefined && by !== null && { by: String(by) }) }];
    });
  });
}

function labelOf(text: string): string | null {
  return noneWords.has(text.trim().toLowerCase()) ? null : text.trim();
}

/**
 * Finds the pictures by their path in the test folder, by its end, or by their name where it is the only one.
 * @param predicted what the fit says of each test picture
 */
export function importLabels(
  found: readonly FoundLabel[],
  pictures: readonly string[],
  names: readonly string[],
  predicted: (picture: string) => string | null | undefined,
): ImportedLabels {
  const byEnd = new Map<string, string[]>();
  const note = (end: string, id: string) => byEnd.set(end, [...(byEnd.get(end) ?? []), id]);
  for (const id of pictures) note(basename(id), id);
  const whole = new Set(pictures);
  const listed = new Map(names.map((name) => [name.normalize().toLowerCase(), name]));
  const [unknown, unlisted] = [[] as string[], new Set<string>()];
  const acts = found.flatMap(({ picture, label, by }) => {
    const plain = decodeURIComponent(picture.replace(/^.*[?&]d=/, '')).replaceAll('\\', '/');
    const candidates = byEnd.get(basename(plain)) ?? [];
    const id = whole.has(plain)
      ? plain
      : (candidates.find((one) => plain.endsWith(`/${one}`)) ?? (candidates.length === 1 ? candidates[0] : undefined));
    if (id === undefined) {
      unknown.push(picture);
      return [];
    }
    const name = label === null ? null : (listed.get(label.normalize().toLowerCase()) ?? label);
    if (name !== null && !names.includes(name)) unlisted.add(name);
    const said = predicted(id);
    const act: Act = {
      ids: [id],
      label: name,
      asked: { why: 'import', ...(said !== undefined && { predicted: said }) },
    };
    return [{ act, ...(by && { by }) }];
  });
  return { acts, unknown, unlisted: [...unlisted] };
}

/** Every standing decision, a picture a line. */
export async function writeLabels(file: string, { standing }: Decisions): Promise<number> {
  const rows = standing.flatMap((act) =>
    act.ids.map((id) => [id, ...saidIn(act), act.by ?? '', act.at, 'asked' in act ? (act.asked?.why ?? '') : '']),
  );
  await writeCsv(file, rows, { header: ['picture', 'set', 'label', 'by', 'at', 'why'] });
  return rows.length;
}

function saidIn(act: Act): [set: string, label: string] {
  if ('label' in act) return ['test', act.label ?? unlistedFolder];
  if ('unsure' in act) return ['test', 'unsure'];
  return ['web', 'move' in act ? act.move : act.decision];
}
