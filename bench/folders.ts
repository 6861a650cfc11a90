/**
 * The workspace of 15 species with other folders to be classified: all of them, three, one, and with 16 pictures of something else.
 *
 * Every folder goes the whole way through `bowerbird run`, from pictures to report, without a search and without options. The pictures of one
 * auxiliary species are kept out and are strangers like those listed, the others are drawn pictures without a bird. Options:
 * `--data DIR`, `--model NAME`, `--out DIR` (kept: features are extracted once), `--write` (into docs/results.md).
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { noneOfThese, readAnswers, readFit, verdict } from '../src/fit/index.js';
import { layout, openWorkspace, runWorkspace, unlistedFolder } from '../src/workspace/index.js';
import { markdownTable } from './shared/document.js';
import { writeResults } from './shared/results.js';
import { drawFarPictures } from './wild/extract.js';

/** Kept out of the auxiliary species. A listed one, the Carolina Wren, looks much like it. */
const stranger = 'House Wren';
const foreign = 16;

interface Folder {
  readonly title: string;
  /** How many of the species there are pictures of. */
  readonly species: number;
  readonly strangers?: 'of one bird' | 'without a bird';
}

const folders: readonly Folder[] = [
  { title: 'all 15 species', species: 15 },
  { title: '3 species', species: 3 },
  { title: '1 species', species: 1 },
  { title: '15 species, 16 pictures of one bird that is not listed', species: 15, strangers: 'of one bird' },
  { title: '15 species, 16 pictures without a bird', species: 15, strangers: 'without a bird' },
  { title: '3 species, 16 pictures of one bird that is not listed', species: 3, strangers: 'of one bird' },
  { title: '3 species, 16 pictures without a bird', species: 3, strangers: 'without a bird' },
];

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      model: { type: 'string', default: 'resnet50' },
      out: { type: 'string', default: 'scratch/folders' },
      write: { type: 'boolean', default: false },
    },
  });
  const { out, model } = values;
  const birds = join(values.data, 'birds-mini');
  const here = join(out, model);
  const names = readdirSync(join(birds, 'test')).sort();
  const auxiliary = readdirSync(join(birds, 'auxiliary')).sort();
  mkdirSync(here, { recursive: true });
  await drawFarPictures(join(out, 'far'));
  const known = join(here, 'known');
  rmSync(known, { recursive: true, force: true });
  for (const name of auxiliary)
    if (name !== stranger) cpSync(join(birds, 'auxiliary', name), join(known, name), { recursive: true });
  const rows: string[][] = [];
  for (const folder of folders) {
    const test = join(here, 'new');
    rmSync(test, { recursive: true, force: true });
    // Every so-manieth species, so that few are not of one family.
    const chosen = Array.from(
      { length: folder.species },
      (_, k) => names[Math.floor((k * names.length) / folder.species)],
    );
    for (const name of chosen) cpSync(join(birds, 'test', name), join(test, name), { recursive: true });
    const from = folder.strangers === 'of one bird' ? join(birds, 'auxiliary', stranger) : join(out, 'far', 'pictures');
    if (folder.strangers)
      for (const file of picturesBelow(from).slice(0, foreign)) {
        const target = join(test, unlistedFolder, file.replaceAll(/[\\/]/g, '-'));
        cpSync(join(from, file), target);
      }
    writeFileSync(join(here, 'bowerbird.yaml'), configuration(names, relative(here, join(birds, 'web')), model));
    console.error(`${folder.title} …`);
    await runWorkspace(await openWorkspace(here));
    rows.push([folder.title, ...(await figures(join(here, layout.run), folder))]);
    console.error(rows.at(-1)!.join(', '));
  }
  const text = [
    `\`bowerbird run\` with features of \`${model}\`, names by GloVe-100, 390 web pictures of 15 species, 16 pictures each of 39 other species (${stranger} is kept out and plays the bird that is not listed), no search, no options; 20 pictures of each species that is in the folder. Command: \`npm run bench -- folders${model === 'resnet50' ? '' : ` --model ${model}`}\`.`,
    '',
    markdownTable(
      [
        'the folder',
        'right of the listed, %',
        'mean confidence in these, %',
        'calibration error, all pictures',
        'right ones called “none of these”',
        'strangers called so',
        'share of strangers, estimated',
      ],
      rows,
    ),
  ].join('\n');
  console.log(text);
  if (values.write) writeResults('folders', text);
}

async function figures(folder: string, { strangers }: Folder): Promise<string[]> {
  const answers = await readAnswers(folder);
  const { metrics } = await readFit(folder);
  const listed = answers.filter(({ truth }) => truth !== noneOfThese);
  const right = listed.filter(({ name, truth }) => name === truth);
  const called = (some: typeof answers) => some.filter((answer) => verdict(answer) === noneOfThese).length;
  const others = answers.filter(({ truth }) => truth === noneOfThese);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const percent = (value: number) => (100 * value).toFixed(1);
  return [
    percent(right.length / listed.length),
    percent(mean(listed.map(({ confidence }) => confidence ?? Number.NaN))),
    metrics.confidence?.expectedCalibrationError.toFixed(3) ?? '–',
    `${called(right)} of ${right.length}`,
    strangers ? `${called(others)} of ${others.length}` : '–',
    percent(mean(answers.map(({ unlisted }) => unlisted ?? 0))),
  ];
}

function picturesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).filter((file) => /\.(jpe?g|png)$/i.test(file)).sort();
}

function configuration(names: readonly string[], web: string, model: string): string {
  return [
    'name: folders',
    'categories:',
    ...names.map((name) => (name === 'Geococcyx' ? '  - { name: Geococcyx, aliases: [roadrunner] }' : `  - ${name}`)),
    'auxiliary: known',
    'test: new',
    `sources: ["folder:${web}"]`,
    'crawl: { perCategory: 26, validation: false }',
    'truth: { wrong: wrong }',
    'text: false',
    `model: ${model}`,
    'vectors: glove-100',
    '',
  ].join('\n');
}
