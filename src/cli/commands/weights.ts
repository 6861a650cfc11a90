/** `bowerbird weights`: the web pictures of a fit ranked by their importance weight. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { readCsv } from '../../formats/index.js';
import { picturesOfRun } from '../../workspace/run-pictures.js';
import { defineCommand } from '../command.js';

interface WeightedPicture {
  row: number;
  category: string;
  weight: number;
  text: string;
  /** Its file, where the fit is that of a workspace. */
  picture?: string;
}

export default defineCommand({
  name: 'weights',
  summary: 'Rank the web pictures of a fit by weight.',
  description: 'For each category the web pictures that were trusted most and least, with their words where known.',
  arguments: [{ name: 'DIR', description: 'the results folder of a fit' }],
  options: {
    category: { type: 'string', placeholder: 'NAME', description: 'Only this category.' },
    top: { type: 'integer', minimum: 0, default: 5, description: 'Pictures shown from either end; 0 shows all.' },
  },
  examples: [
    { command: 'bowerbird weights run', explanation: 'The five best and worst web pictures of every category.' },
    {
      command: 'bowerbird weights run --category "Elegant Tern" --top 0 --json',
      explanation: 'All pictures of one category.',
    },
  ],
  async run({ args, options, print, printJson }) {
    const path = join(args[0], 'weights.csv');
    if (!existsSync(path))
      throw new UsageError(
        `${path} does not exist`,
        'Give the folder of a fit that used web pictures (bowerbird fit … --out DIR).',
      );
    const groups = new Map<string, WeightedPicture[]>();
    const files = await picturesOfRun(args[0]);
    for (const [row, category, weight, text] of (await readCsv(path)).rows) {
      if (!groups.has(category)) groups.set(category, []);
      const picture = files?.[Number(row)];
      groups
        .get(category)!
        .push({ row: Number(row), category, weight: Number(weight), text, ...(picture && { picture }) });
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
