/**
 * COCO (Lin et al. 2014): `annotations.json` and `images/`. A category belongs to the whole picture, so its box is the
 * whole picture; `score` is how far it is believed.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from '../decoding/index.js';
import { writeFileAtomic } from '../formats/index.js';
import { categoriesOf, fileNameOf, placePicture, uniqueNames } from './picture.js';
import type { DataWriter } from './write.js';

export const writeCoco: DataWriter = async (folder, pictures, { name, signal, onPicture }) => {
  const categories = categoriesOf(pictures);
  const label = new Map(categories.map((category, i) => [category, i + 1]));
  const licences = [...new Set(pictures.map(({ licence }) => licence ?? 'unknown'))].sort();
  const url = new Map(pictures.map(({ licence, licenceUrl }) => [licence ?? 'unknown', licenceUrl ?? '']));
  const names = uniqueNames(pictures.map(fileNameOf));
  await mkdir(join(folder, 'images'));
  const images: object[] = [];
  const annotations: object[] = [];
  for (const [i, picture] of pictures.entries()) {
    const file = join(folder, 'images', names[i]);
    await placePicture(picture, file);
    const { width, height } = await decode(file, { kind: 'header' }, { signal });
    const { category, weight, licence = 'unknown', address, page, author, title } = picture;
    images.push({
      id: i + 1,
      ...{ file_name: names[i], width, height, license: licences.indexOf(licence) + 1 },
      ...(address !== undefined && { coco_url: address }),
      ...(page !== undefined && { page_url: page }),
      ...(author !== undefined && { author }),
      ...(title !== undefined && { title }),
    });
    if (category !== undefined)
      annotations.push({
        id: annotations.length + 1,
        image_id: i + 1,
        category_id: label.get(category),
        bbox: [0, 0, width, height],
        area: width * height,
        iscrowd: 0,
        segmentation: [],
        ...(weight !== undefined && { score: weight }),
      });
    onPicture();
  }
  const content = {
    info: { description: name, version: '1' },
    licenses: licences.map((licence, i) => ({ id: i + 1, name: licence, url: url.get(licence) ?? '' })),
    images,
    annotations,
    categories: categories.map((category, i) => ({ id: i + 1, name: category, supercategory: '' })),
  };
  await writeFileAtomic(join(folder, 'annotations.json'), `${JSON.stringify(content, null, 1)}\n`);
};
