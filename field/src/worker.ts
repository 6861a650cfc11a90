/** The worker: pictures in, answers out, one after the other, so that the page never waits. */
import { type Engine, startEngine } from './engine.js';
import type { Answer, Candidate, Reply, Request, Trouble } from './messages.js';
import { GalleryFeatures } from './nearest.js';
import { decodeInBrowser } from './other-formats.js';
import { PictureError } from './pictures/errors.js';
import { preparePixels } from './pictures/prepare.js';
import type { Site } from './site.js';

const nearestShown = 6;

let site: Site;
let engine: Engine;
let gallery: GalleryFeatures | undefined;
let turn: Promise<void> = Promise.resolve();

const reply = (message: Reply) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<Request>) => {
  turn = turn.then(() => (data.kind === 'start' ? start(data) : classify(data.id, data.picture)));
};

async function start({ base, wish, site: description }: Extract<Request, { kind: 'start' }>): Promise<void> {
  site = description;
  try {
    const rows = site.galleryFeatures;
    const [started, features] = await Promise.all([
      startEngine(base, site, wish, (progress) => reply({ kind: 'progress', ...progress })),
      rows && fetch(new URL(rows.path, base)).then((answer) => answer.arrayBuffer()),
    ]);
    engine = started;
    if (rows && features) gallery = new GalleryFeatures(new Int8Array(features), rows.columns);
    const { kind, threads, kept } = engine;
    reply({ kind: 'ready', engine: { kind, threads }, kept });
  } catch (error) {
    reply({ kind: 'failed', problem: (error as Error).message });
  }
}

async function classify(id: number, picture: Blob): Promise<void> {
  try {
    const begun = performance.now();
    const bytes = new Uint8Array(await picture.arrayBuffer());
    const pixels = await preparePixels(bytes, site.preprocessing, decodeInBrowser);
    const prepared = performance.now();
    const outputs = await run(pixels);
    const milliseconds = { pixels: prepared - begun, network: performance.now() - prepared };
    reply({ kind: 'answer', id, answer: { ...outputs, milliseconds }, thumbnail: await thumbnail(pixels) });
  } catch (error) {
    reply({ kind: 'trouble', id, trouble: troubleOf(error), message: (error as Error).message });
  }
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof PictureError) return error.trouble;
  return error instanceof RangeError || (error as Error).name === 'NotReadableError' ? 'memory' : 'unknown';
}

async function run(pixels: Uint8ClampedArray): Promise<Omit<Answer, 'milliseconds'>> {
  const { runtime, session } = engine;
  const [height, width] = site.preprocessing.size;
  const input = new runtime.Tensor('float32', Float32Array.from(pixels), [1, height, width, 3]);
  const outputs = await session.run({ pixels: input });
  const values = (name: string) => outputs[name]?.data as Float32Array | undefined;
  const [scores, confidences, unlisted, features] = ['scores', 'confidences', 'unlisted', 'features'].map(values);
  const candidates = site.categories
    .map(
      (category, c): Candidate => ({ category, score: scores![c], ...(confidences && { confidence: confidences[c] }) }),
    )
    .sort((a, b) => b.score - a.score);
  const near = (set: 'web' | 'auxiliary') =>
    gallery?.nearest(features!, nearestShown, (i) => site.gallery[i].set === set) ?? [];
  return {
    candidates,
    ...(unlisted && { unlisted: unlisted[0] }),
    nearest: { web: near('web'), auxiliary: near('auxiliary') },
  };
}

/** What the network saw, small. */
async function thumbnail(pixels: Uint8ClampedArray): Promise<Blob> {
  const [height, width] = site.preprocessing.size;
  const picture = new ImageData(width, height);
  for (let from = 0, to = 0; from < pixels.length; from += 3, to += 4) {
    picture.data.set(pixels.subarray(from, from + 3), to);
    picture.data[to + 3] = 255;
  }
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')!.putImageData(picture, 0, 0);
  return canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
}
