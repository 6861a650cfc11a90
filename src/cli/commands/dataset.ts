/** `bowerbird dataset`: one of the paper's data sets as a workspace. */
import { UsageError } from '../../errors.js';
import { type DatasetName, datasetNames } from '../../workspace/names.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'dataset',
  summary: "Turn one of the paper's data sets into a workspace with the paper's protocol.",
  description:
    'cub: CUB_200_2011, 150 auxiliary and 50 test categories. sun: SUNAttributeDB with its pictures, 707 and 10. dogs: ' +
    'Stanford Dogs, 85 and 28. The split of cub comes with the package; those of sun and dogs could not be confirmed from a ' +
    'primary source and must be given. Pictures are linked, not copied, where the disk allows it.',
  arguments: [
    { name: 'NAME', description: `${datasetNames.join(', ')}` },
    { name: 'FOLDER', description: 'the official download, unpacked' },
  ],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'WORKSPACE', description: 'The workspace to make.' },
    split: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Category names under [test] and, where some are left out altogether, under [auxiliary].',
    },
  },
  examples: [
    { command: 'bowerbird dataset cub CUB_200_2011 --out cub', explanation: 'then "bowerbird run cub"' },
    { command: 'bowerbird dataset dogs StanfordDogs --split dogs-85-28.txt --out dogs', explanation: 'your own split' },
  ],
  async run({ args: [name, folder], options, print, printJson, progress, signal }) {
    if (!(datasetNames as readonly string[]).includes(name))
      throw new UsageError(`"${name}" is not a data set`, `Data sets are: ${datasetNames.join(', ')}.`);
    if (!options.out)
      throw new UsageError(
        '--out is missing: where should the workspace be?',
        `Try: bowerbird dataset ${name} ${folder} --out ${name}`,
      );
    const { datasetWorkspace } = await import('../../workspace/index.js');
    const summary = await datasetWorkspace(name as DatasetName, folder, options.out, {
      split: options.split,
      signal,
      onProgress: progress.during('link pictures'),
    });
    printJson(summary);
    for (const note of summary.notes) progress.note(`note: ${note}`);
    const { auxiliary, test } = summary;
    print(`${auxiliary.pictures} pictures of ${auxiliary.categories} auxiliary categories`);
    print(`${test.pictures} pictures of ${test.categories} test categories`);
    print(`${summary.configuration}; Flickr wants a key (FLICKR_API_KEY), then: bowerbird run ${options.out}`);
    return 0;
  },
});
