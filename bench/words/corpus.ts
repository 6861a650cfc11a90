/** The corpus of the benchmark: the Brown corpus and the Wikipedia excerpt, tokenized, one paragraph a line. */
import { writeFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { openFile } from '../../src/formats/file.js';
import { locateMember, readZipDirectory } from '../../src/formats/zip.js';
import { readCorpus, type SimilarityPair, tokenize } from '../../src/language/index.js';

/** Writes the corpus to `path` and returns its number of words. */
export async function writeCorpus(data: string, path: string): Promise<number> {
  const lines: string[] = [];
  for await (const line of brownLines(`${data}/brown.zip`)) lines.push(line);
  for await (const paragraph of readCorpus(`${data}/enwiki-sample.xml.bz2`)) lines.push(paragraph);
  const paragraphs = lines.map((line) => tokenize(line)).filter((words) => words.length > 0);
  writeFileSync(path, paragraphs.map((words) => `${words.join(' ')}\n`).join(''));
  return paragraphs.reduce((sum, words) => sum + words.length, 0);
}

/** The Brown corpus without its part-of-speech tags: `The/at Fulton/np-tl` gives `The Fulton`. */
async function* brownLines(path: string): AsyncGenerator<string> {
  const file = await openFile(path);
  try {
    for (const member of await readZipDirectory(file)) {
      if (!/^brown\/c[a-r]\d\d$/.test(member.name)) continue;
      const bytes = await file.read(await locateMember(file, member), member.storedSize);
      const text = Buffer.from(member.compressed ? inflateRawSync(bytes) : bytes).toString('latin1');
      for (const line of text.split('\n')) if (line.trim()) yield line.replace(/\/[^\s/]*(?=\s|$)/g, '');
    }
  } finally {
    await file.close();
  }
}

/** Judged pairs: WordSim-353 as `word word score` separated by tabs. */
export function parseWordSim(text: string): SimilarityPair[] {
  return text
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const [a, b, score] = line.toLowerCase().split('\t');
      return { words: [a, b], score: Number(score) };
    });
}

/** MEN: `,word1,word2,similarity` with the part of speech after a hyphen. */
export function parseMen(text: string): SimilarityPair[] {
  const lines = text.split('\n').slice(1).filter(Boolean);
  return lines.map((line) => {
    const [, a, b, score] = line.split(',');
    return { words: [a.replace(/-\w$/, ''), b.replace(/-\w$/, '')], score: Number(score) };
  });
}
