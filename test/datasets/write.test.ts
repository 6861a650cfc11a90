/** What is written for other tools, read by readers that are not ours, or checked against the tool's published format. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { SaxesParser } from 'saxes';
import { list } from 'tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type AnsweredPicture,
  type DataPicture,
  dataFormats,
  writeAnswerFiles,
  writeData,
} from '../../src/datasets/index.js';
import { readCsv } from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { categoryNames, drawnSet } from './pictures.js';
import { coco, fiftyOne, labelStudio } from './published-formats.js';

const folder = temporaryFolder();
const out = join(folder, 'out');
const json = (...path: string[]) => JSON.parse(readFileSync(join(out, ...path), 'utf8'));
const ajv = new Ajv({ allErrors: true });
let pictures: DataPicture[];
let contents: Uint8Array[];

beforeAll(async () => {
  pictures = await drawnSet(join(folder, 'pictures'));
  contents = await Promise.all(pictures.map((picture) => picture.content()));
  await writeData(out, dataFormats, pictures, { name: 'seven' });
});

describe('the image folder and the table', () => {
  it('hold every picture once, with weight and provenance', async () => {
    for (const format of ['folder', 'csv']) {
      const { header = [], rows } = await readCsv(join(out, format, 'pictures.csv'));
      expect(header.slice(0, 4)).toEqual(['path', 'category', 'split', 'weight']);
      for (const [i, [path, category, , weight, title]] of rows.entries()) {
        expect(readFileSync(join(out, format, path))).toEqual(contents[i]);
        expect([category, Number(weight)]).toEqual([pictures[i].category, pictures[i].weight]);
        expect(title).toBe(i === 0 ? pictures[0].title : `'=title ${i}`);
      }
      expect(rows).toHaveLength(7);
    }
    expect(readdirSync(join(out, 'folder')).sort()).toEqual([
      'Blue Jay',
      'Ovenbird -1-',
      'Sooty & -Grey- Albatross',
      'pictures.csv',
    ]);
  });

  it.skipIf(!hasNumpy)("is the table that Python's csv module reads", () => {
    const program =
      'import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8")))))';
    const rows = JSON.parse(
      execFileSync('python3', ['-c', program, join(out, 'folder', 'pictures.csv')], { encoding: 'utf8' }),
    );
    expect(rows[0]).toMatchObject({ category: 'Blue Jay', title: 'Jay, "blue"\nin oak', licence: 'cc0' });
  });
});

describe('COCO', () => {
  it('has the fields of the published format, ids that meet, and sizes that are right', () => {
    const content = json('coco', 'annotations.json');
    expect(ajv.validate(coco, content), JSON.stringify(ajv.errors)).toBe(true);
    expect(content.categories.map(({ name }: { name: string }) => name)).toEqual(categoryNames);
    for (const [i, { image_id, category_id, bbox, score }] of content.annotations.entries()) {
      const image = content.images.find(({ id }: { id: number }) => id === image_id);
      expect(readFileSync(join(out, 'coco', 'images', image.file_name))).toEqual(contents[i]);
      expect(bbox).toEqual([0, 0, 20 + i, 30]);
      expect(content.categories.find(({ id }: { id: number }) => id === category_id).name).toBe(pictures[i].category);
      expect(score).toBe(pictures[i].weight);
    }
  });
});

describe('WebDataset', () => {
  it('is a tar file in which the three members of a picture follow one another', async () => {
    const names: string[] = [];
    const file = join(out, 'webdataset', 'pictures-000000.tar');
    await list({ file, onReadEntry: (entry) => names.push(entry.path), strict: true });
    expect(names.slice(0, 6)).toEqual([
      '00000000.jpg',
      '00000000.cls',
      '00000000.json',
      '00000001.jpg',
      '00000001.cls',
      '00000001.json',
    ]);
    const member = (name: string) => execFileSync('tar', ['-xOf', file, name]);
    for (const [i, content] of contents.entries()) {
      const key = `0000000${i}`;
      expect(member(names.find((name) => name.startsWith(key))!)).toEqual(content);
      const known = JSON.parse(member(`${key}.json`).toString());
      expect(known).toMatchObject({ id: pictures[i].id, category: pictures[i].category, weight: pictures[i].weight });
      const classes = readFileSync(join(out, 'webdataset', 'classes.txt'), 'utf8').split('\n');
      expect(classes[Number(member(`${key}.cls`))]).toBe(pictures[i].category);
    }
  });
});

describe('Parquet for Hugging Face', () => {
  it('is read by another reader, with features in metadata and card', async () => {
    const file = await asyncBufferFromFile(join(out, 'parquet', 'data', 'train-00000-of-00001.parquet'));
    const { key_value_metadata } = await parquetMetadataAsync(file);
    const { features } = JSON.parse(key_value_metadata!.find(({ key }) => key === 'huggingface')!.value!).info;
    expect(features).toMatchObject({ image: { _type: 'Image' }, label: { _type: 'ClassLabel', names: categoryNames } });
    const rows = await parquetReadObjects({ file, utf8: false });
    for (const [i, row] of rows.entries()) {
      expect(Buffer.from(row.image.bytes)).toEqual(contents[i]);
      expect(features.label.names[Number(row.label)]).toBe(pictures[i].category);
      expect(row.weight).toBe(pictures[i].weight);
      const text = (value: Uint8Array | string) => (typeof value === 'string' ? value : Buffer.from(value).toString());
      expect(text(row.picture)).toBe(pictures[i].id);
    }
    expect(rows).toHaveLength(7);
    const [, front] = readFileSync(join(out, 'parquet', 'README.md'), 'utf8').split('---\n');
    const { dataset_info } = parse(front);
    expect(dataset_info.features.map(({ name }: { name: string }) => name)).toEqual(Object.keys(features));
    expect(Object.values(dataset_info.features[1].dtype.class_label.names)).toEqual(categoryNames);
  });
});

describe('FiftyOne', () => {
  it('has a label for the stem of every file', () => {
    const content = json('fiftyone', 'labels.json');
    expect(ajv.validate(fiftyOne, content), JSON.stringify(ajv.errors)).toBe(true);
    for (const name of readdirSync(join(out, 'fiftyone', 'data'))) {
      const { label, confidence } = content.labels[name.replace(/\.[^.]*$/, '')];
      const i = contents.findIndex((bytes) => readFileSync(join(out, 'fiftyone', 'data', name)).equals(bytes));
      expect([content.classes[label], confidence]).toEqual([pictures[i].category, pictures[i].weight]);
    }
    expect(Object.keys(content.labels)).toHaveLength(7);
  });
});

describe('Label Studio', () => {
  it('has tasks with predictions whose tags are those of the configuration', () => {
    const tasks = json('label-studio', 'tasks.json');
    expect(ajv.validate(labelStudio, tasks), JSON.stringify(ajv.errors)).toBe(true);
    const tags: { name: string; attributes: Record<string, string> }[] = [];
    const parser = new SaxesParser();
    parser.on('opentag', ({ name, attributes }) =>
      tags.push({ name, attributes: attributes as Record<string, string> }),
    );
    parser.write(readFileSync(join(out, 'label-studio', 'config.xml'), 'utf8')).close();
    const values = tags.filter(({ name }) => name === 'Choice').map(({ attributes }) => attributes.value);
    expect(values).toEqual(categoryNames);
    const [image, choices] = ['Image', 'Choices'].map((wanted) => tags.find(({ name }) => name === wanted)!.attributes);
    for (const [i, { data, predictions }] of tasks.entries()) {
      const [{ from_name, to_name, value }] = predictions[0].result;
      expect([from_name, to_name, image.value]).toEqual([choices.name, image.name, '$image']);
      expect(value.choices).toEqual([pictures[i].category]);
      expect(data.picture).toBe(pictures[i].id);
      const path = decodeURIComponent(data.image.replace('/data/local-files/?d=', ''));
      expect(readFileSync(join(out, 'label-studio', path))).toEqual(contents[i]);
    }
  });
});

describe('answers', () => {
  it('are a table, lines and tasks that say the same', async () => {
    const answered = pictures.map(
      (picture, i): AnsweredPicture => ({
        ...picture,
        best: picture.category!,
        category: i === 6 ? 'none of these' : picture.category,
        confidence: 0.9,
        ...(i === 6 && { unlisted: 0.7 }),
      }),
    );
    const target = join(folder, 'answers');
    const choices = [...categoryNames, 'none of these'];
    await writeAnswerFiles(target, ['csv', 'jsonl', 'label-studio'], answered, { choices });
    const { header = [], rows } = await readCsv(join(target, 'answers.csv'));
    const lines = readFileSync(join(target, 'answers.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const [i, row] of rows.entries())
      for (const [c, name] of header.entries()) expect(row[c]).toBe(String(lines[i][name] ?? ''));
    const tasks: { predictions: { result: { value: { choices: string[] } }[] }[] }[] = JSON.parse(
      readFileSync(join(target, 'label-studio', 'tasks.json'), 'utf8'),
    );
    const chosen = tasks.map(({ predictions }) => predictions[0].result[0].value.choices[0]);
    expect(chosen).toEqual(lines.map(({ answer }) => answer));
  });
});

describe('writing', () => {
  it('replaces nothing, and leaves nothing behind when it fails', async () => {
    await expect(writeData(out, ['coco'], pictures, { name: 'x' })).rejects.toThrow(/is there already/);
    const damaged = join(folder, 'damaged.jpg');
    writeFileSync(damaged, 'no picture');
    const bad = [{ ...pictures[0], file: damaged }];
    await expect(writeData(join(folder, 'bad'), ['coco'], bad, { name: 'x' })).rejects.toThrow(/not a picture|it is/);
    expect(readdirSync(join(folder, 'bad'))).toEqual([]);
    const gone = [{ ...pictures[0], file: join(folder, 'gone.jpg') }];
    await expect(writeData(join(folder, 'bad'), ['folder'], gone, { name: 'x' })).rejects.toThrow(/gone\.jpg/);
    expect(existsSync(join(folder, 'bad', 'folder'))).toBe(false);
    mkdirSync(join(folder, 'stopped'));
    const stop = new AbortController();
    const stopped = writeData(join(folder, 'stopped'), ['folder'], pictures, {
      ...{ name: 'x', signal: stop.signal },
      onProgress: () => stop.abort(),
    });
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(readdirSync(join(folder, 'stopped'))).toEqual([]);
  });
});
