/** Models by their address on a hub, against a server that answers as the hub of Hugging Face does. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseHubAddress } from '../../src/vision/hub/address.js';
import { fromPreprocessorConfig, fromTimmConfig } from '../../src/vision/hub/preprocessing.js';
import { chooseFeature, findModel, getModel, type ImageModelEntry, pictureFeatures } from '../../src/vision/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { drawPicture } from '../workspace/world.js';
import { tinyModel } from './tiny-model.js';

const folder = temporaryFolder();
const commit = 'c2bb04a51fab207c420665f1946016107bffc701';
/** As Xenova/dinov2-small has it. */
const preprocessor = {
  crop_size: { height: 48, width: 48 },
  do_center_crop: true,
  do_normalize: true,
  do_rescale: true,
  do_resize: true,
  image_mean: [0.485, 0.456, 0.406],
  image_std: [0.229, 0.224, 0.225],
  resample: 3,
  rescale_factor: 0.00392156862745098,
  size: { shortest_edge: 56 },
};
const files = new Map<string, Buffer>();
let hub: Server;
let store: Server;
let asked: { path: string; authorization?: string; host: 'hub' | 'store' }[] = [];
let storeAddress: string;
let spoil = false;

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const gitHash = (content: Buffer) =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

beforeAll(async () => {
  const { network } = await tinyModel(folder);
  files.set('onnx/model.onnx', readFileSync(network.model));
  files.set('config.json', Buffer.from(JSON.stringify({ model_type: 'unheard-of' })));
  files.set('preprocessor_config.json', Buffer.from(JSON.stringify(preprocessor)));
  files.set('README.md', Buffer.from('a card'));
  store = createServer((request, response) => {
    asked.push({ path: request.url!, authorization: request.headers.authorization, host: 'store' });
    const content = [...files.values()].find((one) => `/${sha256(one)}` === request.url);
    response.writeHead(content ? 200 : 404).end(spoil ? Buffer.from('something else') : content);
  });
  storeAddress = await listening(store);
  hub = createServer((request, response) => {
    asked.push({ path: `${request.method} ${request.url}`, authorization: request.headers.authorization, host: 'hub' });
    const { status, headers, body } = answer(request);
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  });
  vi.stubEnv('HF_ENDPOINT', await listening(hub));
  vi.stubEnv('HF_TOKEN', 'hf_secret');
  vi.stubEnv('HF_HUB_CACHE', '');
});
afterAll(() => {
  vi.unstubAllEnvs();
  hub.close();
  store.close();
});
afterEach(() => {
  asked = [];
  spoil = false;
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The hub: a list by revision, small files at once, large ones by a redirect that states their hash. */
function answer({ url = '' }: IncomingMessage): { status: number; headers?: Record<string, string>; body?: Buffer } {
  if (/^\/api\/models\/timm\/tiny\/revision\/main$/.test(url))
    return {
      status: 200,
      body: Buffer.from(JSON.stringify({ sha: commit, siblings: [{ rfilename: 'model.safetensors' }] })),
    };
  if (/^\/api\/models\/owner\/tiny\/revision\/(main|v1)$/.test(url)) {
    const siblings = [...files.keys()].map((rfilename) => ({ rfilename }));
    return {
      status: 200,
      body: Buffer.from(JSON.stringify({ sha: commit, siblings, cardData: { license: 'apache-2.0' } })),
    };
  }
  if (url.startsWith('/api/models/owner/gated/')) return { status: 401, headers: { 'x-error-code': 'GatedRepo' } };
  const content = files.get(url.replace(`/owner/tiny/resolve/${commit}/`, ''));
  if (!content) return { status: 404, headers: { 'x-error-code': 'RepoNotFound' } };
  if (!url.endsWith('.onnx'))
    return { status: 200, headers: { etag: `W/"${gitHash(content)}"`, 'x-repo-commit': commit }, body: content };
  const headers = {
    location: `${storeAddress}/${sha256(content)}`,
    'x-linked-etag': `"${sha256(content)}"`,
    'x-repo-commit': commit,
  };
  return { status: 302, headers };
}

const home = (name: string) => {
  vi.stubEnv('HF_HOME', join(folder, name));
  return join(folder, name, 'hub', 'models--owner--tiny');
};

describe('a model by its address', () => {
  it('is fetched into the cache that others use, with its own preprocessing, and gives features', async () => {
    const cache = home('one');
    const entry = (await findModel('hf:owner/tiny')) as ImageModelEntry;
    expect(entry).toMatchObject({ kind: 'image', name: 'owner--tiny', licence: 'apache-2.0' });
    expect(entry.preprocessing).toMatchObject({ size: [48, 48], resize: 'crop', shorterSide: 56, kernel: 'cubic' });
    expect(asked.some(({ host }) => host === 'store')).toBe(false);
    const file = await getModel(entry);
    expect(readFileSync(join(cache, 'refs', 'main'), 'utf8')).toBe(commit);
    const link = join(cache, 'snapshots', commit, 'onnx', 'model.onnx');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readlinkSync(link)).toBe(`../../../blobs/${file.sha256}`);
    expect(readdirSync(join(cache, 'blobs')).sort()).toEqual(
      [file.sha256, gitHash(files.get('config.json')!), gitHash(files.get('preprocessor_config.json')!)].sort(),
    );
    const model = await chooseFeature(file, { layer: 'feature' });
    expect(model.source).toBe(`hf:owner/tiny@${commit}/onnx/model.onnx`);
    const picture = { id: 'a', path: 'a.png', content: await drawPicture('blue finch', 1) };
    expect((await pictureFeatures([picture], model, {})).features.cols).toBe(24);
  });

  it('sends the token to the hub and not to the store', async () => {
    home('two');
    await getModel(await findModel('hf:owner/tiny@v1/onnx/model.onnx'));
    const to = (host: string) =>
      new Set(asked.filter((one) => one.host === host).map(({ authorization }) => authorization));
    expect([to('hub'), to('store')]).toEqual([new Set(['Bearer hf_secret']), new Set([undefined])]);
  });

  it('is used from the cache when the hub is away, or must not be asked', async () => {
    home('one');
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    await getModel(await findModel('hf:owner/tiny'));
    await expect(findModel('hf:owner/other')).rejects.toThrow(/not in the cache/);
    expect(asked).toEqual([]);
    vi.stubEnv('HF_HUB_OFFLINE', '');
    const endpoint = process.env.HF_ENDPOINT!;
    vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:9');
    await getModel(await findModel('hf:owner/tiny'));
    await expect(findModel('hf:owner/other')).rejects.toThrow(/cannot be reached/);
    vi.stubEnv('HF_ENDPOINT', endpoint);
  });

  it('is refused where its content is not what the hub states, now or later', async () => {
    const cache = home('three');
    spoil = true;
    const entry = await findModel('hf:owner/tiny');
    await expect(getModel(entry)).rejects.toThrow(/expected/);
    expect(existsSync(join(cache, 'snapshots', commit, 'onnx', 'model.onnx'))).toBe(false);
    spoil = false;
    const { path, sha256: own } = await getModel(entry);
    writeFileSync(join(cache, 'blobs', own), 'changed');
    await expect(getModel(entry)).rejects.toThrow(/is damaged/);
    expect(path).toContain('snapshots');
  });

  it('says what is missing: consent, a repository, an ONNX file', async () => {
    home('four');
    await expect(findModel('hf:owner/gated')).rejects.toThrow(/401 GatedRepo/);
    await expect(findModel('hf:owner/none')).rejects.toThrow(/404 RepoNotFound/);
    await expect(findModel('hf:owner/tiny/onnx/model_fp16.onnx')).rejects.toThrow(/has no onnx\/model_fp16\.onnx/);
    await expect(findModel('timm:tiny')).rejects.toMatchObject({
      message: expect.stringMatching(/hf:timm\/tiny has no ONNX/),
      hint: expect.stringMatching(/Export it/),
    });
  });
});

describe('addresses', () => {
  it('name repository, revision and file', () => {
    expect(parseHubAddress('hf:a/b')).toEqual({ repository: 'a/b', revision: 'main' });
    expect(parseHubAddress('hf:a/b.c@v2/onnx/m.onnx')).toEqual({
      repository: 'a/b.c',
      revision: 'v2',
      file: 'onnx/m.onnx',
    });
    expect(parseHubAddress('timm:resnet50.a1_in1k').repository).toBe('timm/resnet50.a1_in1k');
    expect(parseHubAddress('siglip-base-text').file).toBe('onnx/text_model.onnx');
    for (const bad of ['hf:a', 'hf:a/b/../../c.onnx', 'hf:../b', 'hf:a/b@../x', 'hf:a/b/c//d', 'hf:a/b/c\\d'])
      expect(() => parseHubAddress(bad), bad).toThrow(/is no address of a model/);
  });
});

describe('preprocessing as it comes', () => {
  it('is read from preprocessor_config.json of several families, and from timm', () => {
    const clip = {
      crop_size: 224,
      do_center_crop: true,
      size: 224,
      resample: 3,
      image_mean: [0.48, 0.45, 0.4],
      image_std: [0.26, 0.26, 0.27],
    };
    expect(fromPreprocessorConfig(clip, 'clip')).toMatchObject({
      size: [224, 224],
      resize: 'crop',
      shorterSide: 224,
      kernel: 'cubic',
      mean: [0.48, 0.45, 0.4],
    });
    const siglip = { size: { height: 224, width: 224 }, resample: 3, rescale_factor: 1 / 255 };
    expect(fromPreprocessorConfig(siglip, 'siglip')).toMatchObject({
      size: [224, 224],
      resize: 'stretch',
      mean: [0.5, 0.5, 0.5],
    });
    const convnext = {
      size: { shortest_edge: 224 },
      crop_pct: 0.875,
      resample: 2,
      do_normalize: false,
      do_rescale: false,
    };
    expect(fromPreprocessorConfig(convnext, 'convnext')).toMatchObject({
      size: [224, 224],
      resize: 'crop',
      shorterSide: 256,
      scale: 1,
      mean: [0, 0, 0],
    });
    expect(() => fromPreprocessorConfig({}, 'x')).toThrow(/states no size/);
    const timm = {
      input_size: [3, 224, 224],
      crop_pct: 0.95,
      interpolation: 'bicubic',
      mean: [0.5, 0.5, 0.5],
      std: [0.5, 0.5, 0.5],
    };
    expect(fromTimmConfig(timm, 'timm')).toMatchObject({
      size: [224, 224],
      shorterSide: 235,
      kernel: 'cubic',
      deviation: [0.5, 0.5, 0.5],
    });
  });
});
