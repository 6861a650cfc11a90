import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { loadFeatures } from '../../src/vision/load-features.js';
import { temporaryFolder } from '../temporary-folder.js';
import { writePictures } from './test-pictures.js';
import { tinyModel, tinyPreprocessing } from './tiny-model.js';
import '../allclose.js';

const folder = temporaryFolder();
let model: string;
beforeAll(async () => {
  await writePictures(join(folder, 'birds'), 10);
  await writeFile(join(folder, 'own.json'), JSON.stringify(tinyPreprocessing));
  model = (await tinyModel(folder)).network.model;
  await writeFile(join(folder, 'without-native.cjs'), withoutNative);
});

function bowerbird(environment: Record<string, string>, ...words: string[]) {
  const env = { ...process.env, BOWERBIRD_CACHE: join(folder, 'cache'), ...environment };
  return spawnSync(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...words], { env, encoding: 'utf8' });
}

function features(runtime: string, out: string, ...words: string[]) {
  const setting = ['--model', model, '--preprocessing', join(folder, 'own.json'), '--out', join(folder, out)];
  const child = bowerbird(
    { BOWERBIRD_ONNXRUNTIME: runtime },
    ...['features', join(folder, 'birds'), ...setting, ...words, '--json'],
  );
  expect(child.status, child.stderr).toBe(0);
  return { stderr: child.stderr, meta: JSON.parse(child.stdout).meta };
}

/** Keeps onnxruntime-node from being found, as where npm left it out. */
const withoutNative = `
const Module = require('node:module');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (request !== 'onnxruntime-node') return resolve.call(this, request, ...rest);
  throw Object.assign(new Error('not here'), { code: 'MODULE_NOT_FOUND' });
};`;

describe('the WebAssembly build of onnxruntime', { timeout: 120_000 }, () => {
  it('gives the features of the native one, with any number of workers and threads', async () => {
    expect(features('native', 'native').meta.versions.onnxruntime).toMatch(/^[\d.]+$/);
    const native = await loadFeatures(join(folder, 'native'));
    for (const [out, ...words] of [['one'], ['two', '--workers', '2', '--threads', '2']]) {
      expect(features('wasm', out, ...words).meta.versions.onnxruntime).toMatch(/ \(WebAssembly\)$/);
      const found = await loadFeatures(join(folder, out));
      expect(found.ids).toEqual(native.ids);
      expect(found.features.data).toBeAllClose(native.features.data, { tolerance: 1e-4, scale: 1 });
    }
  });

  it('lists the layers of a model as the native one does', () => {
    const layers = (runtime: string) => bowerbird({ BOWERBIRD_ONNXRUNTIME: runtime }, 'models', 'layers', model).stdout;
    expect(layers('wasm')).toContain('stem');
    expect(layers('wasm')).toBe(layers('native'));
  });

  it('is taken, with a line that says how to get the native one, where that is not installed', () => {
    const env = { NODE_OPTIONS: `--require ${join(folder, 'without-native.cjs').replaceAll('\\', '/')}` };
    const found = bowerbird(env, 'doctor', '--seconds', '0', '--json');
    expect(found.status, found.stderr).toBe(0);
    const { vision } = JSON.parse(found.stdout);
    expect(vision).toMatchObject({ kind: 'wasm', problem: 'onnxruntime-node is not installed' });
    const { optionalDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(vision.note).toContain(`npm install onnxruntime-node@${optionalDependencies['onnxruntime-node']} --ignore`);
    expect(bowerbird({ ...env, BOWERBIRD_ONNXRUNTIME: 'native' }, 'doctor', '--seconds', '0').stderr).toContain(
      'the native onnxruntime cannot be used',
    );
  });

  it('has no GPU, and says what has', () => {
    const words = [
      'features',
      join(folder, 'birds'),
      '--model',
      model,
      '--device',
      'cuda',
      '--out',
      join(folder, 'gpu'),
    ];
    const { status, stderr } = bowerbird({ BOWERBIRD_ONNXRUNTIME: 'wasm' }, ...words);
    expect(status).not.toBe(0);
    expect(stderr).toContain('device cuda needs the native onnxruntime');
    expect(stderr).toContain('npm install onnxruntime-node@');
  });

  it('is not guessed from a misspelt wish', () => {
    const { status, stderr } = bowerbird({ BOWERBIRD_ONNXRUNTIME: 'webgl' }, 'doctor', '--seconds', '0');
    expect(status).not.toBe(0);
    expect(stderr).toContain('BOWERBIRD_ONNXRUNTIME is "webgl"');
  });
});
