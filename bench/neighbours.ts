/**
 * The nearest among very many pictures by landmarks, against every pair compared: seconds, and the share of the nearest that is
 * found. Options: `--pictures N`, `--dimensions N`, `--threads N`, `--noise X` (how far pictures lie from their category), `--write`.
 */
import { parseArgs } from 'node:util';
import { createBackend, type Matrix } from '../src/linalg/index.js';
import { nearbyRows } from '../src/methods/bowerbird/nearby.js';
import { generateProblem } from '../src/problem/index.js';
import { markdownTable, writeSection } from './shared/document.js';

const perCategory = 50;
const count = 10;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pictures: { type: 'string', default: '60000' },
      dimensions: { type: 'string', default: '256' },
      threads: { type: 'string', default: '1' },
      noise: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const [pictures, dimensions, noise] = [values.pictures, values.dimensions, values.noise].map(Number);
  const { testFeatures: rows } = generateProblem({
    ...{ auxiliaryCategories: 2, auxiliaryPerCategory: 2, webPerCategory: 1, text: false, validation: false },
    ...{ testCategories: Math.ceil(pictures / perCategory), testPerCategory: perCategory, dimensions, noise },
    dtype: 'float32',
  });
  const backend = await createBackend({ threads: Number(values.threads) });
  const squares = new Float32Array(rows.rows);
  backend.rowDots(squares, rows, rows);
  const squaredLengths = Float64Array.from(squares);
  const ways: [string, (nearest: Int32Array, cosines: Float64Array) => void][] = [
    ['every pair', (...to) => backend.nearestRows(...to, rows, squaredLengths)],
    ['landmarks', (...to) => nearbyRows(backend, ...to, { rows, squaredLengths })],
  ];
  const found = ways.map(([name, find]) => ({ name, ...timed(rows, find) }));
  const table = markdownTable(
    ['', 'seconds', 'of processor', 'found, %'],
    found.map(({ name, seconds, processor, nearest }) => [
      name,
      seconds.toFixed(1),
      processor.toFixed(1),
      (100 * share(nearest, found[0].nearest)).toFixed(1),
    ]),
  );
  const what = `${rows.rows} generated pictures of ${dimensions} dimensions, noise ${noise}, the ${count} nearest of each; ${backend.device}, ${backend.threads} thread(s)`;
  console.log(`${what}\n\n${table}`);
  if (values.write) writeSection('neighbours', `${what}.\n\n${table}`);
  backend.dispose();
}

function timed(rows: Matrix, find: (nearest: Int32Array, cosines: Float64Array) => void) {
  const nearest = new Int32Array(rows.rows * count);
  const [begun, before] = [performance.now(), process.cpuUsage()];
  find(nearest, new Float64Array(nearest.length));
  const { user, system } = process.cpuUsage(before);
  return { nearest, seconds: (performance.now() - begun) / 1000, processor: (user + system) / 1e6 };
}

/** Part of the true nearest pictures that is among those found. */
function share(nearest: Int32Array, truth: Int32Array): number {
  let hits = 0;
  for (let start = 0; start < truth.length; start += count) {
    const own = new Set(truth.subarray(start, start + count));
    for (let k = start; k < start + count; k++) if (own.has(nearest[k])) hits++;
  }
  return hits / truth.length;
}
