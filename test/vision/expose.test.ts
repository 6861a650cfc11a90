import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { readFields, WireWriter } from '../../src/formats/protobuf.js';
import { ModelError } from '../../src/vision/errors.js';
import { listLayers } from '../../src/vision/list-layers.js';
import { OnnxBuilder } from '../../src/vision/onnx/build.js';
import { exposeTensor, resolveLayer } from '../../src/vision/onnx/expose.js';
import { outsidePaths } from '../../src/vision/onnx/external.js';
import { readGraph } from '../../src/vision/onnx/graph.js';

/** fc6 = relu(W6'x), fc7 = relu(W7' fc6), out = fc7 + fc7. */
function chain(): Uint8Array {
  const builder = new OnnxBuilder();
  builder.input('x', ['batch', 2]);
  builder.node('Gemm', ['x', builder.floats('w6', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6))], 'fc6_raw');
  builder.node('Relu', ['fc6_raw'], 'fc6');
  builder.node('Gemm', ['fc6', builder.floats('w7', [3, 1], Float32Array.of(1, -1, 1))], 'fc7_raw');
  builder.node('Relu', ['fc7_raw'], 'fc7');
  builder.output(builder.node('Add', ['fc7', 'fc7'], 'out'), ['batch', 1]);
  return builder.finish('chain');
}

async function evaluate(model: Uint8Array, x: number[]): Promise<number[]> {
  const session = await InferenceSession.create(model);
  const inputs = { [session.inputNames[0]]: new Tensor('float32', Float32Array.from(x), [1, x.length]) };
  const output = (await session.run(inputs))[session.outputNames[0]];
  await session.release();
  return [...(output.data as Float32Array)];
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowerbird-expose-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('making a layer the output', () => {
  const graph = readGraph({ bytes: chain(), file: 'chain.onnx' });

  it('gives that layer and computes nothing after it', async () => {
    const cut = await exposeTensor(graph, resolveLayer(graph, 'fc6'));
    expect(await evaluate(cut, [1, -1])).toEqual([0, 0, 0]);
    expect(await evaluate(cut, [1, 1])).toEqual([5, 7, 9]);
    const smaller = readGraph({ bytes: cut, file: 'cut' });
    expect(smaller.nodes.map((node) => node.outputs[0])).toEqual(['fc6_raw', 'fc6']);
    expect(smaller.constants.map((constant) => constant.name)).toEqual(['w6']);
    expect(smaller.outputs.map((output) => output.name)).toEqual(['fc6']);
  });

  it('leaves a model whose own output is asked for as it is', async () => {
    expect(await evaluate(await exposeTensor(graph, 'out'), [1, 1])).toEqual(await evaluate(chain(), [1, 1]));
  });

  it('names likely layers when there is none of that name', () => {
    expect(() => resolveLayer(graph, 'FC')).toThrow(ModelError);
    expect(() => resolveLayer(graph, 'FC')).toThrow(/no layer "FC"/);
    const hint = (() => {
      try {
        resolveLayer(graph, 'FC7');
      } catch (error) {
        return (error as ModelError).hint;
      }
    })();
    expect(hint).toContain('fc7_raw, fc7');
    // Inputs and weights are not layers.
    expect(() => resolveLayer(graph, 'x')).toThrow(ModelError);
    expect(() => resolveLayer(graph, 'w6')).toThrow(ModelError);
  });

  it('works on old models that list their weights among the inputs', async () => {
    const builder = new OnnxBuilder();
    builder.input('x', [1, 2]);
    builder.input('w', [2, 3]);
    const weights = [
      builder.floats('w', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)),
      builder.floats('b', [3], new Float32Array(3)),
    ];
    builder.node('Gemm', ['x', ...weights], 'fc6');
    builder.output(builder.node('Relu', ['fc6'], 'y'), [1, 3]);
    const modern = builder.finish('old');
    const body = [...readFields({ bytes: modern, file: '' })].find((field) => field.number === 7)!;
    // Version 3 of the format, operators of version 7.
    const bytes = new WireWriter()
      .integer(1, 3)
      .message(8, new WireWriter().text(1, '').integer(2, 7))
      .encoded(modern.subarray(body.from, body.end))
      .finish();
    const old = readGraph({ bytes, file: 'old.onnx' });
    expect(old.inputs.map((input) => input.name)).toEqual(['x']);
    expect(await evaluate(await exposeTensor(old, 'fc6'), [1, 1])).toEqual([5, 7, 9]);
  });

  it('keeps what a branch reads from outside', async () => {
    const bytes = branchModel();
    const graph = readGraph({ bytes, file: 'branch.onnx' });
    const cut = await exposeTensor(graph, 'chosen');
    expect(await evaluate(cut, [3, 4])).toEqual([4, 6]);
  });
});

