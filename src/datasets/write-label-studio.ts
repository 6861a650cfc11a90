/**
 * Label Studio: `tasks.json` to import, `config.xml` for the project, and `images/`, which Label Studio serves when
 * LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED is true and LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT is the folder. What we
 * think is a prediction; `data.picture` is the picture's own name, by which answers find their way back.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../formats/index.js';
import { versions } from '../versions.js';
import { categoriesOf, type DataPicture, fileNameOf, placePicture, uniqueNames } from './picture.js';
import type { DataWriter } from './write.js';

/** Names of the two tags of the configuration. */
const control = 'category';
const shown = 'image';

export const writeLabelStudio: DataWriter = async (folder, pictures, { onPicture }) => {
  await writeTasks(folder, pictures, categoriesOf(pictures), onPicture);
};

/** @param choices what can be answered, in this order */
export async function writeTasks(
  folder: string,
  pictures: readonly DataPicture[],
  choices: readonly string[],
  onPicture: () => void,
): Promise<void> {
  const names = uniqueNames(pictures.map(fileNameOf));
  await mkdir(join(folder, 'images'), { recursive: true });
  const tasks: object[] = [];
  for (const [i, picture] of pictures.entries()) {
    await placePicture(picture, join(folder, 'images', names[i]));
    tasks.push(task(picture, `/data/local-files/?d=images/${encodeURIComponent(names[i])}`));
    onPicture();
  }
  await writeFileAtomic(join(folder, 'tasks.json'), `${JSON.stringify(tasks, null, 1)}\n`);
  await writeFileAtomic(join(folder, 'config.xml'), configuration(choices));
}

function task(picture: DataPicture, image: string): object {
  const { content, file, id, category, weight, ...known } = picture;
  return {
    data: { [shown]: image, picture: id, ...known },
    ...(category !== undefined && {
      predictions: [
        {
          model_version: `bowerbird ${versions().bowerbird}`,
          ...(weight !== undefined && { score: weight }),
          result: [{ from_name: control, to_name: shown, type: 'choices', value: { choices: [category] } }],
        },
      ],
    }),
  };
}

function configuration(choices: readonly string[]): string {
  const lines = choices.map((choice) => `    <Choice value="${escapeXml(choice)}"/>\n`);
  return `<View>\n  <Image name="${shown}" value="$${shown}"/>\n  <Choices name="${control}" toName="${shown}" choice="single">\n${lines.join('')}  </Choices>\n</View>\n`;
}

const escapeXml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
