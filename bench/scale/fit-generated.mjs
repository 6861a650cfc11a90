// One fit of the default method to more pictures than one thread generates or a file holds in good time: generates them on all
// cores, fits, and prints a line of JSON; `seconds` include `upload`. `node bench/scale/fit-generated.mjs AUXILIARY TEST WEB-PER-CATEGORY TEST-PER-CATEGORY DEVICE [THREADS [ANSWERS.json]]`.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createBackend, Matrix, Random } from 'bowerbird/linalg';
import { Bowerbird } from 'bowerbird/methods';
import { cleanPictures, generateWorld, webPictures } from '../../dist/problem/generate-pictures.js';
import { scaleToUnitLength } from '../../dist/problem/normalize.js';

const dimensions = 1024;
const auxiliaryPerCategory = 100;
/** Categories that one task generates. */
const atOnce = 20;

if (isMainThread) await main();
else generate(workerData);

function settingsOf([auxiliaryCategories, testCategories, webPerCategory, testPerCategory]) {
  return {
    ...{
      seed: 1,
      auxiliaryCategories,
      testCategories,
      webPerCategory,
      testPerCategory,
      auxiliaryPerCategory,
      dimensions,
    },
    ...{ semanticDimensions: 100, wrong: 0.3, noise: 6, offset: 0.3, shift: 0.3, text: false, dtype: 'float32' },
  };
}

async function main() {
  const [auxiliary, test, web, perTest] = process.argv.slice(2, 6).map(Number);
  const [device = 'cuda', threads, answers] = process.argv.slice(6);
  const settings = settingsOf([auxiliary, test, web, perTest]);
  const seconds = clock();
  const room = (rows) => new Float32Array(new SharedArrayBuffer(rows * dimensions * 4));
  const arrays = {
    auxiliary: room(auxiliary * auxiliaryPerCategory),
    web: room(test * web),
    test: room(test * perTest),
  };
  const next = new Int32Array(new SharedArrayBuffer(4));
  await Promise.all(
    Array.from({ length: availableParallelism() }, () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: { settings, arrays, next } });
      return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    }),
  );
  const world = generateWorld(settings);
  const labels = (categories, each) => Int32Array.from({ length: categories * each }, (_, i) => Math.floor(i / each));
  const matrix = (data) => new Matrix(data, data.length / dimensions, dimensions);
  const problem = {
    ...{ auxiliaryFeatures: matrix(arrays.auxiliary), auxiliaryLabels: labels(auxiliary, auxiliaryPerCategory) },
    ...{ webFeatures: matrix(arrays.web), webLabels: labels(test, web) },
    ...{ testFeatures: matrix(arrays.test), testLabels: labels(test, perTest), generalized: false },
    auxiliarySemantics: world.semantics.view(0, auxiliary),
    testSemantics: world.semantics.view(auxiliary, auxiliary + test),
    ...{ auxiliaryNames: world.names.slice(0, auxiliary), testNames: world.names.slice(auxiliary) },
  };
  const generated = seconds();
  const backend = await createBackend({ device, ...(threads && { threads: Number(threads) }) });
  const upload = device === 'cuda' ? secondsToUpload(backend, problem) : undefined;
  const fitting = clock();
  const method = new Bowerbird();
  const rounds = [];
  await method.fit(problem, {
    backend,
    onProgress: ({ done, detail }) => {
      rounds.push(fitting());
      console.error(`${fitting().toFixed(1)} s: round ${done}, ${detail}`);
    },
  });
  const predictions = method.predict(problem.testFeatures);
  const right = predictions.reduce((sum, answer, j) => sum + Number(answer === problem.testLabels[j]), 0);
  const measured = {
    ...{
      seconds: fitting(),
      upload,
      generated,
      accuracy: right / predictions.length,
      rounds: method.details().iterations,
    },
    peak: Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024,
  };
  if (answers) writeFileSync(answers, JSON.stringify([...predictions]));
  console.log(JSON.stringify(measured));
  backend.dispose();
}

/** What bringing all pictures to the GPU takes, which a fit does once, and which its seconds include. */
function secondsToUpload(backend, { auxiliaryFeatures, webFeatures, testFeatures }) {
  const seconds = clock();
  for (const features of [auxiliaryFeatures, webFeatures, testFeatures]) {
    const there = backend.matrix(features.rows, features.cols, 'float32');
    backend.copy(there, features);
    backend.release(there);
  }
  return seconds();
}

function clock() {
  const begun = performance.now();
  return () => (performance.now() - begun) / 1000;
}

/** Takes some categories at a time until all are done. */
function generate({ settings, arrays, next }) {
  const { auxiliaryCategories: auxiliary, testCategories, webPerCategory, testPerCategory } = settings;
  const world = generateWorld(settings);
  const others = Array.from({ length: auxiliary }, (_, c) => c);
  const tasks = Math.ceil((auxiliary + testCategories) / atOnce);
  for (let task = Atomics.add(next, 0, 1); task < tasks; task = Atomics.add(next, 0, 1)) {
    const [first, end] = [task * atOnce, Math.min(auxiliary + testCategories, (task + 1) * atOnce)];
    const known = Math.min(end, Math.max(first, auxiliary));
    const put = (into, features, row) => {
      scaleToUnitLength('generated', features);
      into.set(features.data, row * dimensions);
    };
    if (first < known)
      put(
        arrays.auxiliary,
        cleanPictures(world, first, known, auxiliaryPerCategory, new Random(1, 1000 + task)).features,
        first * auxiliaryPerCategory,
      );
    if (known === end) continue;
    const clean = cleanPictures(world, known, end, testPerCategory, new Random(1, 1_000_000 + task));
    put(arrays.test, clean.features, (known - auxiliary) * testPerCategory);
    const searched = Array.from({ length: end - known }, (_, k) => known + k);
    const found = webPictures(world, searched, others, new Random(1, 2_000_000 + task));
    put(arrays.web, found.features, (known - auxiliary) * webPerCategory);
  }
  parentPort.postMessage('done');
}