/** `chosen` is an If whose branches read `one` and `two`, computed outside and read by nobody else. */
function branchModel(): Uint8Array {
  const branch = (tensor: string) =>
    new WireWriter()
      .message(1, new WireWriter().text(1, tensor).text(2, `${tensor}_out`).text(4, 'Identity'))
      .text(2, tensor)
      .message(12, new WireWriter().text(1, `${tensor}_out`));
  const attribute = (name: string, tensor: string) =>
    new WireWriter().text(1, name).message(6, branch(tensor)).integer(20, 5);
  const decide = new WireWriter()
    .text(1, 'yes')
    .text(2, 'chosen')
    .text(4, 'If')
    .message(5, attribute('then_branch', 'one'))
    .message(5, attribute('else_branch', 'two'));
  const builder = new OnnxBuilder();
  builder.input('x', [1, 2]);
  builder.node('Add', ['x', builder.floats('c', [2], Float32Array.of(1, 2))], 'one');
  builder.node('Sub', ['x', 'c'], 'two');
  builder.node('ReduceSum', ['x'], 'sum', { keepdims: 0 });
  builder.node('Greater', ['sum', builder.scalar('zero', 0)], 'yes');
  const graph = readGraph({ bytes: builder.finish('branch'), file: 'branch' });
  const body = new WireWriter();
  for (const node of graph.nodes) body.encoded(graph.source.bytes.subarray(node.field.from, node.field.end));
  body.message(1, decide);
  for (const part of [...graph.constants, ...graph.inputs])
    body.encoded(graph.source.bytes.subarray(part.field.from, part.field.end));
  body.text(2, 'branch').message(12, new WireWriter().text(1, 'chosen'));
  const whole = new WireWriter();
  for (const field of graph.modelFields) whole.encoded(graph.source.bytes.subarray(field.from, field.end));
  return whole.message(7, body).finish();
}

describe('weights in another file', () => {
  /** y = x + c with c in weights.bin. */
  function outside(location: string, length = 8): Uint8Array {
    const entry = (key: string, value: string) => new WireWriter().text(1, key).text(2, value);
    const constant = new WireWriter()
      .integers(1, [2])
      .integer(2, 1)
      .text(8, 'c')
      .message(13, entry('location', location))
      .message(13, entry('offset', '4'))
      .message(13, entry('length', String(length)))
      .integer(14, 1);
    const builder = new OnnxBuilder();
    builder.input('x', ['batch', 2]);
    builder.output(builder.node('Add', ['x', 'c'], 'y'), ['batch', 2]);
    const graph = readGraph({ bytes: builder.finish('outside'), file: '' });
    const body = new WireWriter();
    for (const part of [...graph.nodes, ...graph.inputs, ...graph.outputs])
      body.encoded(graph.source.bytes.subarray(part.field.from, part.field.end));
    body.text(2, 'outside').message(5, constant);
    const whole = new WireWriter();
    for (const field of graph.modelFields) whole.encoded(graph.source.bytes.subarray(field.from, field.end));
    return whole.message(7, body).finish();
  }
  const cut = (bytes: Uint8Array) => exposeTensor(readGraph({ bytes, file: join(folder, 'model.onnx') }), 'y');

  it('are taken into the edited model', async () => {
    await writeFile(join(folder, 'weights.bin'), new Uint8Array(Float32Array.of(9, 10, 20, 9).buffer));
    expect(await evaluate(await cut(outside('weights.bin')), [1, 2])).toEqual([11, 22]);
  });

  it("are refused outside the model's folder, missing or too short", async () => {
    await expect(cut(outside('../weights.bin'))).rejects.toThrow(FormatError);
    await expect(cut(outside('/etc/hostname'))).rejects.toThrow(/outside its own folder/);
    await expect(cut(outside('absent.bin'))).rejects.toThrow(ModelError);
    await writeFile(join(folder, 'weights.bin'), new Uint8Array(8));
    await expect(cut(outside('weights.bin'))).rejects.toThrow(/8 bytes are wanted here, the file has 8/);
  });
});

