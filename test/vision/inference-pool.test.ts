import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { FormatError } from '../../src/errors.js';
import { ModelError } from '../../src/vision/errors.js';
import { InferencePool, planWorkers } from '../../src/vision/inference-pool.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { checkPreprocessing, presets } from '../../src/vision/preprocessing.js';
import { temporaryFolder } from '../temporary-folder.js';
import { tinyModel, tinyPreprocessing } from './tiny-model.js';

const folder = temporaryFolder();

describe('the number of networks', () => {
  const machine = (processors: number, gibibytes: number) => ({ processors, memory: gibibytes * 2 ** 30 });
  const plan = (megabytes: number, options: object, ...on: Parameters<typeof machine>) =>
    planWorkers(megabytes * 1e6, { device: 'cpu', ...options }, machine(...on));

  it('is one for each processor while they fit into a quarter of the memory', () => {
    expect(plan(94, {}, 2, 8)).toEqual({ workers: 2, threads: 1 });
    expect(plan(94, {}, 16, 64)).toEqual({ workers: 16, threads: 1 });
  });

  it('is smaller, with more threads each, for a large model, and at least one', () => {
    expect(plan(553, {}, 16, 32)).toEqual({ workers: 7, threads: 2 });
    expect(plan(5000, {}, 4, 8)).toEqual({ workers: 1, threads: 4 });
  });

  it('is one on a GPU, and what is asked for', () => {
    expect(plan(94, { device: 'cuda' }, 16, 64)).toEqual({ workers: 1, threads: 16 });
    expect(plan(94, { workers: 3 }, 8, 64)).toEqual({ workers: 3, threads: 2 });
    expect(plan(94, { workers: 3, threads: 5 }, 8, 64)).toEqual({ workers: 3, threads: 5 });
  });
});

/** y = mean over the picture of each channel, for pictures of 4 × 4, in some layout and for some batch size. */
async function meanModel(name: string, shape: (number | string)[], axes: number[], inputs: string[] = ['x']) {
  const builder = new OnnxBuilder();
  for (const input of inputs) builder.input(input, shape);
  const sum = inputs.length > 1 ? builder.node('Add', inputs, 'sum') : inputs[0];
  builder.output(builder.node('ReduceMean', [sum], 'y', { axes, keepdims: 0 }), [shape[0], 3]);
  const path = join(folder, `${name}.onnx`);
  await writeFile(path, builder.finish(name));
  return path;
}

const small = checkPreprocessing({ ...presets.unit, size: [4, 4], shorterSide: 4, scale: 1 });
const base = { reduction: 'flatten', preprocessing: small, device: 'cpu', workers: 1 } as const;

/** Pictures whose channels are all i, i + 1, i + 2. */
function pixels(count: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: count * 48 }, (_, i) => Math.floor(i / 48) + (i % 3));
}

