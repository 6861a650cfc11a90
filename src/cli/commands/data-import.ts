/** `bowerbird data import`: a set of pictures in the format of another tool as a folder that workspaces read. */
import { UsageError } from '../../errors.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'data import',
  summary: 'Bring a set of labelled pictures of another tool into a folder that workspaces read.',
  description:
    'Reads image folders (with train, val, test inside, with tables), CSV, TSV, JSON lines and Parquet with paths, COCO, Parquet with pictures ' +
    'inside (Hugging Face), WebDataset tar files and FiftyOne folders, and writes one sub-folder a category with pictures.csv. Darwin Core archives ' +
    '(GBIF) and exports of iNaturalist become addresses.csv, for the source urls:FILE. The exit code is 3 when pictures were passed over.',
  arguments: [{ name: 'DATA', description: 'a folder or file; "bowerbird inspect" says what it is' }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'The folder to make.' },
    split: { type: 'string', placeholder: 'NAME', description: 'Only this part, such as train. [default: all]' },
    label: {
      type: 'string',
      placeholder: 'COLUMN',
      description: 'The column, or Darwin Core term, that says what is shown.',
    },
    image: { type: 'string', placeholder: 'COLUMN', description: 'The column with paths or pictures.' },
    root: {
      type: 'string',
      placeholder: 'DIR',
      description: "Where a list's pictures lie. [default: where the list is]",
    },
  },
  examples: [
    { command: 'bowerbird data import coco/annotations.json --out known', explanation: 'then --auxiliary known' },
    {
      command: 'bowerbird data import birds.csv --root photos --label species --out known',
      explanation: 'a table of paths',
    },
    {
      command: 'bowerbird data import 0012345.zip --out gbif',
      explanation: 'then "urls:gbif/addresses.csv" under sources',
    },
  ],
  async run({ args: [path], options, print, printJson, progress, signal }) {
    const { out, split, label, image, root } = options;
    if (!out)
      throw new UsageError(
        '--out is missing: where should the pictures go?',
        `Try: bowerbird data import ${path} --out known`,
      );
    const { importData, readData } = await import('../../datasets/index.js');
    progress.update({ stage: 'read', done: 0 });
    const set = await readData(path, { label, image, root, signal });
    try {
      const summary = await importData(set, out, { split, signal, onProgress: progress.during('import pictures') });
      const { pictures, addresses, categories, unlabelled } = summary;
      printJson({ out, kind: set.kind, ...summary, notes: set.notes });
      for (const note of set.notes) progress.note(note);
      if (pictures > 0) print(`${out}: ${pictures} pictures of ${categories} categories, from ${set.kind}`);
      if (unlabelled > 0) print(`${unlabelled} of them have no category and lie beside the folders`);
      if (addresses > 0)
        print(
          `${out}/addresses.csv: ${addresses} addresses of ${categories} categories, from ${set.kind}; use it with --source urls:${out}/addresses.csv`,
        );
      return set.notes.length > 0 ? 3 : 0;
    } finally {
      await set.close();
    }
  },
});