/** A model y = x + c, where the message that stands for c is given, with a tensor in secret.bin somewhere inside. */
describe('data in another file that is not a constant of the main graph', () => {
  const entry = (key: string, value: string) => new WireWriter().text(1, key).text(2, value);
  const elsewhere = (name = 'c') =>
    new WireWriter()
      .integers(1, [2])
      .integer(2, 1)
      .text(8, name)
      .message(13, entry('location', 'secret.bin'))
      .integer(14, 1);
  const attribute = (name: string, type: number, number: number, content: WireWriter) =>
    new WireWriter().text(1, name).message(number, content).integer(20, type);
  const constantNode = (content: WireWriter) => new WireWriter().text(2, 'c').text(4, 'Constant').message(5, content);
  const subgraph = () =>
    new WireWriter()
      .text(2, 'inner')
      .message(1, new WireWriter().text(1, 'w').text(2, 'c_out').text(4, 'Identity'))
      .message(5, elsewhere('w'))
      .message(12, new WireWriter().text(1, 'c_out'));
  const branch = new WireWriter()
    .text(1, 'yes')
    .text(2, 'c')
    .text(4, 'If')
    .message(5, attribute('then_branch', 5, 6, subgraph()))
    .message(5, attribute('else_branch', 5, 6, subgraph()));

  function model(graphNumber: number, graphPart: WireWriter, modelPart = new WireWriter()): Uint8Array {
    const builder = new OnnxBuilder();
    builder.input('x', ['batch', 2]);
    builder.output(builder.node('Add', ['x', 'c'], 'y'), ['batch', 2]);
    const graph = readGraph({ bytes: builder.finish('inner'), file: '' });
    const body = new WireWriter().message(graphNumber, graphPart);
    for (const part of [...graph.nodes, ...graph.inputs, ...graph.outputs])
      body.encoded(graph.source.bytes.subarray(part.field.from, part.field.end));
    body.text(2, 'inner');
    const whole = new WireWriter();
    for (const field of graph.modelFields) whole.encoded(graph.source.bytes.subarray(field.from, field.end));
    return whole.message(7, body).encoded(modelPart.finish()).finish();
  }

  it.each<[string, Uint8Array, RegExp]>([
    ['an attribute', model(1, constantNode(attribute('value', 4, 5, elsewhere()))), /inside an attribute lies/],
    ['a list of tensors', model(1, constantNode(attribute('value', 9, 10, elsewhere()))), /inside an attribute lies/],
    [
      'a sparse attribute',
      model(1, constantNode(attribute('sparse_value', 11, 22, new WireWriter().message(1, elsewhere())))),
      /inside a sparse tensor lies/,
    ],
    ['a sparse constant', model(15, new WireWriter().message(1, elsewhere())), /inside a sparse tensor lies/],
    ['a branch', model(1, branch), /inside a subgraph lies/],
    [
      'a function',
      model(
        1,
        new WireWriter().text(2, 'c').text(4, 'F'),
        new WireWriter().message(25, new WireWriter().message(7, constantNode(attribute('value', 4, 5, elsewhere())))),
      ),
      /inside an attribute lies/,
    ],
    [
      'a reference without a name',
      model(5, new WireWriter().integers(1, [2]).integer(2, 1).text(8, 'c').integer(14, 1)),
      /not named/,
    ],
  ])('is refused: %s', async (_, bytes, message) => {
    const file = join(folder, 'inner.onnx');
    await writeFile(file, bytes);
    const graph = readGraph({ bytes, file });
    expect(() => outsidePaths(graph.source, graph.constants)).toThrow(message);
    await expect((async () => exposeTensor(graph, 'y'))()).rejects.toThrow(message);
  });

  it('is taken in where key and value of the reference come in the other order', async () => {
    const swapped = new WireWriter().text(2, 'swapped.bin').text(1, 'location');
    const constant = new WireWriter().integers(1, [2]).integer(2, 1).text(8, 'c').message(13, swapped).integer(14, 1);
    await writeFile(join(folder, 'swapped.bin'), new Uint8Array(Float32Array.of(10, 20).buffer));
    const graph = readGraph({ bytes: model(5, constant), file: join(folder, 'swapped.onnx') });
    expect(await evaluate(await exposeTensor(graph, 'y'), [1, 2])).toEqual([11, 22]);
  });

  it('is refused behind a link that leads away, and read behind one to a file beside the model', async () => {
    const inner = join(folder, 'linked');
    await mkdir(inner, { recursive: true });
    await writeFile(join(folder, 'private.bin'), new Uint8Array(Float32Array.of(1, 2).buffer));
    await writeFile(join(inner, 'weights.bin'), new Uint8Array(Float32Array.of(10, 20).buffer));
    const constant = elsewhere();
    const graph = readGraph({ bytes: model(5, constant), file: join(inner, 'model.onnx') });
    await symlink('../private.bin', join(inner, 'secret.bin'));
    await expect(exposeTensor(graph, 'y')).rejects.toThrow(/link that leads out/);
    await rm(join(inner, 'secret.bin'));
    await symlink('weights.bin', join(inner, 'secret.bin'));
    expect(await evaluate(await exposeTensor(graph, 'y'), [1, 2])).toEqual([11, 22]);
  });

  it('does not overflow the stack, however deep graphs lie in one another', () => {
    let graph = new WireWriter().text(2, 'deepest');
    for (let depth = 0; depth < 1500; depth++)
      graph = new WireWriter().message(1, new WireWriter().text(4, 'If').message(5, attribute('g', 5, 6, graph)));
    expect(() => readGraph({ bytes: new WireWriter().message(7, graph).finish(), file: 'deep.onnx' })).toThrow(
      FormatError,
    );
  });
});

describe('listing layers', () => {
  it('gives every tensor with the shape it will have', async () => {
    const file = join(folder, 'chain.onnx');
    await writeFile(file, chain());
    expect(await listLayers(file)).toEqual([
      { name: 'x', operation: 'input', shape: ['batch', 2], type: 'float32', isOutput: false },
      { name: 'fc6_raw', operation: 'Gemm', shape: ['batch', 3], type: 'float32', isOutput: false },
      { name: 'fc6', operation: 'Relu', shape: ['batch', 3], type: 'float32', isOutput: false },
      { name: 'fc7_raw', operation: 'Gemm', shape: ['batch', 1], type: 'float32', isOutput: false },
      { name: 'fc7', operation: 'Relu', shape: ['batch', 1], type: 'float32', isOutput: false },
      { name: 'out', operation: 'Add', shape: ['batch', 1], type: 'float32', isOutput: true },
    ]);
  });

  it('says so when a file is no model', async () => {
    const file = join(folder, 'not.onnx');
    await writeFile(file, 'this is a text file, not a model');
    await expect(listLayers(file)).rejects.toThrow(FormatError);
    await expect(listLayers(join(folder, 'absent.onnx'))).rejects.toThrow(ModelError);
  });
});
