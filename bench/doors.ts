/**
 * What describes categories and which networks look at pictures, measured on birds-mini from `bowerbird.yaml` to the accuracy: words,
 * attributes of a CSV, a small text tower, two networks, two views, and `clip` beside them. Options: `--data FOLDER`, `--out FOLDER` of
 * the workspace (kept: features are extracted once), `--only NAME,…`.
 *
 * The tower is made here (doors/towers.ts) from GloVe and the auxiliary species alone; with ResNet-50 it is a small image-text model.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { writeCsv } from '../src/formats/index.js';
import { cacheFolder } from '../src/registry/index.js';
import { openWorkspace, runWorkspace, type WrittenConfiguration } from '../src/workspace/index.js';
import { addTowers, imageTower, textTower } from './doors/towers.js';
import { markdownTable } from './shared/document.js';
import { readCub } from './wild/problems.js';

const towers = { model: imageTower, semantics: { text: textTower, templates: ['{}'] } };
const resnet = 'resnet50';
const ways: Record<string, Partial<WrittenConfiguration>> = {
  words: {},
  attributes: { semantics: { attributes: 'attributes.csv' } },
  'words and attributes': { semantics: ['words', { attributes: 'attributes.csv' }] },
  'text tower': { semantics: towers.semantics },
  'text tower as evidence': towers,
  clip: { ...towers, learner: { method: 'clip' } },
  'two networks': { model: [resnet, 'mobilenet-v2-0.35'] },
  'two views': { model: { name: resnet, views: ['plain', 'zoom-mirror'] } },
};

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'doors' },
      only: { type: 'string', default: Object.keys(ways).join() },
    },
  });
  const data = resolve(values.data, 'birds-mini');
  const folder = resolve(values.out);
  ownCache(join(folder, 'cache'));
  const categories = readdirSync(join(data, 'test')).sort();
  const base: WrittenConfiguration = {
    name: 'birds-mini',
    categories: categories.map((name) => (name === 'Geococcyx' ? { name, aliases: ['roadrunner'] } : name)),
    auxiliary: join(data, 'auxiliary'),
    test: join(data, 'test'),
    sources: [`folder:${join(data, 'web')}`],
    crawl: { perCategory: 26, validation: false },
    truth: { wrong: 'wrong' },
    text: false,
    tune: false,
    report: false,
    model: resnet,
  };
  await writeAttributes(values.data, join(folder, 'attributes.csv'), [
    ...categories,
    ...readdirSync(base.auxiliary as string),
  ]);
  const rows: string[][] = [];
  for (const name of values.only.split(',')) {
    if (JSON.stringify(ways[name]).includes(textTower)) await addTowers(folder, categories);
    writeFileSync(join(folder, 'bowerbird.yaml'), stringify({ ...base, ...ways[name] }));
    await runWorkspace(await openWorkspace(folder), {
      until: 'fit',
      again: 'fit',
      onNote: (note) => console.error(`${name}: ${note}`),
    });
    const read = (file: string) => JSON.parse(readFileSync(join(folder, 'run', file), 'utf8'));
    const [{ accuracy, thetaArea }, { trusts = {} }] = [read('metrics.json'), read('run.json')];
    const trust = Object.entries<number>(trusts).map(([kind, value]) => `${kind} ${value.toFixed(2)}`);
    rows.push([name, (100 * accuracy).toFixed(1), thetaArea?.toFixed(3) ?? '–', trust.join(', ') || '–']);
    console.error(rows.at(-1)!.join(' | '));
  }
  console.log(markdownTable(['way', 'right', 'weights against the truth', 'trust'], rows));
}

/** A registry of models beside the workspace, so that the towers do not enter the user's; what was fetched is shared. */
function ownCache(cache: string): void {
  const shared = cacheFolder();
  mkdirSync(cache, { recursive: true });
  for (const name of ['models', 'tarballs', 'vectors'])
    if (!existsSync(join(cache, name))) symlinkSync(join(shared, name), join(cache, name));
  process.env.BOWERBIRD_CACHE = cache;
}

async function writeAttributes(data: string, file: string, names: readonly string[]): Promise<void> {
  const { names: known, attributes } = await readCub(data);
  const rows = names.map((name) => [name, ...attributes.row(known.indexOf(name))]);
  await writeCsv(file, rows, {
    header: ['name', ...Array.from({ length: attributes.cols }, (_, j) => `attribute ${j + 1}`)],
  });
}
