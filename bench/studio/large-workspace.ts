/** A workspace with very many web pictures, made cheaply: few pictures, each under thousands of names. */
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { stringify } from 'yaml';
import { pictureId } from '../../src/catalog/index.js';
import { answersOf, writeFit } from '../../src/fit/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { Random } from '../../src/linalg/random.js';
import { resultOf } from '../../src/workspace/stage.js';

const distinct = 200;
const categories = Array.from({ length: 100 }, (_, c) => `category ${c + 1}`);

/** As a run would leave it, as far as the studio looks at it. */
export async function writeLargeWorkspace(folder: string, count: number): Promise<void> {
  const random = new Random(1);
  mkdirSync(join(folder, 'originals'), { recursive: true });
  for (let i = 0; i < distinct; i++) await drawPhotograph(join(folder, 'originals', `${i}.jpg`), random);
  for (const set of ['auxiliary/a', 'auxiliary/b', 'test']) mkdirSync(join(folder, set), { recursive: true });
  const configuration = {
    ...{ name: `${count} pictures`, categories, auxiliary: 'auxiliary', test: 'test', sources: ['wikimedia'] },
    ...{ tune: false, report: false },
  };
  writeFileSync(join(folder, 'bowerbird.yaml'), stringify(configuration));
  const lines: string[] = [];
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const category = categories[Math.floor((i * categories.length) / count)];
    const id = pictureId(category, 'wikimedia', String(i));
    const path = `pictures/${id.slice(0, 2)}/${id}.jpg`;
    if (i < 256) mkdirSync(join(folder, 'pictures', i.toString(16).padStart(2, '0')), { recursive: true });
    ids.push(id);
    lines.push(
      JSON.stringify({
        ...{ id, path, category, source: 'wikimedia', rank: i, address: `https://example.org/${i}`, sha256: '' },
        ...{ licence: 'cc-by-sa', title: `A ${category} in the garden, photograph ${i}`, author: `Author ${i % 900}` },
        ...{ tags: ['garden', 'bird', category], description: 'Seen on a walk in the morning. '.repeat(6) },
        pageUrl: `https://example.org/page/${i}`,
      }),
    );
  }
  for (const [i, id] of ids.entries())
    linkSync(join(folder, 'originals', `${i % distinct}.jpg`), join(folder, 'pictures', id.slice(0, 2), `${id}.jpg`));
  mkdirSync(join(folder, '.bowerbird'));
  mkdirSync(join(folder, 'run'));
  writeFileSync(join(folder, '.bowerbird', 'pictures.jsonl'), `${lines.join('\n')}\n`);
  const web = ids.map((_, row) => ({ row, category: '', weight: Math.max(0, 1 + 0.8 * random.normal()), text: '' }));
  await writeFit(join(folder, 'run'), {
    ...answersOf(Matrix.zeros(0, 0), []),
    ...{ web, metrics: {} },
    record: {
      ...{ schema: 'bowerbird-fit-1', method: 'bowerbird', parameters: {}, seed: 1, scaling: 'l2', categories: [] },
      ...{ configuration: {}, versions: {}, inputs: { problem: '' }, seconds: 0 },
      backend: { device: 'wasm', description: '', threads: 1 },
    },
  });
  const rows = { auxiliary: [], test: [], web: ids, validationWeb: [] };
  writeFileSync(join(folder, 'problem-pictures.json'), JSON.stringify(rows));
  const [problem, finished] = ['0'.repeat(32), new Date().toISOString()];
  const stages = {
    problem: { state: 'done', inputs: {}, output: problem, finished },
    fit: { state: 'done', inputs: { [resultOf('problem')]: problem }, output: '1'.repeat(32), finished },
  };
  writeFileSync(join(folder, '.bowerbird', 'stages.json'), JSON.stringify({ version: 1, stages }));
}

/** Blurred noise compresses and decodes about like a photograph. */
async function drawPhotograph(file: string, random: Random): Promise<void> {
  const [width, height] = [64, 48];
  const data = Buffer.from(Uint8Array.from({ length: width * height * 3 }, () => random.integer(256)));
  await sharp(data, { raw: { width, height, channels: 3 } })
    .resize(800, 600, { kernel: 'cubic' })
    .jpeg({ quality: 85 })
    .toFile(file);
}
