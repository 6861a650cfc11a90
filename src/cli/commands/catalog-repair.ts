import { repairCatalog } from '../../catalog/index.js';
import { reconcile } from '../../crawl/index.js';
import { defineCommand } from '../command.js';
import { repeating } from '../progress.js';

export default defineCommand({
  name: 'catalog repair',
  summary: 'Check the catalog of a workspace and its pictures, and build a damaged catalog anew.',
  description:
    'Reads the whole catalog. Where it is damaged, its file is kept beside it and a new one is made from the journal, which every change is written to first. Then every picture is compared with what the catalog says of it: those that are missing or damaged are fetched again by "bowerbird crawl --resume", and files that the catalog does not know are moved to pictures/.unknown. Nothing is deleted.',
  arguments: [],
  options: {
    workspace: { type: 'string', default: '.', placeholder: 'DIR', description: 'Folder that holds the catalog.' },
  },
  examples: [{ command: 'bowerbird catalog repair --workspace birds', explanation: 'after a disk has failed' }],
  async run({ options, print, printJson, progress, signal }) {
    const { catalog, damage, kept } = await repairCatalog(options.workspace, {
      signal,
      onProgress: progress.during('open the catalog'),
    });
    try {
      const pictures = await catalog.count();
      print(damage === undefined ? 'the catalog is whole' : `the catalog was damaged: ${damage}`);
      if (kept !== undefined) print(`made anew from the journal: ${pictures} pictures; the damaged file is ${kept}`);
      if (catalog.damagedRecords > 0)
        print(`${catalog.damagedRecords} records of the journal were damaged and are lost`);
      // A catalog that knows nothing says nothing about files either.
      const files =
        pictures === 0
          ? undefined
          : await repeating(progress, (update) =>
              reconcile(catalog, { signal, onProgress: (state) => update({ stage: 'check the files', ...state }) }),
            );
      printJson({ pictures, damage, kept, damagedRecords: catalog.damagedRecords, ...files });
      if (!files) print('The journal knows no picture; their files, if there are any, stay where they are.');
      else if (files.again > 0)
        print(`${files.again} pictures are missing or damaged; "bowerbird crawl … --resume" fetches them again`);
      else print('all files are what the catalog says');
      if (files && files.aside > 0) print(`${files.aside} files that it does not know are now in ${files.folder}`);
      return 0;
    } finally {
      await catalog.close();
    }
  },
});
