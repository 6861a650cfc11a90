/** `bowerbird words get`: semantic vectors of category names. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { writeFileAtomic, writeNpy } from '../../formats/index.js';
import {
  describeMissing,
  type NameVectors,
  nameVectors,
  openVectors,
  readNames,
  type VectorSource,
} from '../../language/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'words get',
  summary: 'Look up vectors for category names.',
  description:
    'The vector of a name is the mean over its words; hyphens, accents, possessives and plurals are tried in turn. Several ' +
    'vector files are put beside one another. Names or words without a vector are listed. The exit code is 3 when names had ' +
    'to be left out.',
  arguments: [
    {
      name: 'VECTORS',
      description:
        'files of word vectors (compact, word2vec text or binary, GloVe, .npy with a .words.txt), or glove-100',
      rest: true,
    },
  ],
  options: {
    names: {
      type: 'string',
      placeholder: 'FILE',
      description: 'One name a line; further columns (tabs, or commas in .csv) are aliases.',
    },
    missing: {
      type: 'choice',
      choices: ['error', 'skip', 'mean'],
      default: 'error',
      description:
        'When a word has no vector: stop; leave it out (and names without any vector); or the same but such names get the mean of the others.',
    },
    normalize: {
      type: 'choice',
      choices: ['none', 'l2'],
      default: 'none',
      description: 'Give the part of each vector file length 1.',
    },
    out: {
      type: 'string',
      short: 'o',
      placeholder: 'PATH',
      description: 'A .npy file (names go to the .names.txt beside it), or with --as a problem folder.',
    },
    as: {
      type: 'choice',
      choices: ['aux', 'test'],
      description: 'Write NAME_semantics.npy and NAME_names.npy into the folder --out, ready for a problem.',
    },
  },
  examples: [
    {
      command: 'bowerbird words get glove-100 --names species.txt --out species.npy',
      explanation: 'Vectors from the ready GloVe vectors ("bowerbird words fetch glove-100" gets them).',
    },
    {
      command: 'bowerbird words get wiki-word2vec.vectors wiki-glove.vectors --names test.tsv --as test --out problem',
      explanation: "The paper's concatenation, as arrays of a problem folder.",
    },
  ],
  async run({ args, options, print, printJson, progress }) {
    if (!options.names) throw new UsageError('--names is missing', 'Name a file with one category name a line.');
    if (options.out && !options.as && !/\.npy$/i.test(options.out))
      throw new UsageError(`--out ${options.out} does not end in .npy`, 'Or give a folder and --as aux or --as test.');
    if (options.as && !options.out) throw new UsageError('--as needs --out', 'Name the folder of the problem.');
    const names = await readNames(options.names);
    const sources: VectorSource[] = [];
    let found: NameVectors;
    try {
      for (const path of args) sources.push(await openVectors(path));
      progress.update({ stage: 'look up names', done: 0, total: names.length });
      found = await nameVectors(names, sources, { missing: options.missing, normalize: options.normalize });
    } finally {
      await Promise.all(sources.map((source) => source.close()));
    }
    const written = options.out ? await write(found, options.out, options.as) : [];
    const incomplete = found.reports.filter((report) => report.absent || report.missing.flat().length > 0);
    printJson({
      names: found.names,
      dimension: found.vectors.cols,
      sources: sources.map(({ name, kind, dim }) => ({ name, kind, dim })),
      reports: found.reports,
      written,
    });
    print(`${found.names.length} of ${names.length} names, ${found.vectors.cols} dimensions`);
    for (const { name, alias } of found.reports)
      if (alias.some(Boolean)) print(`  ${name}: alias ${[...new Set(alias.filter(Boolean))].join(', ')}`);
    for (const report of incomplete)
      print(`  ${report.absent ? 'without a vector' : 'without some words'}: ${describeMissing(report)}`);
    for (const path of written) print(path);
    return found.names.length < names.length ? 3 : 0;
  },
});

async function write(found: NameVectors, out: string, as: 'aux' | 'test' | undefined): Promise<string[]> {
  if (!as) {
    const list = out.replace(/\.npy$/i, '.names.txt');
    await writeNpy(out, found.vectors);
    await writeFileAtomic(list, found.names.map((name) => `${name}\n`).join(''));
    return [out, list];
  }
  await mkdir(out, { recursive: true });
  const [semantics, names] = [join(out, `${as}_semantics.npy`), join(out, `${as}_names.npy`)];
  await writeNpy(semantics, found.vectors);
  await writeNpy(names, { shape: [found.names.length], dtype: 'string', data: [...found.names] });
  return [semantics, names];
}
