/** The official folders of the paper's data sets: which pictures there are, and of which category each is. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BowerbirdError } from '../../errors.js';
import { matTexts, readMat } from '../../formats/index.js';

export const datasetNames = ['cub', 'sun', 'dogs'] as const;
export type DatasetName = (typeof datasetNames)[number];

export interface DatasetPicture {
  /** Absolute or relative to the working directory, as the folder was given. */
  file: string;
  category: string;
}

/** A data set's folder lacks something, or a split does not fit it. */
export class DatasetError extends BowerbirdError {
  constructor(message: string, hint?: string) {
    super('BOWERBIRD_DATASET', message, { hint });
  }
}

export interface DatasetLayout {
  title: string;
  citation: string;
  /** Of the paper. */
  protocol: { auxiliary: number; test: number };
  /** In `splits/`, where the split is known for certain. */
  split?: string;
  /** What must be given with --split otherwise. */
  unknown?: string;
  pictures(folder: string): Promise<DatasetPicture[]>;
}

export const layouts: Record<DatasetName, DatasetLayout> = {
  cub: {
    title: 'CUB-200-2011',
    citation: 'Wah, Branson, Welinder, Perona, Belongie: The Caltech-UCSD Birds-200-2011 dataset, 2011',
    protocol: { auxiliary: 150, test: 50 },
    split: 'cub-150-50.txt',
    pictures: cubPictures,
  },
  sun: {
    title: 'SUN Attribute',
    citation: 'Patterson, Xu, Su, Hays: The SUN attribute database, IJCV 2014',
    protocol: { auxiliary: 707, test: 10 },
    unknown:
      'the ten test scenes of Jayaraman and Grauman (Zero-shot recognition with unreliable attributes, NIPS 2014); their names could not be confirmed and are not part of this package',
    pictures: sunPictures,
  },
  dogs: {
    title: 'Stanford Dogs',
    citation: 'Khosla, Jayadevaprakash, Yao, Fei-Fei: Novel dataset for fine-grained image categorization, FGVC 2011',
    protocol: { auxiliary: 85, test: 28 },
    unknown:
      'the 28 test and 85 auxiliary breeds of Akata et al. (Evaluation of output embeddings for fine-grained image classification, CVPR 2015); their names could not be confirmed and are not part of this package',
    pictures: dogPictures,
  },
};

/** `images.txt`, `image_class_labels.txt`, `classes.txt` and `images/`. */
async function cubPictures(folder: string): Promise<DatasetPicture[]> {
  const root = rootWith(folder, ['', 'CUB_200_2011'], 'images.txt', 'CUB_200_2011');
  const read = async (name: string) => {
    const file = required(root, name);
    const lines = (await readFile(file, 'utf8')).split(/\r?\n/).filter(Boolean);
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]));
  };
  const [images, labels, classes] = [
    await read('images.txt'),
    await read('image_class_labels.txt'),
    await read('classes.txt'),
  ];
  return [...images].map(([number, path]) => {
    const category = classes.get(labels.get(number) ?? '');
    if (category === undefined)
      throw new DatasetError(
        `${root}: picture ${number} (${path}) has no class in image_class_labels.txt and classes.txt`,
      );
    return { file: join(root, 'images', path), category: category.replace(/^\d+\./, '').replaceAll('_', ' ') };
  });
}

/** `images.mat`, a cell of paths such as `b/balcony/exterior/sun_….jpg`, and the pictures below `images/`. */
async function sunPictures(folder: string): Promise<DatasetPicture[]> {
  const lists = rootWith(folder, ['', 'SUNAttributeDB'], 'images.mat', 'SUNAttributeDB');
  required(lists, 'attributes.mat');
  const paths = await listOf(join(lists, 'images.mat'), 'images');
  const root = ['images', 'SUNAttributeDB_Images/images', 'SUNAttributeDB_Images', '.']
    .map((name) => join(folder, name))
    .find((candidate) => existsSync(join(candidate, paths[0])));
  if (root === undefined)
    throw new DatasetError(
      `${folder}: the first picture of images.mat (${paths[0]}) is not below images/`,
      'Put the folder images/ of SUNAttributeDB_Images beside images.mat.',
    );
  return paths.map((path) => ({
    file: join(root, path),
    category: path.split('/').slice(1, -1).join(' ').replaceAll('_', ' '),
  }));
}

/** `file_list.mat`, a cell of paths such as `n02085620-Chihuahua/n02085620_7.jpg`, and the pictures in `Images/`. */
async function dogPictures(folder: string): Promise<DatasetPicture[]> {
  const lists = rootWith(folder, ['', 'lists'], 'file_list.mat', 'the lists of Stanford Dogs');
  const paths = await listOf(join(lists, 'file_list.mat'), 'file_list');
  const root = ['Images', 'images', '.']
    .map((name) => join(folder, name))
    .find((one) => existsSync(join(one, paths[0])));
  if (root === undefined)
    throw new DatasetError(`${folder}: the first picture of file_list.mat (${paths[0]}) is not below Images/`);
  return paths.map((path) => ({
    file: join(root, path),
    category: path
      .split('/')[0]
      .replace(/^n\d+-/, '')
      .replaceAll('_', ' '),
  }));
}

async function listOf(file: string, variable: string): Promise<string[]> {
  const value = (await readMat(file, { variables: [variable] })).get(variable);
  if (value === undefined) throw new DatasetError(`${file} has no variable "${variable}"`);
  const paths = matTexts(value, { name: variable, file });
  if (paths.length === 0) throw new DatasetError(`${file}: "${variable}" is empty`);
  return [...paths];
}

function rootWith(folder: string, below: readonly string[], file: string, what: string): string {
  const root = below.map((name) => join(folder, name)).find((candidate) => existsSync(join(candidate, file)));
  if (root === undefined)
    throw new DatasetError(`${folder} has no ${file}`, `Give the folder of the official download (${what}), unpacked.`);
  return root;
}

function required(root: string, name: string): string {
  const file = join(root, name);
  if (!existsSync(file)) throw new DatasetError(`${root} has no ${name}`, 'Give the official download, unpacked.');
  return file;
}
