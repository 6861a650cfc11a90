/**
 * Word vectors against fasttext: quality and speed of skip-gram with the same settings on the same text in one run.
 *
 * The corpus is the Brown corpus and the Wikipedia excerpt of ../shared/data/words. Both programs start from the same
 * tokenized text and end with vectors in the same format; the whole process is measured. Options: `--dim N`,
 * `--epochs N`, `--threads 1,2`, `--seeds N` (runs of ours for the spread), `--write` (into docs/benchmarks.md).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readWord2vec } from '../src/formats/word2vec.js';
import { cosine, evaluateSimilarity } from '../src/language/index.js';
import { markdownTable, writeSection } from './shared/document.js';
import { parseMen, parseWordSim, writeCorpus } from './words/corpus.js';
import { fasttextFound, runBowerbird, runFasttext, type Settings, type Timing } from './words/programs.js';

const data = '../shared/data/words';
const birds = 'eagle hawk owl duck goose crane dove pigeon crow robin swallow ostrich albatross penguin chicken'.split(
  ' ',
);
const vehicles = 'car truck bus train automobile wagon bicycle motorcycle airplane boat ship tractor van'.split(' ');

interface Row {
  readonly program: string;
  readonly threads: number;
  readonly timing: Timing;
  readonly wordSim: number;
  readonly men: number;
  readonly structure: { birds: number; across: number };
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      dim: { type: 'string', default: '100' },
      epochs: { type: 'string', default: '5' },
      threads: { type: 'string', default: '1,2' },
      seeds: { type: 'string', default: '3' },
      write: { type: 'boolean', default: false },
    },
  });
  if (!existsSync(data)) {
    console.log(`skipped: the corpora of ${data} are absent`);
    return;
  }
  if (!fasttextFound) console.log('fasttext is not installed (Debian package fasttext): its rows are left out');
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-bench-words-'));
  const loadBefore = loadavg()[0];
  try {
    const text = join(folder, 'corpus.txt');
    const words = await writeCorpus(data, text);
    const settings = {
      dim: Number(values.dim),
      window: 5,
      negatives: 5,
      epochs: Number(values.epochs),
      rate: 0.05,
      minCount: 5,
      subsample: 1e-4,
    };
    const rows: Row[] = [];
    for (const threads of values.threads.split(',').map(Number))
      rows.push(...(await compare(text, folder, { ...settings, threads }, Number(values.seeds))));
    rows.push(await other('cbow', text, folder, { ...settings, rate: 0.25, threads: 1 }, ['--architecture', 'cbow']));
    rows.push(
      await other('glove', text, folder, { ...settings, window: 10, epochs: 25, threads: 1 }, [
        '--model',
        'glove',
        '--x-max',
        '10',
      ]),
    );
    const lines = report(rows, words, settings);
    const machine = `${cpus()[0].model.trim()}, ${cpus().length} cores, Node ${process.versions.node}; load average ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after.`;
    console.log([machine, '', ...lines].join('\n'));
    if (values.write) writeSection('words', [machine, '', ...lines].join('\n'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** fasttext once, ours with several seeds, turn about. */
async function compare(text: string, folder: string, settings: Settings, seeds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const path = join(folder, 'ours.vec');
    const timing = runBowerbird(text, path, settings, ['--seed', String(seed)]);
    rows.push(await evaluated(`bowerbird, seed ${seed}`, settings.threads, timing, path));
    if (seed === 1 && fasttextFound) {
      const reference = runFasttext(text, join(folder, 'fasttext'), settings);
      rows.push(await evaluated('fasttext', settings.threads, reference, join(folder, 'fasttext.vec')));
    }
  }
  return rows;
}

async function other(name: string, text: string, folder: string, settings: Settings, more: string[]): Promise<Row> {
  const path = join(folder, 'other.vec');
  return evaluated(`bowerbird, ${name}`, settings.threads, runBowerbird(text, path, settings, more), path);
}

async function evaluated(program: string, threads: number, timing: Timing, path: string): Promise<Row> {
  const { words, vectors } = await readWord2vec(path);
  const known = new Map(words.map((word, i) => [word, vectors.row(i)]));
  const wordSim = evaluateSimilarity(parseWordSim(readFileSync(`${data}/wordsim353.tsv`, 'utf8')), known);
  const men = evaluateSimilarity(parseMen(readFileSync(`${data}/men.csv`, 'utf8')), known);
  const row = { program, threads, timing, wordSim: wordSim.spearman, men: men.spearman, structure: structure(known) };
  console.log(
    `${program}, ${threads} threads: WordSim-353 ${row.wordSim.toFixed(3)} (${wordSim.pairs} pairs), MEN ${row.men.toFixed(3)} (${men.pairs} pairs), ${timing.wall.toFixed(1)} s`,
  );
  return row;
}

/** Mean cosine between bird names, and between birds and vehicles. */
function structure(vectors: ReadonlyMap<string, Float32Array>): Row['structure'] {
  const [flying, rolling] = [birds, vehicles].map((names) => names.flatMap((name) => vectors.get(name) ?? []));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    birds: mean(flying.flatMap((a, i) => flying.slice(i + 1).map((b) => cosine(a, b)))),
    across: mean(flying.flatMap((a) => rolling.map((b) => cosine(a, b)))),
  };
}

function report(rows: readonly Row[], words: number, settings: Omit<Settings, 'threads'>): string[] {
  const rate = (seconds: number, epochs: number) => Math.round((words * epochs) / seconds / 1000);
  const epochsOf = (row: Row) => (row.program.endsWith('glove') ? 25 : settings.epochs);
  const table = markdownTable(
    [
      'program',
      'threads',
      'WordSim-353 ρ',
      'MEN ρ',
      '1000 words/s',
      '1000 words/CPU s',
      'birds–birds',
      'birds–vehicles',
    ],
    rows.map((row) => [
      row.program,
      String(row.threads),
      row.wordSim.toFixed(3),
      row.men.toFixed(3),
      String(rate(row.timing.wall, epochsOf(row))),
      String(rate(row.timing.processor, epochsOf(row))),
      row.structure.birds.toFixed(3),
      row.structure.across.toFixed(3),
    ]),
  );
  const lines = [
    `${words} words, dimension ${settings.dim}, window ${settings.window}, ${settings.negatives} negative words, ${settings.epochs} epochs, rate ${settings.rate}, t = ${settings.subsample}, minimum count ${settings.minCount} (cbow: rate 0.25; glove: window 10, 25 epochs, x_max 10).`,
    '',
    table,
  ];
  for (const reference of rows.filter((row) => row.program === 'fasttext')) {
    const ours = rows.filter((row) => row.program.includes('seed') && row.threads === reference.threads);
    const mean = (value: (row: Row) => number) => ours.reduce((sum, row) => sum + value(row), 0) / ours.length;
    lines.push(
      '',
      `${reference.threads} ${reference.threads === 1 ? 'thread' : 'threads'}: ρ differs from fasttext's by ${signed(mean((row) => row.wordSim) - reference.wordSim)} (WordSim-353) and ${signed(mean((row) => row.men) - reference.men)} (MEN); ` +
        `${(reference.timing.wall / mean((row) => row.timing.wall)).toFixed(1)} × its words a second by the clock, ${(reference.timing.processor / mean((row) => row.timing.processor)).toFixed(1)} × by processor time.`,
    );
  }
  return lines;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
