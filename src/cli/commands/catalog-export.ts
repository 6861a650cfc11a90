import { exportParquet, openCatalog, writeAttribution, writeCroissant } from '../../catalog/index.js';
import { UsageError } from '../../errors.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'catalog export',
  summary: 'Write the catalog as Parquet, its description as Croissant, and the attribution of all kept pictures.',
  arguments: [],
  options: {
    workspace: { type: 'string', default: '.', placeholder: 'DIR', description: 'Folder that holds the catalog.' },
    parquet: {
      type: 'string',
      placeholder: 'FILE',
      description: 'All pictures, whatever became of them, as one Parquet table.',
    },
    croissant: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Description of the data set in the Croissant format (JSON-LD); needs --parquet.',
    },
    attribution: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Title, author, source and licence of every kept picture; .html, .csv or text.',
    },
    name: {
      type: 'string',
      default: 'bowerbird-pictures',
      placeholder: 'TEXT',
      description: 'Name of the data set, for Croissant.',
    },
    url: { type: 'string', placeholder: 'URL', description: 'Page of the data set, for Croissant.' },
    creator: { type: 'string', placeholder: 'TEXT', description: 'Who made the data set, for Croissant.' },
  },
  examples: [
    {
      command:
        'bowerbird catalog export --workspace birds --parquet birds.parquet --croissant birds.json --attribution birds.html',
      explanation: 'everything needed to pass the pictures on',
    },
  ],
  async run({ options, print, printJson, progress, signal }) {
    const { parquet, croissant, attribution } = options;
    if (!parquet && !croissant && !attribution)
      throw new UsageError('nothing to write', 'Add --parquet, --croissant or --attribution with a file name.');
    if (croissant && !parquet)
      throw new UsageError('--croissant describes the Parquet table and needs --parquet as well');
    const catalog = await openCatalog(options.workspace, {
      mustExist: true,
      readOnly: true,
      signal,
      onProgress: progress.during('open the catalog'),
    });
    try {
      const written: Record<string, number> = {};
      if (parquet) written[parquet] = await exportParquet(catalog, parquet);
      if (croissant && parquet)
        written[croissant] = await writeCroissant(catalog, croissant, {
          parquet,
          name: options.name,
          url: options.url,
          creator: options.creator,
        });
      if (attribution) written[attribution] = await writeAttribution(catalog, attribution);
      printJson(written);
      for (const [file, rows] of Object.entries(written)) print(`${file}: ${rows} pictures`);
      return 0;
    } finally {
      await catalog.close();
    }
  },
});
