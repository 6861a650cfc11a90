/** `bowerbird text`: term frequencies of the texts that came with web pictures. */
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../../errors.js';
import { writeNpy } from '../../formats/index.js';
import {
  chooseWords,
  readTexts,
  readVocabulary,
  stopWords,
  termFrequencies,
  writeVocabulary,
} from '../../language/index.js';
import { defineCommand } from '../command.js';
import { amount } from '../table.js';

export default defineCommand({
  name: 'text',
  summary: 'Turn titles, tags and comments into term frequencies.',
  description:
    'Counts the k most frequent words of all texts, without stop words, in each text. Rows are in the order of the file, so ' +
    'they fit the pictures it lists. The vocabulary is saved beside the result, to be applied to later pictures.',
  arguments: [
    {
      name: 'TEXTS',
      description:
        'one text a line (.txt), a table (.tsv, .csv), JSON lines with title, tags and comments (.jsonl), or strings (.npy, .npz)',
    },
  ],
  options: {
    out: {
      type: 'string',
      short: 'o',
      default: 'web_text.npy',
      placeholder: 'FILE.npy',
      description: 'Where the counts go; in a problem folder the name is web_text.npy.',
    },
    vocabulary: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Where the vocabulary is saved, one word a line (beside --out, ending in .vocabulary.txt).',
    },
    apply: { type: 'string', placeholder: 'FILE', description: 'Use this saved vocabulary instead of choosing one.' },
    size: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 2000, description: 'Words in the vocabulary.' },
    languages: {
      type: 'list',
      default: ['eng'],
      placeholder: 'CODE,…',
      description: 'Languages whose stop words are left out, such as en,de,fr.',
    },
    'minimum-texts': {
      type: 'integer',
      minimum: 1,
      default: 1,
      description: 'Words found in fewer texts are left out.',
    },
    columns: {
      type: 'list',
      placeholder: 'NAME|N,…',
      description: 'Columns of a table, by name or number (title, tags, description and comments).',
    },
    array: { type: 'string', default: 'web_texts', description: 'The array of an .npz file.' },
  },
  examples: [
    { command: 'bowerbird text pictures.tsv --out web_text.npy', explanation: 'The 2000 most frequent words.' },
    {
      command: 'bowerbird text later.tsv --apply web_text.vocabulary.txt --out later_text.npy',
      explanation: 'The same columns for pictures that came later.',
    },
  ],
  async run({ args: [path], options, print, printJson, progress, signal }) {
    // Each step may keep the processor for a while; Ctrl-C is heard between them.
    const begin = async (stage: string) => {
      progress.update({ stage, done: 0 });
      await setImmediate();
      signal.throwIfAborted();
    };
    if (!/\.npy$/i.test(options.out))
      throw new UsageError(`--out ${options.out} does not end in .npy`, 'The counts are written as a numpy array.');
    // Before the texts are read: a mistyped language should not cost the reading.
    stopWords(options.languages);
    await begin('read texts');
    const texts = await readTexts(path, { columns: options.columns, array: options.array });
    await begin('choose words');
    const words = options.apply
      ? await readVocabulary(options.apply)
      : chooseWords(texts, {
          ...{ size: options.size, languages: options.languages, minimumTexts: options['minimum-texts'] },
        });
    await begin('count words');
    const frequencies = termFrequencies(texts, words);
    await begin('write the counts');
    await writeNpy(options.out, frequencies);
    const saved = options.vocabulary ?? options.out.replace(/\.npy$/i, '.vocabulary.txt');
    if (!options.apply || options.vocabulary) await writeVocabulary(saved, words);
    const empty = texts.filter((_, i) => frequencies.row(i).every((count) => count === 0)).length;
    const vocabulary = options.apply && !options.vocabulary ? options.apply : saved;
    printJson({ texts: texts.length, words: words.length, empty, out: options.out, vocabulary });
    const without = empty > 0 ? `; ${amount(empty, 'text')} without any of them` : '';
    print(`${amount(texts.length, 'text')}, ${amount(words.length, 'word')}${without}`);
    print(options.out);
    print(vocabulary);
    return 0;
  },
});
