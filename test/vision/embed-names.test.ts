import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import '../allclose.js';
import { artefact } from '../../src/artefact.js';
import { UsageError } from '../../src/errors.js';
import { toMatrix, toStrings } from '../../src/formats/array.js';
import { readNpz } from '../../src/formats/npz.js';
import { embedNames } from '../../src/vision/embed-names.js';
import { getModel } from '../../src/vision/get-model.js';
import type { TextModelEntry } from '../../src/vision/model-entry.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { readTokenizer } from '../../src/vision/tokenizer.js';
import { temporaryFolder } from '../temporary-folder.js';
import { weight } from './keras-json.js';
import { tinyModel } from './tiny-model.js';

const length = 9;
const dimension = 6;
const vocabulary = 512 + 3 + 2;
const table = weight([vocabulary, dimension], 5).values;

const folder = temporaryFolder();
beforeAll(async () => {
  await writeFile(join(folder, 'merges.txt'), '#version: 0.2\nw r\ne n</w>\nwr en</w>\n');
  await writeFile(join(folder, 'text.onnx'), tower());
});

/** A text tower that sums a vector for each token, padding included. */
function tower(): Uint8Array {
  const builder = new OnnxBuilder();
  builder.input('input_ids', ['batch', length], 'int64');
  builder.node('Gather', [builder.floats('table', [vocabulary, dimension], table), 'input_ids'], 'looked_up');
  const axes = builder.integers('axes', [1]);
  builder.output(builder.node('ReduceSum', ['looked_up', axes], 'text_embeds', { keepdims: 0 }), ['batch', dimension]);
  return builder.finish('tower');
}

function entry(): TextModelEntry {
  return {
    name: 'tower',
    kind: 'text',
    description: 'for tests',
    source: { type: 'file', path: join(folder, 'text.onnx') },
    licence: 'MIT',
    layer: 'text_embeds',
    reduction: 'flatten',
    tokenizer: { type: 'file', path: join(folder, 'merges.txt') },
    contextLength: length,
  };
}

async function byHand(texts: string[]): Promise<number[]> {
  const tokenizer = await readTokenizer(join(folder, 'merges.txt'));
  const mean = new Array<number>(dimension).fill(0);
  for (const text of texts) {
    const sum = new Array<number>(dimension).fill(0);
    for (const token of tokenizer.encodeFixed(text, length).tokens)
      for (let j = 0; j < dimension; j++) sum[j] += table[token * dimension + j];
    const norm = Math.hypot(...sum);
    for (let j = 0; j < dimension; j++) mean[j] += sum[j] / norm;
  }
  return mean.map((value) => value / Math.hypot(...mean));
}

describe('vectors of names', { timeout: 180_000 }, () => {
  it('are the unit vectors of the texts they are put into', async () => {
    const names = ['Wren', 'crow', 'Blue Tit'];
    const vectors = await embedNames(names, await getModel(entry()), { templates: ['a {}'], batch: 2 });
    expect([vectors.rows, vectors.cols]).toEqual([3, dimension]);
    for (const [i, name] of names.entries())
      expect(vectors.row(i)).toBeAllClose(await byHand([`a ${name}`]), { tolerance: 1e-5, scale: 1 });
  });

  it('are the mean over several templates, at unit length', async () => {
    const templates = ['a {}', 'the {}, the {}', '{}'];
    const vectors = await embedNames(['Wren'], await getModel(entry()), { templates });
    const texts = ['a Wren', 'the Wren, the Wren', 'Wren'];
    expect(vectors.row(0)).toBeAllClose(await byHand(texts), { tolerance: 1e-5, scale: 1 });
    expect(Math.hypot(...vectors.row(0))).toBeCloseTo(1, 5);
  });

  it('need a template with a place for the name, and a text tower', async () => {
    await expect(embedNames(['x'], await getModel(entry()), { templates: ['a bird'] })).rejects.toThrow(UsageError);
    const image = await tinyModel(folder);
    const file = {
      ...(await getModel(entry())),
      entry: { ...entry(), kind: 'image' } as never,
      path: image.network.model,
    };
    await expect(embedNames(['x'], file)).rejects.toThrow(/is for pictures/);
  });

  it('are written by the command line, from a tower registered by the user', async () => {
    const run = (...words: string[]) =>
      promisify(execFile)(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...words], {
        env: { ...process.env, BOWERBIRD_CACHE: join(folder, 'cache') },
      });
    await run(
      'models',
      'add',
      'my-tower',
      join(folder, 'text.onnx'),
      '--tokenizer',
      join(folder, 'merges.txt'),
      '--context-length',
      String(length),
    );
    await writeFile(join(folder, 'names.txt'), 'Wren\n\nBlue Tit\n');
    const out = join(folder, 'names.npz');
    const { stdout } = await run(
      'models',
      'embed-names',
      join(folder, 'names.txt'),
      '--model',
      'my-tower',
      '--template',
      'a {}|{}',
      '--out',
      out,
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ names: 2, dimension });
    const arrays = await readNpz(out);
    expect(toStrings(arrays.get('names')!)).toEqual(['Wren', 'Blue Tit']);
    expect(toMatrix(arrays.get('vectors')!).row(1)).toBeAllClose(await byHand(['a Blue Tit', 'Blue Tit']), {
      tolerance: 1e-5,
      scale: 1,
    });
  });
});
