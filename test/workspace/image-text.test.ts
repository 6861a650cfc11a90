/** An image-text model in a workspace: its two towers, zero-shot answers in run, compare and report, and evidence for the default method. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readProblem } from '../../src/problem/index.js';
import { addModel, type ImageModelEntry } from '../../src/vision/index.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { openWorkspace, runWorkspace, type WrittenConfiguration } from '../../src/workspace/index.js';
import { weight } from '../vision/keras-json.js';
import { tinyDimension, tinyPreprocessing } from '../vision/tiny-model.js';
import { makeWorld, type World, writeConfiguration } from './world.js';

const length = 12;
const vocabulary = 512 + 2 + 2;

/** Sums a vector for each token. */
function textTower(): Uint8Array {
  const builder = new OnnxBuilder();
  builder.input('input_ids', ['batch', length], 'int64');
  const table = builder.floats('table', [vocabulary, tinyDimension], weight([vocabulary, tinyDimension], 5).values);
  builder.node('Gather', [table, 'input_ids'], 'looked_up');
  const sum = builder.node('ReduceSum', ['looked_up', builder.integers('axes', [1])], 'text_embeds', { keepdims: 0 });
  builder.output(sum, ['batch', tinyDimension]);
  return builder.finish('tower');
}

let world: World;
beforeAll(async () => {
  world = await makeWorld({ auxiliary: 4, test: 3, web: 4, validation: false });
  vi.stubEnv('BOWERBIRD_CACHE', world.path('cache'));
  const common = { description: 'for tests', licence: 'MIT', reduction: 'flatten', space: 'tiny' } as const;
  const image: ImageModelEntry = {
    ...common,
    name: 'tiny-image',
    kind: 'image',
    source: { type: 'file', path: world.path(world.configuration.model as string) },
    layer: 'feature',
    preprocessing: tinyPreprocessing,
  };
  await addModel(image);
  writeFileSync(world.path('text.onnx'), textTower());
  writeFileSync(world.path('merges.txt'), '#version: 0.2\nw r\ne n</w>\n');
  await addModel({
    ...common,
    name: 'tiny-text',
    kind: 'text',
    source: { type: 'file', path: world.path('text.onnx') },
    layer: 'text_embeds',
    tokenizer: { type: 'file', path: world.path('merges.txt') },
    contextLength: length,
  });
});
afterAll(() => {
  vi.unstubAllEnvs();
  world.remove();
});

const towers: Partial<WrittenConfiguration> = {
  text: false,
  model: 'tiny-image',
  semantics: { text: 'tiny-text', templates: ['a {}', '{}'], aliases: true },
  categories: ['blue finch', { name: 'red wren', aliases: ['Troglodytes ruber'] }, 'green jay'],
};
const json = (...parts: string[]) => JSON.parse(readFileSync(world.path(...parts), 'utf8'));

describe('an image-text model', { timeout: 120_000 }, () => {
  it('answers by itself in run, compare and report', async () => {
    const learner = { method: 'clip', device: 'wasm' as const, threads: 1 };
    writeConfiguration(world, { ...towers, learner, compare: { methods: ['clip', 'lr'] }, report: true, jobs: 1 });
    const { failed } = await runWorkspace(await openWorkspace(world.folder));
    expect(failed).toEqual([]);
    const { featureBlocks, semanticBlocks } = await readProblem(world.path('problem.npz'));
    expect(featureBlocks).toEqual([{ name: 'tiny-image', width: tinyDimension, space: 'tiny' }]);
    expect(semanticBlocks).toEqual([{ name: 'text', width: tinyDimension, space: 'tiny' }]);
    expect(json('run', 'run.json').method).toBe('clip');
    const { rows, skipped } = json('compare', 'table.json');
    expect(rows.map((row: { method: string }) => row.method).sort()).toEqual(['clip', 'lr']);
    expect(skipped).toEqual([]);
    expect(readFileSync(world.path('report.html'), 'utf8')).toContain('CLIP zero-shot');
  });

  it('is evidence for the default method, with a weight that is learnt', async () => {
    const learner = { method: 'bowerbird', device: 'wasm' as const, threads: 1 };
    writeConfiguration(world, { ...towers, learner });
    await runWorkspace(await openWorkspace(world.folder), { until: 'fit' });
    const { trusts } = json('run', 'run.json');
    expect(Object.keys(trusts)).toEqual(['text', 'image-text']);
    expect(trusts['image-text']).toBeGreaterThanOrEqual(0);
  });
});
