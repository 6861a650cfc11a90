/** `bowerbird words info`: what a file of word vectors is, and how near words are to one another. */
import { CompactVectors, cosine, openVectors } from '../../language/index.js';
import { defineCommand } from '../command.js';
import { tableLines } from '../table.js';

export default defineCommand({
  name: 'words info',
  summary: 'Describe a file of word vectors.',
  description: 'Prints format, sizes, origin and licence, and with --words the cosines between words.',
  arguments: [{ name: 'VECTORS', description: 'a file of word vectors, or glove-100' }],
  options: { words: { type: 'list', placeholder: 'WORD,…', description: 'Words to compare with one another.' } },
  examples: [
    { command: 'bowerbird words info glove-100', explanation: 'Where the vectors came from and their licence.' },
    {
      command: 'bowerbird words info words.vec --words sparrow,warbler,truck',
      explanation: 'How near the vectors of these words are.',
    },
  ],
  async run({ args: [path], options, print, printJson }) {
    const source = await openVectors(path);
    try {
      const { kind, name, dim, count } = source;
      const description = source instanceof CompactVectors ? source.description : {};
      const words = options.words ?? [];
      const vectors = await source.lookup(words);
      const missing = words.filter((word) => !vectors.has(word));
      const known = words.filter((word) => vectors.has(word));
      const cosines = known.map((a) => known.map((b) => cosine(vectors.get(a)!, vectors.get(b)!)));
      printJson({ file: name, kind, dim, count, ...description, words: known, cosines, missing });
      print(`${name}: ${kind}, ${count === undefined ? '' : `${count} words, `}${dim} dimensions`);
      const { title, source: origin, licence, settings } = description;
      for (const [label, text] of Object.entries({ title, from: origin, licence }))
        if (text) print(`${label}: ${text}`);
      if (settings) print(`settings: ${JSON.stringify(settings)}`);
      if (known.length > 0) {
        const columns = known.map((title) => ({ title, align: 'right' as const }));
        const rows = known.map((word, i) => [word, ...cosines[i].map((value) => value.toFixed(3))]);
        for (const line of tableLines([{ title: '' }, ...columns], rows)) print(line);
      }
      if (missing.length > 0) print(`without a vector: ${missing.join(', ')}`);
      return 0;
    } finally {
      await source.close();
    }
  },
});
