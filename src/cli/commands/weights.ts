/** `bowerbird weights`: the web pictures of a fit ranked by their importance weight. */
import { UsageError } from '../../errors.js';
import { readFitRecord, readWeights, type WeightedPicture } from '../../fit/index.js';
import { defineCommand } from '../command.js';

/** With its file, where the fit is that of a workspace. */
type RankedPicture = WeightedPicture & { picture?: string };

export default defineCommand({
  name: 'weights',
  summary: 'Rank the web pictures of a fit by weight.',
  description: 'For each category the web pictures that were trusted most and least, with their words where known.',
  arguments: [{ name: 'DIR', description: 'the results folder of a fit, or a workspace' }],
  options: {
    category: { type: 'string', placeholder: 'NAME', description: 'Only this category.' },
    top: { type: 'integer', minimum: 0, default: 5, description: 'Pictures shown from either end; 0 shows all.' },
  },
  examples: [
    { command: 'bowerbird weights run', explanation: 'The five best and worst web pictures of every category.' },
    { command: 'bowerbird weights birds', explanation: 'Those of a workspace, with their files.' },
    {
      command: 'bowerbird weights run --category "Elegant Tern" --top 0 --json',
      explanation: 'All pictures of one category.',
    },
  ],
  async run({ args, options, print, printJson }) {
    const { picturesOfRun, resultFolders } = await import('../../workspace/index.js');
    const [folder] = resultFolders(args[0]) ?? args;
    const { method } = await readFitRecord(folder);
    const weights = await readWeights(folder);
    if (!weights)
      throw new UsageError(
        `${folder} holds a fit of ${method}, which weighs no web pictures`,
        'Fit a method that does, such as bowerbird (bowerbird fit … --out DIR).',
      );
    const groups = new Map<string, RankedPicture[]>();
    const files = await picturesOfRun(folder);
    for (const one of weights) {
      if (!groups.has(one.category)) groups.set(one.category, []);
      const picture = files?.[one.row];
      groups.get(one.category)!.push({ ...one, ...(picture && { picture }) });
    }
    if (options.category && !groups.has(options.category))
      throw new UsageError(
        `there is no category "${options.category}"`,
        `Categories: ${[...groups.keys()].join(', ')}.`,
      );
    const chosen = [...groups].filter(([category]) => !options.category || category === options.category);
    for (const [, pictures] of chosen) pictures.sort((a, b) => b.weight - a.weight || a.row - b.row);
    printJson(Object.fromEntries(chosen));
    for (const [category, pictures] of chosen) {
      print(`${category} (${pictures.length} pictures)`);
      const all = options.top === 0 || pictures.length <= 2 * options.top;
      const shown = all ? pictures : [...pictures.slice(0, options.top), undefined, ...pictures.slice(-options.top)];
      for (const picture of shown)
        print(
          picture
            ? `  ${picture.weight.toFixed(3)}  ${picture.picture ?? `row ${picture.row}`}${picture.text ? `  ${picture.text.slice(0, 80)}` : ''}`
            : '  …',
        );
    }
    return 0;
  },
});
