/** Draws the pictures without a bird, and extracts features of pictures by the project's own vision code. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aviary, drawPhoto, planPhotos } from '../../src/demo/index.js';
import { chooseFeature, extractFeatures, findModel, getModel, openFolderPictures } from '../../src/vision/index.js';

/** Drawn once with this seed, whatever the seed of the benchmark. */
const drawingSeed = 1;
/** For each of the 36 species that a search is made for. */
const drawnPerSpecies = 8;

/** Writes the features of all pictures below `pictures` into the folder `cache`. */
export async function extract(pictures: string, model: string, cache: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const source = await openFolderPictures(pictures);
  try {
    let shown = 0;
    const network = await chooseFeature(await getModel(await findModel(model)), {});
    await extractFeatures(source, network, cache, {
      onProgress: ({ done, total }) => {
        if (done < shown + 100 && done < (total ?? done)) return;
        shown = done;
        console.error(`${model} features of ${pictures}: ${done} of ${total}`);
      },
    });
  } finally {
    await source.close();
  }
}

/** Draws pictures without a bird into `folder`, unless they are there. */
export async function drawFarPictures(folder: string): Promise<void> {
  if (existsSync(join(folder, 'complete'))) return;
  const { test, auxiliary } = aviary();
  const plan = planPhotos([...test, ...auxiliary], {
    seed: drawingSeed,
    perSpecies: drawnPerSpecies,
    wrong: { confused: 0, other: 0, offtopic: 1 },
    repeated: 0,
    dead: 0,
  });
  for (const photo of plan) {
    const subject = join(folder, 'pictures', String(photo.shown));
    mkdirSync(subject, { recursive: true });
    writeFileSync(join(subject, `${photo.id}.jpg`), await drawPhoto(photo, drawingSeed));
  }
  writeFileSync(join(folder, 'complete'), '');
}
