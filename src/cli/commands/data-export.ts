/** `bowerbird data export`: the cleaned web pictures of a workspace in the formats of other tools. */
import { type DataFormat, dataFormats } from '../../datasets/names.js';
import { UsageError } from '../../errors.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'data export',
  summary: 'Write the cleaned web pictures of a finished workspace for other tools.',
  description:
    'The pictures that the fit trusts, and those confirmed by hand, with weight, author, page and licence. folder: a sub-folder a ' +
    'category. csv: a table of paths. coco: annotations.json. webdataset: tar files. parquet: as Hugging Face data sets. fiftyone: ' +
    'labels.json. label-studio: tasks with predictions, and the configuration of the project.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Where to. [default: WORKSPACE/cleaned]' },
    as: {
      type: 'list',
      placeholder: 'FORMAT,…',
      default: ['folder'],
      description: `Formats, a folder each: ${dataFormats.join(', ')}.`,
    },
    'least-weight': {
      type: 'number',
      default: 0.5,
      minimum: 0,
      description: 'Weight of a picture that is kept; those of the method bowerbird are chances.',
    },
  },
  examples: [
    { command: 'bowerbird data export birds', explanation: 'birds/cleaned/folder/CATEGORY/…' },
    {
      command: 'bowerbird data export birds --as coco,parquet --least-weight 0.8 --out shared',
      explanation: 'only what is trusted most, for two tools',
    },
  ],
  async run({ args: [folder = '.'], options, print, printJson, progress, signal }) {
    for (const format of options.as)
      if (!(dataFormats as readonly string[]).includes(format))
        throw new UsageError(`--as ${format} is not a format`, `Formats are: ${dataFormats.join(', ')}.`);
    const { cleanedPictures, openWorkspace } = await import('../../workspace/index.js');
    const { writeData } = await import('../../datasets/index.js');
    const workspace = await openWorkspace(folder);
    const { pictures, leftOut } = await cleanedPictures(workspace, options['least-weight']);
    if (pictures.length === 0)
      throw new UsageError(
        `no web picture is trusted with ${options['least-weight']} or more`,
        'Lower --least-weight; "bowerbird weights" shows what there is.',
      );
    const folders = await writeData(
      options.out ?? workspace.path('cleaned'),
      options.as as readonly DataFormat[],
      pictures,
      { name: workspace.configuration.name, signal, onProgress: progress.during('write pictures') },
    );
    const categories = new Set(pictures.map(({ category }) => category)).size;
    printJson({ folders, pictures: pictures.length, categories, leftOut });
    print(`${pictures.length} pictures of ${categories} categories; ${leftOut} were left out`);
    for (const written of folders) print(written);
    return 0;
  },
});
