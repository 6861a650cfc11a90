import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { temporaryFolder } from '../temporary-folder.js';
import { writePictures } from './test-pictures.js';
import { tinyDimension, tinyModel, tinyPreprocessing } from './tiny-model.js';

const folder = temporaryFolder();
let model: string;
beforeAll(async () => {
  await writePictures(join(folder, 'birds'), 6);
  await writeFile(join(folder, 'own.json'), JSON.stringify(tinyPreprocessing));
  model = (await tinyModel(folder)).network.model;
});

function bowerbird(...words: string[]) {
  const env = { ...process.env, BOWERBIRD_CACHE: join(folder, 'cache') };
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...words], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('bowerbird models', { timeout: 180_000 }, () => {
  it('lists the built-in models with name, source, licence and dimension', () => {
    const { status, stdout } = bowerbird('models', 'list', '--json');
    expect(status).toBe(0);
    const models = JSON.parse(stdout) as { name: string; fetched: boolean }[];
    expect(models.find((entry) => entry.name === 'resnet50')).toMatchObject({
      dimension: 2048,
      licence: 'ISC',
      fetched: false,
    });
    expect(bowerbird('models', 'list').stdout).toContain('npm:sos-image-classification@1.0.16');
  });

  it('shows layers with their shapes', () => {
    const { status, stdout } = bowerbird('models', 'layers', model);
    expect(status).toBe(0);
    expect(stdout).toMatch(/stem\s+\[batch, 16, 24, 24\]\s+Relu/);
    expect(stdout).toMatch(/feature\s+\[batch, 24\]\s+Gemm, output/);
  });

  it('registers a file, which features then finds by name', () => {
    const added = bowerbird(
      'models',
      'add',
      'mine',
      model,
      '--layer',
      'mean',
      '--preprocessing',
      join(folder, 'own.json'),
    );
    expect(added).toMatchObject({ status: 0 });
    const { status, stdout } = bowerbird('features', join(folder, 'birds'), '--model', 'mine', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ pictures: 6, failures: 0, meta: { layer: 'mean', dimension: 32 } });
    expect(existsSync(join(folder, 'birds-features/mine/index.csv'))).toBe(true);
    expect(bowerbird('models', 'get', 'mine').stdout.trim()).toBe(model);
  });

  it('removes one that was added, and no other', () => {
    expect(bowerbird('models', 'add', 'passing', model)).toMatchObject({ status: 0 });
    expect(bowerbird('models', 'remove', 'passing')).toMatchObject({ status: 0, stdout: 'passing is off the list\n' });
    expect(bowerbird('models', 'remove', 'passing')).toMatchObject({ status: 2 });
    expect(bowerbird('models', 'remove', 'resnet50').stderr).toContain('built-in');
  });

  it('says what is wrong with a source, a hash or a name', () => {
    expect(bowerbird('models', 'add', 'x', join(folder, 'absent.onnx')).status).toBe(2);
    expect(bowerbird('models', 'add', 'x', model, '--sha256', 'abc').stderr).toContain('64 hexadecimal digits');
    expect(bowerbird('models', 'get', 'nothing').stderr).toContain('there is no model "nothing"');
  });
});

describe('bowerbird features', { timeout: 180_000 }, () => {
  const features = (...words: string[]) =>
    bowerbird(
      'features',
      join(folder, 'birds'),
      '--model',
      model,
      '--preprocessing',
      join(folder, 'own.json'),
      ...words,
    );

  it('writes beside a folder of pictures, one folder for each model and layer', async () => {
    const { status, stdout } = features('--batch', '2');
    expect(status).toBe(0);
    expect(stdout).toContain(`6 pictures, ${tinyDimension} numbers each`);
    expect(stdout).toContain('pictures/s');
    expect(await readFile(join(folder, 'birds-features/tiny-1/index.csv'), 'utf8')).toContain('category 0/000.jpeg');
    // Features are not taken for pictures the next time.
    expect(JSON.parse(features('--json').stdout)).toMatchObject({ pictures: 6, failures: 0, processed: 0 });
  });

  it('leaves nothing in the home folder, as onnxruntime does to report its use', async () => {
    const home = join(folder, 'home');
    await mkdir(home);
    const { ORT_DISABLE_TELEMETRY: _, XDG_CACHE_HOME: __, ...rest } = process.env;
    const env = { ...rest, HOME: home, BOWERBIRD_CACHE: join(folder, 'cache') };
    const words = ['features', join(folder, 'birds'), '--model', model, '--out', join(folder, 'silent')];
    const { status } = spawnSync(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...words], { env });
    expect(status).toBe(0);
    expect(await readdir(home, { recursive: true })).toEqual([]);
  });

  it('ends with code 3 and a list when pictures could not be read', async () => {
    await writeFile(join(folder, 'birds/category 0/odd.jpg'), '<html>gone</html>');
    const { status, stderr } = features('--out', join(folder, 'partial'));
    expect(status).toBe(3);
    expect(stderr).toContain('1 pictures have no features');
    expect(await readFile(join(folder, 'partial/failures.csv'), 'utf8')).toContain('it is a web page');
    await rm(join(folder, 'birds/category 0/odd.jpg'));
  });

  it('refuses to mix, with code 1 and the way out', () => {
    features('--out', join(folder, 'mixed'));
    const { status, stderr } = features('--out', join(folder, 'mixed'), '--layer', 'mean');
    expect(status).toBe(1);
    expect(stderr).toContain('cannot be mixed: layer "feature" and "mean"');
    expect(stderr).toContain('--out');
  });

  it('says so when there is no CUDA', () => {
    const { status, stderr } = features('--device', 'cuda', '--out', join(folder, 'gpu'));
    if (status === 0) return;
    expect(status).toBe(1);
    expect(stderr).toContain('BOWERBIRD_BACKEND');
    expect(stderr).toContain('--device cpu');
  });

  it('notes that the preprocessing of a bare file is a guess', () => {
    const { stderr } = bowerbird('features', join(folder, 'birds'), '--model', model, '--out', join(folder, 'guess'));
    expect(stderr).toContain('no preprocessing is known');
  });

  it('explains wrong use with code 2', () => {
    expect(bowerbird('features', join(folder, 'absent'))).toMatchObject({ status: 2 });
    expect(bowerbird('features', join(folder, 'birds'), '--model', 'nothing')).toMatchObject({ status: 2 });
    expect(features('--preprocessing', 'odd').stderr).toContain('imagenet, tensorflow');
    expect(features('--layer', 'nowhere').stderr).toContain('no layer "nowhere"');
  });
});
