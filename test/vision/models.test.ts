import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedError, UsageError } from '../../src/errors.js';
import { builtinModels } from '../../src/vision/builtin-models.js';
import { ModelError } from '../../src/vision/errors.js';
import { chooseFeature, featureFolderName } from '../../src/vision/feature-model.js';
import { getModel, isFetched } from '../../src/vision/get-model.js';
import type { ImageModelEntry, UrlSource } from '../../src/vision/model-entry.js';
import { addModel, findModel, listModels, removeModel } from '../../src/vision/models.js';
import { checkPreprocessing, presets, readPreprocessing } from '../../src/vision/preprocessing.js';
import { tinyModel } from './tiny-model.js';

let folder: string;
let cache: string;
let server: Server;
let address: string;
let requests: string[];
/** What the server answers: path → status and body. */
let answers: Map<string, Answer>;

interface Answer {
  status: number;
  body: Uint8Array;
  location?: string;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowerbird-models-'));
  cache = join(folder, 'cache');
  answers = new Map();
  requests = [];
  server = createServer((request, response) => {
    requests.push(request.url!);
    const answer: Answer = answers.get(request.url!) ?? { status: 404, body: Buffer.from('not here') };
    response.writeHead(answer.status, answer.location ? { location: answer.location } : {});
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function tinyBytes(seed = 1): Promise<Buffer> {
  return readFile((await tinyModel(folder, seed)).network.model);
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function entryAt(source: UrlSource): ImageModelEntry {
  const base = { name: 'remote', kind: 'image', description: 'for tests', licence: 'MIT' } as const;
  return { ...base, source, layer: 'feature', reduction: 'flatten', preprocessing: presets.imagenet };
}

describe('built-in models', () => {
  it('each have a hash, a licence, a layer, a dimension and sound preprocessing', () => {
    expect(new Set(builtinModels.map((entry) => entry.name)).size).toBe(builtinModels.length);
    for (const entry of builtinModels) {
      const { source } = entry;
      if (source.type === 'npm') expect(source.integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      else expect((source as UrlSource).sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(entry.licence).not.toBe('');
      expect(entry.layer).toBeTruthy();
      expect(entry.dimension).toBeGreaterThan(0);
      if (entry.kind === 'image') expect(checkPreprocessing(entry.preprocessing)).toEqual(entry.preprocessing);
    }
  });

  it('include the ones that need only the npm registry, and the usual ones of the web', () => {
    const names = builtinModels.map((entry) => entry.name);
    for (const name of ['mobilenet-v2-0.35', 'resnet50', 'vgg16', 'clip-vit-b32', 'clip-vit-b32-text', 'dinov2-small'])
      expect(names).toContain(name);
  });
});

describe('a model by address', () => {
  it('is fetched once, checked, and found again without the network', async () => {
    const body = await tinyBytes();
    answers.set('/moved', { status: 302, body: Buffer.alloc(0), location: `${address}/model.onnx` });
    answers.set('/model.onnx', { status: 200, body });
    const entry = entryAt({ type: 'url', url: `${address}/moved`, sha256: sha256(body) });
    expect(isFetched(entry, { cache })).toBe(false);
    const progress: number[] = [];
    const model = await getModel(entry, { cache, onProgress: ({ done }) => progress.push(done) });
    expect(model).toMatchObject({ sha256: sha256(body), bytes: body.length });
    expect(progress.at(-1)).toBe(body.length);
    expect(isFetched(entry, { cache })).toBe(true);
    await getModel(entry, { cache });
    expect(requests).toEqual(['/moved', '/model.onnx']);
  });

  it('with another hash is refused, and nothing is kept', async () => {
    answers.set('/model.onnx', { status: 200, body: await tinyBytes() });
    const entry = entryAt({ type: 'url', url: `${address}/model.onnx`, sha256: '0'.repeat(64) });
    await expect(getModel(entry, { cache })).rejects.toThrow(/expected 0000/);
    expect(await readdir(join(cache, 'models'))).toEqual([]);
  });

  it('without a hash is recorded at first use, which is said, and must stay the same', async () => {
    const body = await tinyBytes();
    answers.set('/model.onnx', { status: 200, body });
    const entry = entryAt({ type: 'url', url: `${address}/model.onnx` });
    const notes: string[] = [];
    const { path } = await getModel(entry, { cache, onNote: (note) => notes.push(note) });
    expect(notes.join()).toContain(sha256(body));
    await writeFile(path, 'damaged');
    answers.set('/model.onnx', { status: 200, body: await tinyBytes(60) });
    await expect(getModel(entry, { cache })).rejects.toThrow(ModelError);
    answers.set('/model.onnx', { status: 200, body });
    expect((await getModel(entry, { cache })).sha256).toBe(sha256(body));
  });

  it('damaged in the cache is fetched again', async () => {
    const body = await tinyBytes();
    answers.set('/model.onnx', { status: 200, body });
    const entry = entryAt({ type: 'url', url: `${address}/model.onnx`, sha256: sha256(body) });
    const { path } = await getModel(entry, { cache });
    await writeFile(path, body.subarray(0, 100));
    await getModel(entry, { cache });
    expect(sha256(await readFile(path))).toBe(sha256(body));
  });

  it('that is not there, or not on the web, says what to do', async () => {
    const missing = entryAt({ type: 'url', url: `${address}/absent`, sha256: '1'.repeat(64) });
    const error = await getModel(missing, { cache }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      message: expect.stringContaining('404'),
      hint: expect.stringContaining('models add'),
    });
    const odd = entryAt({ type: 'url', url: 'file:///etc/passwd', sha256: '1'.repeat(64) });
    await expect(getModel(odd, { cache })).rejects.toThrow(/not an http/);
    const dead = entryAt({ type: 'url', url: 'http://127.0.0.1:9/x', sha256: '1'.repeat(64) });
    await expect(getModel(dead, { cache })).rejects.toThrow(ModelError);
  });

  it('can be interrupted', async () => {
    answers.set('/model.onnx', { status: 200, body: Buffer.alloc(2 ** 22) });
    const abort = new AbortController();
    const options = { cache, signal: abort.signal, onProgress: () => abort.abort() };
    const entry = entryAt({ type: 'url', url: `${address}/model.onnx`, sha256: '1'.repeat(64) });
    await expect(getModel(entry, options)).rejects.toThrow(InterruptedError);
    expect(await readdir(join(cache, 'models'))).toEqual([]);
  });
});

describe("models of one's own", () => {
  it('are listed first, replaced under the same name, and found by it', async () => {
    await tinyBytes();
    const path = join(folder, 'tiny-1.onnx');
    const entry: ImageModelEntry = {
      ...entryAt({ type: 'url', url: address }),
      name: 'mine',
      source: { type: 'file', path },
    };
    await addModel({ ...entry, licence: 'old' }, { cache });
    await addModel(entry, { cache });
    const [first, ...rest] = await listModels({ cache });
    expect(first).toEqual(entry);
    expect(rest).toEqual(builtinModels);
    expect(await findModel('mine', { cache })).toEqual(entry);
  });

  it('may not take the name of a built-in one, nor an odd one', async () => {
    const entry = entryAt({ type: 'url', url: address });
    await expect(addModel({ ...entry, name: 'resnet50' }, { cache })).rejects.toThrow(UsageError);
    await expect(addModel({ ...entry, name: '../x' }, { cache })).rejects.toThrow(UsageError);
  });

  it('are forgotten when removed, built-in ones and others are not', async () => {
    await addModel({ ...entryAt({ type: 'url', url: address }), name: 'passing' }, { cache });
    const before = await listModels({ cache });
    await removeModel('passing', { cache });
    expect(await listModels({ cache })).toEqual(before.filter(({ name }) => name !== 'passing'));
    await expect(removeModel('passing', { cache })).rejects.toThrow('no model "passing" was added');
    await expect(removeModel('resnet50', { cache })).rejects.toThrow('built-in');
  });

  it('are refused when the file has changed since it was added', async () => {
    const body = await tinyBytes();
    const path = join(folder, 'tiny-1.onnx');
    const entry = {
      ...entryAt({ type: 'url', url: '' }),
      source: { type: 'file', path, sha256: sha256(body) },
    } as const;
    await getModel(entry, { cache });
    await writeFile(path, await tinyBytes(60));
    await expect(getModel(entry, { cache })).rejects.toThrow(/was added with/);
    await rm(path);
    await expect(getModel(entry, { cache })).rejects.toThrow(/is not there/);
  });

  it('may be a bare file: the layer is its output, the size what it declares', async () => {
    await tinyBytes();
    const file = await getModel(await findModel(join(folder, 'tiny-1.onnx'), { cache }), { cache });
    const model = await chooseFeature(file);
    expect(model.layer).toBe('feature');
    expect(model.network.preprocessing).toMatchObject({ size: [48, 48], shorterSide: 55, mean: presets.imagenet.mean });
    expect(featureFolderName(model, undefined)).toBe('tiny-1');
    expect(featureFolderName(await chooseFeature(file, { layer: 'mean' }), 'feature')).toBe('tiny-1-mean');
  });

  it('unknown names list what there is', async () => {
    await expect(findModel('resnet5000', { cache })).rejects.toThrow(/no model "resnet5000"/);
    await expect(findModel(join(folder, 'absent.onnx'), { cache })).rejects.toThrow(/no file/);
    expect(existsSync(join(cache, 'models.json'))).toBe(false);
  });
});

describe('preprocessing', () => {
  it('is a preset or a file whose missing fields are those of imagenet', async () => {
    expect(await readPreprocessing('caffe')).toEqual(presets.caffe);
    const file = join(folder, 'own.json');
    await writeFile(file, JSON.stringify({ size: [299, 299], shorterSide: 320 }));
    expect(await readPreprocessing(file)).toEqual({ ...presets.imagenet, size: [299, 299], shorterSide: 320 });
    await writeFile(file, '[1]');
    await expect(readPreprocessing(file)).rejects.toThrow(UsageError);
    await expect(readPreprocessing('resnet')).rejects.toMatchObject({
      hint: expect.stringContaining('imagenet, tensorflow, caffe, clip, unit'),
    });
  });
});
