/**
 * Pictures a second, from files to features on disk, against bare onnxruntime inference on tensors that are ready.
 *
 * Both sides take turns in one process, and the bare side is the quicker of two arrangements: one session with a thread
 * for each processor, as onnxruntime does by itself, and one session for each processor. Wall-clock rates mean something
 * on a quiet machine only; processor time for each picture is given beside them. Pictures with categories also give
 * leave-one-out 1-NN. Options: `--model A,B`, `--pictures FOLDER`, `--rounds N`, `--batch N`, `--write` (into
 * docs/benchmarks.md).
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import sharp from 'sharp';
import {
  chooseFeature,
  extractFeatures,
  type FeatureModel,
  findModel,
  getModel,
  loadFeatures,
  openPictures,
  type PictureSource,
} from '../src/vision/index.js';
import { exposeTensor } from '../src/vision/onnx/expose.js';
import { readGraph } from '../src/vision/onnx/graph.js';
import { markdownTable, writeSection } from './shared/document.js';
import { ownMilliseconds } from './shared/processor-time.js';
import { oneNearestNeighbour } from './vision/one-nearest-neighbour.js';

const processors = availableParallelism();
const birds = '../shared/data/birds-mini/auxiliary';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', default: 'resnet50,mobilenet-v2-0.35' },
      pictures: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      batch: { type: 'string', default: '8' },
      write: { type: 'boolean', default: false },
    },
  });
  const loadBefore = loadavg()[0];
  const folder = await mkdtemp(join(tmpdir(), 'bowerbird-bench-vision-'));
  const rows: string[][] = [];
  try {
    const pictures = values.pictures ?? (existsSync(birds) ? birds : await madeUpPictures(join(folder, 'pictures')));
    for (const name of values.model.split(',')) {
      const model = await chooseFeature(await getModel(await findModel(name)));
      rows.push(await compare(model, pictures, folder, Number(values.rounds), Number(values.batch)));
    }
    const text = [
      `${cpus()[0].model.trim()}, ${processors} cores, Node ${process.versions.node}; pictures of ${pictures}, batches of ${values.batch}; median of ${values.rounds} rounds that take turns; load average ${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after.`,
      '',
      markdownTable(
        [
          'model',
          'bare, pictures/s',
          'end to end, pictures/s',
          'ratio',
          'bare, ms of processor',
          'end to end',
          'ratio',
          '1-NN',
        ],
        rows,
      ),
    ].join('\n');
    console.log(text);
    if (values.write) writeSection('vision', text);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Pictures a second by the clock, and milliseconds of processor time for each. */
interface Rate {
  wall: number;
  processor: number;
}

async function compare(model: FeatureModel, pictures: string, folder: string, rounds: number, batch: number) {
  const source = await openPictures(pictures);
  const cut = join(folder, 'cut.onnx');
  const graph = readGraph({ bytes: await readFile(model.network.model), file: model.network.model });
  await writeFile(cut, await exposeTensor(graph, model.layer));
  const arrangements = [
    { workers: 1, threads: processors, spinning: true },
    { workers: processors, threads: 1, spinning: false },
  ];
  const out = join(folder, 'features');
  const trials: { bare: Rate; whole: Rate }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const bare: Rate[] = [];
    for (const arrangement of arrangements) bare.push(await bareRate(cut, model, batch, source.count, arrangement));
    const whole = await wholeRate(source, model, out, batch);
    const best: Rate = {
      wall: Math.max(...bare.map((rate) => rate.wall)),
      processor: Math.min(...bare.map((rate) => rate.processor)),
    };
    trials.push({ bare: best, whole });
    const each = bare.map(
      ({ wall }, i) => `${arrangements[i].workers} × ${arrangements[i].threads}: ${wall.toFixed(1)}`,
    );
    console.error(
      `${model.name}, round ${round}: bare ${each.join(', ')}; end to end ${whole.wall.toFixed(1)} pictures/s`,
    );
  }
  const middle = (value: (trial: (typeof trials)[number]) => number) =>
    trials.map(value).sort((a, b) => a - b)[Math.floor(trials.length / 2)];
  const { features, categories } = await loadFeatures(out);
  const accuracy =
    new Set(categories).size > 1 ? `${(100 * oneNearestNeighbour(features, categories)).toFixed(1)} %` : '';
  return [
    model.name,
    middle(({ bare }) => bare.wall).toFixed(1),
    middle(({ whole }) => whole.wall).toFixed(1),
    middle(({ bare, whole }) => whole.wall / bare.wall).toFixed(2),
    middle(({ bare }) => bare.processor).toFixed(1),
    middle(({ whole }) => whole.processor).toFixed(1),
    middle(({ bare, whole }) => bare.processor / whole.processor).toFixed(2),
    accuracy,
  ];
}

/** Processor time is that of all pictures less that of a few, so that loading the networks drops out. */
async function wholeRate(source: PictureSource, model: FeatureModel, out: string, batch: number): Promise<Rate> {
  const few = Math.min(64, source.count >> 1);
  async function* first() {
    let left = few;
    for await (const picture of source.pictures()) if (left-- > 0) yield picture;
  }
  const start = ownMilliseconds();
  await extractFeatures({ ...source, count: few, pictures: first }, model, out, { batch, fresh: true });
  const middle = ownMilliseconds();
  const { picturesPerSecond } = await extractFeatures(source, model, out, { batch, fresh: true });
  const marginal = ownMilliseconds() - middle - (middle - start);
  return { wall: picturesPerSecond, processor: marginal / (source.count - few) };
}

interface Arrangement {
  workers: number;
  threads: number;
  /** Onnxruntime's own setting, which is quicker when nothing else wants the processors. */
  spinning: boolean;
}

async function bareRate(
  cut: string,
  model: FeatureModel,
  batch: number,
  count: number,
  arrangement: Arrangement,
): Promise<Rate> {
  const { workers, threads, spinning } = arrangement;
  const settings = { extra: { session: { intra_op: { allow_spinning: '0' } } } };
  const shape = [batch, 3, ...model.network.preprocessing.size];
  const team = Array.from(
    { length: workers },
    () =>
      new Worker(new URL('./vision/bare-worker.mjs', import.meta.url), {
        workerData: { model: cut, shape, threads, spinning, settings },
      }),
  );
  const answers = () => Promise.all(team.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
  await answers();
  const batches = Math.ceil(count / batch / workers);
  const before = ownMilliseconds();
  const begun = performance.now();
  const done = answers();
  for (const worker of team) worker.postMessage(batches);
  await done;
  const seconds = (performance.now() - begun) / 1000;
  const processor = (ownMilliseconds() - before) / (batches * workers * batch);
  const ended = Promise.all(team.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
  for (const worker of team) worker.postMessage(0);
  await ended;
  return { wall: (batches * workers * batch) / seconds, processor };
}

/** Where there are no photographs: 400 pictures of 500 × 375 with detail on every scale, as JPEG. */
async function madeUpPictures(folder: string): Promise<string> {
  await mkdir(join(folder, 'all'), { recursive: true });
  const [width, height] = [500, 375];
  for (let i = 0; i < 400; i++) {
    const data = Buffer.alloc(width * height * 3);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        for (let c = 0; c < 3; c++) {
          const value = Math.sin(x / (5 + (i % 40)) + c) + Math.cos(y / 11 + i) + Math.sin((x * y) / (300 + i)) / 2;
          data[(y * width + x) * 3 + c] = 128 + 48 * value;
        }
    await sharp(data, { raw: { width, height, channels: 3 } })
      .jpeg()
      .toFile(join(folder, 'all', `${i}.jpg`));
  }
  return folder;
}
