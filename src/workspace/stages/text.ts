/** Titles, tags, descriptions and comments of the web pictures as counts of the most frequent words. */
import { mkdir } from 'node:fs/promises';
import { fromMatrix, writeNpz } from '../../formats/index.js';
import { chooseWords, type PictureText, termFrequencies, writeVocabulary } from '../../language/index.js';
import { type WebPicture, webPictures } from '../pictures.js';
import { optionInputs, type Stage } from '../stage.js';
import { layout } from '../workspace.js';

export const textStage: Stage = {
  name: 'text',
  needs: ['dedupe'],
  omitted: ({ configuration }) => (configuration.text ? undefined : 'text is switched off'),
  inputs: async ({ configuration }) => optionInputs('text', configuration.text!),
  outputs: async () => [layout.text, layout.vocabulary],

  async run({ workspace }) {
    const pictures = await webPictures(workspace);
    const texts = pictures.map(textOf);
    const words = chooseWords(texts, workspace.configuration.text!);
    await mkdir(workspace.path('text'), { recursive: true });
    await writeVocabulary(workspace.path(layout.vocabulary), words);
    const strings = (data: string[]) => ({ shape: [data.length], dtype: 'string' as const, data });
    const counts = termFrequencies(texts, words);
    await writeNpz(workspace.path(layout.text), [
      ['ids', strings(pictures.map(({ id }) => id))],
      ['web_text', fromMatrix(counts, 'float32')],
      ['web_texts', strings(texts.map(({ title, tags, comments }) => [title, ...tags, ...comments].join('\n').trim()))],
    ]);
    const empty = texts.filter((_, i) => counts.row(i).every((count) => count === 0)).length;
    return {
      summary: `${words.length} words in the texts of ${pictures.length} pictures${empty > 0 ? `, ${empty} of which have none` : ''}`,
    };
  },
};

function textOf({ title = '', tags = [], description, comments = [] }: WebPicture) {
  return {
    title,
    tags,
    comments: description ? [description, ...comments] : comments,
  } satisfies PictureText;
}
