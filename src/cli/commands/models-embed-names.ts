import { existsSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { writeNpz } from '../../formats/index.js';
import { defineCommand } from '../command.js';
import { fetchProgress } from './models-get.js';

export default defineCommand({
  name: 'models embed-names',
  summary: 'Turn names into semantic vectors with a text tower.',
  description:
    'Reads one name a line and writes an .npz with "names" and "vectors" (unit length, one row a name), which "semantics: ' +
    '{ names: FILE }" of a workspace reads. Vectors of a CLIP ' +
    'text tower lie in the same space as features of its image tower.',
  arguments: [{ name: 'NAMES', description: 'a text file with one name a line' }],
  options: {
    model: { type: 'string', placeholder: 'NAME', default: 'clip-vit-b32-text', description: 'A text tower.' },
    template: {
      type: 'string',
      placeholder: 'TEXT',
      default: 'a photo of a {}.',
      description: 'What the name is put into; several, divided by |, are averaged.',
    },
    aliases: {
      type: 'flag',
      description:
        'Put the aliases of a name, in the columns after it, into the templates too, such as scientific names.',
    },
    out: { type: 'string', placeholder: 'FILE.npz', default: 'names.npz', description: 'Where to write.' },
  },
  examples: [
    {
      command: 'bowerbird models embed-names species.txt --out species.npz',
      explanation: 'CLIP vectors of the names in species.txt',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    if (!options.out.endsWith('.npz')) throw new UsageError(`--out is "${options.out}"; it must end in .npz`);
    if (!existsSync(args[0])) throw new UsageError(`there is no file ${args[0]}`);
    const { readNames } = await import('../../language/index.js');
    const categories = await readNames(args[0]);
    const names = categories.map(({ name }) => name);
    const spellings = categories.map(({ name, aliases }) => (options.aliases ? [name, ...aliases] : [name]));
    const { embedNames, findModel, getModel } = await import('../../vision/index.js');
    const entry = await findModel(options.model);
    const fetch = { signal, onNote: progress.note, onProgress: fetchProgress(entry.name, progress) };
    const vectors = await embedNames(spellings, await getModel(entry, fetch), {
      ...fetch,
      templates: options.template.split('|'),
      onName: progress.during('names'),
    });
    const texts = (data: string[]) => ({ dtype: 'string' as const, shape: [data.length], data });
    await writeNpz(options.out, {
      names: texts(names),
      vectors,
      ...(entry.space && { space: texts([entry.space]) }),
    });
    printJson({ out: options.out, names: names.length, dimension: vectors.cols, model: entry.name });
    print(`${names.length} names, ${vectors.cols} numbers each: ${options.out}`);
    return 0;
  },
});
