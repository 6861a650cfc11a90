// Mutated ONNX models are read or refused; whatever is read refers to no file but those it names openly.
import { expect, it } from 'vitest';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { exposeTensor } from '../../src/vision/onnx/expose.js';
import { outsidePaths } from '../../src/vision/onnx/external.js';
import { readGraph } from '../../src/vision/onnx/graph.js';
import { fuzzReader } from '../fuzz.js';

it('mutated models are read or refused', async () => {
  const builder = new OnnxBuilder();
  builder.input('x', ['batch', 2]);
  builder.node('Add', ['x', builder.floats('c', [2], Float32Array.of(1, 2))], 'sum');
  builder.output(builder.node('Relu', ['sum'], 'y'), ['batch', 2]);
  const { refused } = await fuzzReader('onnx', [builder.finish('fuzz')], async (bytes) => {
    const graph = readGraph({ bytes, file: 'fuzz.onnx' });
    outsidePaths(graph.source, graph.constants);
    for (const name of new Set(graph.nodes.flatMap((node) => node.outputs))) await exposeTensor(graph, name);
  });
  expect(refused).toBeGreaterThan(0);
});
