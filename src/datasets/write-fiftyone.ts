/** FiftyOne's image classification format (`FiftyOneImageClassificationDataset`): `data/` and `labels.json`. */
import { mkdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { writeFileAtomic } from '../formats/index.js';
import { categoriesOf, fileNameOf, placePicture, uniqueNames } from './picture.js';
import type { DataWriter } from './write.js';

export const writeFiftyOne: DataWriter = async (folder, pictures, { onPicture }) => {
  const classes = categoriesOf(pictures);
  const names = uniqueNames(pictures.map(fileNameOf));
  // Labels are found by the name without its suffix.
  const stems = uniqueNames(names.map((name) => name.slice(0, name.length - extname(name).length)));
  const labels: Record<string, { label: number; confidence?: number } | null> = {};
  await mkdir(join(folder, 'data'));
  for (const [i, picture] of pictures.entries()) {
    await placePicture(picture, join(folder, 'data', `${stems[i]}${extname(names[i])}`));
    const { category, weight } = picture;
    labels[stems[i]] =
      category === undefined
        ? null
        : { label: classes.indexOf(category), ...(weight !== undefined && { confidence: weight }) };
    onPicture();
  }
  await writeFileAtomic(join(folder, 'labels.json'), `${JSON.stringify({ classes, labels }, null, 1)}\n`);
};