describe('networks of all kinds', () => {
  it.each<[string, (number | string)[], number[]]>([
    ['channels first', ['batch', 3, 4, 4], [2, 3]],
    ['channels last', ['batch', 4, 4, 3], [1, 2]],
    ['sizes left open', ['batch', 3, 'height', 'width'], [2, 3]],
    ['one picture at a time', [1, 3, 4, 4], [2, 3]],
    ['four pictures at a time', [4, 3, 4, 4], [2, 3]],
  ])('take pictures: %s', async (name, shape, axes) => {
    const pool = await InferencePool.open({ ...base, model: await meanModel(name, shape, axes) }, 1000);
    expect(pool.dimension).toBe(3);
    const { features } = await pool.run(pixels(6), 6);
    expect([...features]).toEqual([0, 1, 2, 3, 4, 5].flatMap((i) => [i, i + 1, i + 2]));
    await pool.close();
  });

  it('give all of a tensor with positions, its mean, or its first token', async () => {
    const builder = new OnnxBuilder();
    builder.input('x', ['batch', 3, 4, 4]);
    builder.output(builder.node('Reshape', ['x', builder.integers('shape', [-1, 3, 16])], 'tokens'), ['batch', 3, 16]);
    const model = join(folder, 'tokens.onnx');
    await writeFile(model, builder.finish('tokens'));
    const expected = {
      flatten: [7, 8, 9].flatMap((value) => Array(16).fill(value)),
      mean: Array(16).fill(8),
      first: Array(16).fill(7),
    };
    for (const reduction of ['flatten', 'mean', 'first'] as const) {
      const pool = await InferencePool.open({ ...base, model, reduction }, 1000);
      const { features } = await pool.run(pixels(8).slice(7 * 48), 1);
      expect([...features]).toEqual(expected[reduction]);
      await pool.close();
    }
  });

  it('may work in half precision', async () => {
    const builder = new OnnxBuilder();
    builder.input('x', ['batch', 3, 4, 4], 'float16');
    builder.output(builder.node('ReduceMean', ['x'], 'y', { axes: [2, 3], keepdims: 0 }), ['batch', 3], 'float16');
    const model = join(folder, 'half.onnx');
    await writeFile(model, builder.finish('half'));
    const preprocessing = { ...small, scale: 0.5, mean: [0, 0, 1] as const };
    const pool = await InferencePool.open({ ...base, model, preprocessing }, 1000);
    expect([...(await pool.run(pixels(6).slice(5 * 48), 1)).features]).toEqual([2.5, 3, 2.5]);
    await pool.close();
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['another size', () => meanModel('size', ['batch', 3, 8, 8], [2, 3]), /makes 3×4×4/],
    ['two inputs', () => meanModel('two', ['batch', 3, 4, 4], [2, 3], ['a', 'b']), /takes 2 inputs/],
    ['no pictures', () => meanModel('flat', ['batch', 3], [1]), /expected pictures/],
    ['nothing there', async () => join(folder, 'absent.onnx'), /cannot be read/],
    [
      'the batch averaged away',
      () => meanModel('mixed', ['batch', 3, 4, 4], [0, 2, 3]),
      /first axis must be the pictures/,
    ],
  ])('are refused with a reason: %s', async (_, model, message) => {
    const error = await InferencePool.open({ ...base, model: await model() }, 1000).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect((error as Error).message).toMatch(message);
  });

  it('that are no models are refused', async () => {
    const model = join(folder, 'words.onnx');
    await writeFile(model, 'these are words');
    const attempt = InferencePool.open({ ...base, model }, 1000);
    await expect(attempt).rejects.toMatchObject({ code: new FormatError('', undefined, '').code });
  });

  it('that the runtime refuses end in an error, never in an aborted process', async () => {
    const builder = new OnnxBuilder();
    builder.input('x', ['batch', 3, 4, 4]);
    builder.output(builder.node('NoSuchOperator', ['x'], 'y', {}), ['batch', 3]);
    const model = join(folder, 'refused.onnx');
    await writeFile(model, builder.finish('refused'));
    const options = { ...base, model, workers: 4 };
    // In a process of its own, several times: threads that are ended inside the runtime abort about every other one.
    const script = `
      const { InferencePool } = await import(${JSON.stringify(artefact('vision/inference-pool.js').href)});
      await InferencePool.open(${JSON.stringify(options)}, 1000).catch((error) => console.log(error.code));`;
    for (let attempt = 0; attempt < 8; attempt++) {
      const words = ['--input-type=module', '-e', script];
      const { status, signal, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
      expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: 'BOWERBIRD_MODEL\n' });
    }
  });

  it('work in any number, and each batch gets its own answer', async () => {
    const { network, layer } = await tinyModel(folder);
    const pool = await InferencePool.open({ ...network, layer, device: 'cpu', workers: 3, threads: 1 }, 1000);
    const picture = (seed: number) =>
      Uint8Array.from(
        { length: tinyPreprocessing.size[0] * tinyPreprocessing.size[1] * 3 },
        (_, i) => (i * seed) % 251,
      );
    const alone = [];
    for (let seed = 1; seed <= 12; seed++) alone.push([...(await pool.run(picture(seed), 1)).features]);
    const together = await Promise.all(Array.from({ length: 12 }, (_, i) => pool.run(picture(i + 1), 1)));
    expect(together.map(({ features }) => [...features])).toEqual(alone);
    await pool.close();
    await expect(pool.run(picture(1), 1)).rejects.toThrow(/ended/);
  });
});
