/**
 * The crawl's memory and speed, and what duplicate removal finds and costs: `npm run bench -- crawl [PART …] [--write]`.
 *
 * Parts: `memory` (peak of crawls of 1,000 and 50,000 pictures from a server on this machine), `pictures` (precision and
 * recall on planted copies of real photographs, by content and by features), `vectors` (100,000 vectors of 128
 * dimensions). `--small` makes all of them smaller. `--write` puts the result into docs/benchmarks.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dedupe } from '../src/crawl/index.js';
import { NpyWriter } from '../src/formats/index.js';
import { createBackend, Matrix, Random } from '../src/linalg/index.js';
import { crawlWords, startChild } from '../test/crawl/web/child.js';
import { FakeWeb } from '../test/crawl/web/server.js';
import { plant } from './crawl/planted.js';
import { score } from './crawl/scores.js';
import { markdownTable, writeSection } from './shared/document.js';

const parts = { memory, pictures, vectors };
const photographs = '../shared/data/birds-mini/auxiliary';
const mainFile = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { small: { type: 'boolean' }, write: { type: 'boolean' } },
  });
  const chosen = positionals.length > 0 ? positionals : Object.keys(parts);
  const sections: string[] = [];
  for (const name of chosen) {
    const folder = mkdtempSync(join(tmpdir(), 'bowerbird-bench-'));
    try {
      const text = await parts[name as keyof typeof parts](folder, values.small ?? false);
      console.log(`\n${text}\n`);
      sections.push(text);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (values.write) writeSection('crawl', sections.join('\n\n'));
}

async function memory(folder: string, small: boolean): Promise<string> {
  const rows: string[][] = [];
  for (const count of small ? [200, 2000] : [1000, 50_000]) {
    const web = await FakeWeb.start({ results: 1000, quiet: true });
    const list = join(folder, `${count}.csv`);
    // One category, the worst case: all of it goes through one queue.
    writeFileSync(
      list,
      ['url,category', ...Array.from({ length: count }, (_, i) => `${web.url(`/picture/none/p${i}.jpg`)},birds`)].join(
        '\n',
      ),
    );
    const names = join(folder, 'names.txt');
    writeFileSync(names, 'birds\n');
    const words = crawlWords(
      web,
      join(folder, `workspace-${count}`),
      names,
      ['--per-category', String(count)],
      `urls:${list}`,
    );
    const begun = performance.now();
    const { code, stdout, stderr, peakMemory } = await startChild(words).finished;
    await web.stop();
    const seconds = (performance.now() - begun) / 1000;
    if (code !== 0 || JSON.parse(stdout).kept !== count)
      throw new Error(`the crawl of ${count} ended with ${code}: ${stderr}`);
    rows.push([String(count), peakMemory.toFixed(0), seconds.toFixed(1), (count / seconds).toFixed(0)]);
  }
  return `Memory of a crawl (load ${loadavg()[0].toFixed(1)} while measuring)\n\n${markdownTable(['pictures', 'peak MiB', 'seconds', 'pictures/s'], rows)}`;
}

async function pictures(folder: string, small: boolean): Promise<string> {
  const real = existsSync(photographs) ? photographs : undefined;
  const planted = await plant(folder, real, small ? 30 : 150);
  const backend = await createBackend();
  const table: string[][] = [];
  const edits = [...new Set([...planted.copies.values()].map((copy) => copy.edit))];
  const add = (method: string, merges: Parameters<typeof score>[1], seconds: number) => {
    const { precision, recall, unplanted } = score(planted, merges);
    const percent = (value: number | undefined) => `${(100 * (value ?? 0)).toFixed(1)} %`;
    table.push([method, percent(precision), ...edits.map((edit) => percent(recall.get(edit))), seconds.toFixed(1)]);
    for (const merge of unplanted.slice(0, 10))
      console.log(`not planted (${method}): ${merge.removed} ${merge.stays} ${merge.explanation}`);
  };
  try {
    const begun = performance.now();
    const byContent = await dedupe({ workspace: planted.workspace, dryRun: true });
    add('content', byContent.merges, (performance.now() - begun) / 1000);
    const features = join(planted.workspace, 'features', 'mobilenet-v2-0.35');
    const extraction = spawnSync(
      process.execPath,
      [mainFile, 'features', planted.workspace, '--model', 'mobilenet-v2-0.35'],
      { stdio: 'ignore' },
    );
    if (extraction.status !== 0) console.log('features are left out: the model mobilenet-v2-0.35 cannot be used here');
    else
      for (const threshold of [0.3, 0.4, 0.5, 0.6]) {
        const start = performance.now();
        const options = {
          workspace: planted.workspace,
          dryRun: true,
          radius: 0,
          likeness: 1,
          features,
          backend,
          threshold,
        };
        const { merges } = await dedupe(options);
        add(`features, ${threshold}`, merges, (performance.now() - start) / 1000);
      }
  } finally {
    backend.dispose();
  }
  const note =
    'A merge counts as right when it joins copies of one planted original; photographs that were there twice before count against precision. Features are those of mobilenet-v2-0.35.';
  const what = `${planted.originals} ${real ? 'photographs' : 'made-up pictures'}, ${planted.copies.size} planted copies`;
  return `Duplicate removal: ${what}\n\n${markdownTable(['method', 'precision', ...edits.map((edit) => `found: ${edit}`), 'seconds'], table)}\n\n${note}`;
}

async function vectors(folder: string, small: boolean): Promise<string> {
  const [count, dimensions] = [small ? 10_000 : 100_000, 128];
  const file = join(folder, 'vectors.npy');
  const planted = await writeVectors(file, count, dimensions);
  const begun = performance.now();
  const { code, stdout, stderr, peakMemory } = await startChild(['dedupe', '--features', file, '--json']).finished;
  const seconds = (performance.now() - begun) / 1000;
  if (code !== 0) throw new Error(stderr);
  const removed = new Set(
    (JSON.parse(stdout).merges as { removed: string }[]).map((merge) => Number(merge.removed.split('row ')[1])),
  );
  const right = [...removed].filter((row) => planted.has(row)).length;
  const row = [
    String(count),
    String(dimensions),
    (statSync(file).size / 2 ** 20).toFixed(0),
    peakMemory.toFixed(0),
    seconds.toFixed(1),
    `${((100 * right) / removed.size).toFixed(2)} %`,
    `${((100 * right) / planted.size).toFixed(2)} %`,
  ];
  return `Near-duplicate vectors (load ${loadavg()[0].toFixed(1)} while measuring)\n\n${markdownTable(['vectors', 'dimensions', 'file MiB', 'peak MiB', 'seconds', 'precision', 'recall'], [row])}`;
}

/** Random vectors with a decaying spectrum; every tenth repeats an earlier one up to a distance of about 0.1. */
async function writeVectors(file: string, count: number, dimensions: number): Promise<Set<number>> {
  const random = new Random(1);
  const planted = new Set<number>();
  const writer = await NpyWriter.create(file, { rowShape: [dimensions], dtype: 'float32' });
  const kept: Float32Array[] = [];
  for (let start = 0; start < count; start += 1000) {
    const block = new Float32Array(1000 * dimensions);
    for (let i = 0; i < 1000; i++) {
      const row = block.subarray(i * dimensions, (i + 1) * dimensions);
      const copy = start + i > 100 && (start + i) % 10 === 9;
      const source = copy ? kept[random.integer(kept.length)] : undefined;
      let length = 0;
      for (let j = 0; j < dimensions; j++) {
        row[j] = source ? source[j] + (0.1 / Math.sqrt(dimensions)) * random.normal() : random.normal() / (1 + j / 16);
        length += row[j] ** 2;
      }
      if (!source) for (let j = 0; j < dimensions; j++) row[j] /= Math.sqrt(length);
      if (copy) planted.add(start + i);
      else if (kept.length < 5000) kept.push(row.slice());
    }
    await writer.append(new Matrix(block, 1000, dimensions));
  }
  await writer.close();
  return planted;
}
