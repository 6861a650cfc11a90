/** Lists and archives of somebody who means harm, or was careless: each is refused by name, and nothing outside is touched. */
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Header } from 'tar';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DataPicture, dataFormats, importData, readData, writeData } from '../../src/datasets/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { darwinCore, meta } from './occurrences.js';
import { drawnSet } from './pictures.js';

const folder = temporaryFolder();
const path = (...parts: string[]) => join(folder, ...parts);
let pictures: DataPicture[];

beforeAll(async () => {
  pictures = await drawnSet(path('pictures'));
  await writeData(path('out'), dataFormats, pictures, { name: 'seven' });
  mkdirSync(path('list'));
  mkdirSync(path('secret'));
  writeFileSync(path('secret', 'key.jpg'), readFileSync(pictures[0].file!));
});

function csv(name: string, content: string): string {
  writeFileSync(path('list', name), content);
  return path('list', name);
}

describe('paths that lead out of the folder', () => {
  it.each([
    ['upwards', '../secret/key.jpg'],
    ['from the root', () => path('secret', 'key.jpg')],
    ['through a folder', 'a/../../secret/key.jpg'],
  ])('are refused in tables: %s', async (_, written) => {
    const file = csv('list.csv', `path,label\n${typeof written === 'string' ? written : written()},Jay\n`);
    await expect(readData(file)).rejects.toThrow(/list\.csv: record 2: the path .* leads out of/);
  });

  it('are refused through links, in tables and COCO', async () => {
    symlinkSync(path('secret', 'key.jpg'), path('list', 'link.jpg'));
    await expect(readData(csv('link.csv', 'path,label\nlink.jpg,Jay\n'))).rejects.toThrow(
      /is a link that leads out of/,
    );
    const coco = JSON.parse(readFileSync(path('out', 'coco', 'annotations.json'), 'utf8'));
    coco.images[2].file_name = '../../../secret/key.jpg';
    writeFileSync(path('out', 'coco', 'bad.json'), JSON.stringify(coco));
    await expect(readData(path('out', 'coco', 'bad.json'))).rejects.toThrow(
      /bad\.json: images\[2\]: the path .* leads out of/,
    );
  });

  it('hold no zero byte', async () => {
    await expect(readData(csv('zero.csv', 'path,label\na\0b.jpg,Jay\n'))).rejects.toThrow(/zero byte/);
  });
});

describe('names of categories', () => {
  it('never become paths', async () => {
    writeFileSync(path('list', 'a.jpg'), readFileSync(pictures[0].file!));
    const set = await readData(csv('names.csv', 'path,label\na.jpg,../../up\na.jpg,"C:\\x"\na.jpg,..\n'));
    await importData(set, path('named'));
    const again = await readData(path('named'));
    for (const { file } of again.pictures) expect(file!.startsWith(path('named'))).toBe(true);
    expect(again.pictures).toHaveLength(3);
  });

  it('that would fall together are refused', async () => {
    const set = await readData(csv('same.csv', 'path,label\na.jpg,Jay/Auk\na.jpg,Jay:Auk\n'));
    await expect(importData(set, path('same'))).rejects.toThrow(/"Jay\/Auk" and "Jay:Auk" would lie in one folder/);
  });
});

describe('what is no picture', () => {
  it('is named and passed over, wherever it lies', async () => {
    writeFileSync(path('list', 'page.jpg'), '<!doctype html><script>');
    const set = await readData(csv('page.csv', 'path,label\npage.jpg,Jay\na.jpg,Jay\ngone.jpg,Jay\n'));
    expect(set.pictures).toHaveLength(1);
    expect(set.notes).toEqual(['record 2: page.jpg is no picture but a web page', 'record 4: gone.jpg is not there']);
  });
});

describe('tables that are broken', () => {
  it.each([
    ['ragged.csv', 'path,label\na.jpg\n', /record 2 has 1 fields, the header has 2/],
    ['twice.csv', 'path,path\na.jpg,b.jpg\n', /column "path" is there twice/],
    ['empty.csv', '', /is empty/],
    ['quote.csv', 'path,label\n"a.jpg,Jay\n', /never closed/],
    ['bad.jsonl', '{"path": "a.jpg"\n', /line 1 is not JSON/],
    ['list.jsonl', '[1]\n', /line 1 holds no object/],
    ['bad.json', '{"images": [', /is not JSON/],
    ['other.json', '{"a": 1}', /not COCO/],
    ['bad.parquet', 'PAR1 and nothing else', /bad\.parquet/],
    ['bad.tar', 'x'.repeat(2048), /header of a member is damaged/],
    ['bad.zip', 'PK no archive', /bad\.zip/],
  ])('%s', async (name, content, message) => {
    await expect(readData(csv(name, content))).rejects.toThrow(message);
  });
});

