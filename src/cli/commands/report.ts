/** `bowerbird report`: one HTML file out of results folders. */
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../errors.js';
import { listedPictures, writeReport } from '../../report/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'report',
  summary: 'Make one self-contained HTML page out of results.',
  description:
    'Tables with confidence intervals, convergence, sensitivity, confusion, a map of pictures and categories, the web ' +
    'pictures trusted most and least, and how to repeat it all. The page needs no network and no scripts. ' +
    'The exit code is 3 when some of the --pictures cannot be read.',
  arguments: [
    { name: 'DIR', description: 'results folders of fit, tune, compare or experiment, or workspaces', rest: true },
  ],
  options: {
    out: {
      type: 'string',
      short: 'o',
      placeholder: 'FILE',
      description: 'The page to write; of one workspace its report.html if not given.',
    },
    title: { type: 'string', default: 'Bowerbird report', description: 'Title of the page.' },
    pictures: {
      type: 'string',
      placeholder: 'FILE',
      description: 'CSV with row, file, title, tags, author, source, pageUrl, licence, licenceUrl of the web pictures.',
    },
    'per-category': {
      type: 'integer',
      minimum: 1,
      default: 6,
      placeholder: 'N',
      description: 'Pictures shown from either end of the weights.',
    },
    'gallery-categories': {
      type: 'integer',
      minimum: 1,
      default: 24,
      placeholder: 'N',
      description: 'Categories in a gallery at most.',
    },
  },
  examples: [
    { command: 'bowerbird report birds', explanation: 'The page of a workspace: its fit, search and comparison.' },
    { command: 'bowerbird report run --out report.html', explanation: 'The page of one fit.' },
    {
      command: 'bowerbird report tuned table run --out report.html --title "Birds of the bay"',
      explanation: 'A search, a comparison and a fit on one page.',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const { resultFolders, workspacePictures } = await import('../../workspace/index.js');
    const own = args.map((folder) => resultFolders(folder));
    const folders = args.flatMap((folder, i) => own[i] ?? [folder]);
    // The page of one workspace lies where "bowerbird run" writes it.
    const alone = args.length === 1 && own[0] ? args[0] : undefined;
    const out = options.out ?? (alone && join(alone, 'report.html'));
    if (!out)
      throw new UsageError(
        '--out is missing: where should the page go?',
        `Try: bowerbird report ${args.join(' ')} --out report.html`,
      );
    const pictures = options.pictures
      ? await listedPictures(options.pictures, dirname(resolve(options.pictures)))
      : alone
        ? await workspacePictures(alone)
        : undefined;
    const unreadable: string[] = [];
    const { bytes } = await writeReport(out, {
      folders,
      title: options.title,
      pictures,
      perCategory: options['per-category'],
      galleryCategories: options['gallery-categories'],
      signal,
      onProgress: progress.during('report'),
      onUnreadable: (file) => unreadable.push(file),
    });
    printJson({ out, bytes, unreadable });
    print(`${out} (${(bytes / 1024).toFixed(0)} KiB)`);
    if (unreadable.length > 0)
      progress.note(
        `${unreadable.length} of the pictures cannot be read, and only their words are shown: ${unreadable.slice(0, 3).join(', ')}${unreadable.length > 3 ? ', …' : ''}`,
      );
    return unreadable.length > 0 ? 3 : 0;
  },
});