describe('COCO with ids that do not meet', () => {
  it.each([
    ['annotations', 'image_id', 99, /annotations\[1\] is of image 99, which is not there/],
    ['annotations', 'category_id', 99, /annotations\[1\] is of category 99/],
    ['images', 'id', 1, /images has the id 1 twice/],
    ['images', 'file_name', null, /images\[1\] has no file_name/],
  ])('is refused: %s.%s', async (list, field, value, message) => {
    const coco = JSON.parse(readFileSync(path('out', 'coco', 'annotations.json'), 'utf8'));
    coco[list][1][field] = value;
    writeFileSync(path('out', 'coco', 'spoilt.json'), JSON.stringify(coco));
    await expect(readData(path('out', 'coco', 'spoilt.json'))).rejects.toThrow(message);
  });
});

describe('tar files', () => {
  const member = (fields: Partial<ConstructorParameters<typeof Header>[0] & object>, content = Buffer.alloc(0)) => {
    const header = new Header({ path: 'a.jpg', mode: 0o644, size: content.length, type: 'File', ...fields } as never);
    header.encode();
    return Buffer.concat([header.block!, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
  };
  const tar = (name: string, ...members: Buffer[]) => {
    mkdirSync(path('tar'), { recursive: true });
    writeFileSync(path('tar', name), Buffer.concat([...members, Buffer.alloc(1024)]));
    return path('tar', name);
  };

  it('with links are refused, and so are members longer than the file', async () => {
    const link = tar('link.tar', member({ type: 'SymbolicLink', linkpath: '/etc/passwd' } as never));
    await expect(readData(link)).rejects.toThrow(/a\.jpg is no file but a SymbolicLink/);
    await expect(readData(tar('long.tar', member({ size: 10_000_000 })))).rejects.toThrow(
      /would be longer than the file/,
    );
  });

  it('with paths upwards write nothing upwards', async () => {
    const content = readFileSync(pictures[0].file!);
    const set = await readData(
      tar('up.tar', member({ path: '../../up.jpg' }, content), member({ path: '../../up.cls' }, Buffer.from('1'))),
    );
    await importData(set, path('from-tar'));
    const [picture] = (await readData(path('from-tar'))).pictures;
    expect(picture.file!.startsWith(path('from-tar'))).toBe(true);
    await set.close();
  });

  it('that are cut short, or whose members are not what they say, are refused', async () => {
    const file = path('out', 'webdataset', 'pictures-000000.tar');
    writeFileSync(path('tar', 'cut.tar'), readFileSync(file));
    truncateSync(path('tar', 'cut.tar'), 1300);
    await expect(readData(path('tar', 'cut.tar'))).rejects.toThrow(/cut\.tar/);
    const content = readFileSync(pictures[0].file!);
    const json = tar('json.tar', member({}, content), member({ path: 'a.json' }, Buffer.from('[1]')));
    await expect(readData(json)).rejects.toThrow(/a\.json holds no JSON object/);
    const twice = tar('twice.tar', member({}, content), member({}, content));
    await expect(readData(twice)).rejects.toThrow(/a\.jpg is there twice/);
  });
});

describe('Darwin Core archives', () => {
  it.each([
    [
      'a table outside',
      { 'meta.xml': meta.replace('multimedia.txt', '../../etc/passwd') },
      /names "..\/..\/etc\/passwd", which is not in the archive/,
    ],
    [
      'entities',
      { 'meta.xml': `<!DOCTYPE a [<!ENTITY b "c">]>${meta.replace('multimedia.txt', '&b;')}` },
      /meta\.xml is not well-formed/,
    ],
    ['no multimedia', { 'meta.xml': meta.replace('1.0/Multimedia', '1.0/Distribution') }, /no table of multimedia/],
    ['no XML', { 'meta.xml': 'no' }, /not well-formed|describes no table/],
  ])('with %s are refused', async (_, members, message) => {
    await expect(readData(await darwinCore(path('bad.zip'), members))).rejects.toThrow(message);
  });
});
