import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UsageError } from '../../errors.js';
import type { ModelEntry } from '../../vision/index.js';
import { defineCommand } from '../command.js';
import { confirmReplacing, replaceOption } from '../confirm.js';

export default defineCommand({
  name: 'models add',
  summary: 'Register a model of your own under a name.',
  description:
    'Records an ONNX file or an address with its preprocessing and feature layer, so that it can be used by name. ' +
    'The hash of a file is taken now. For an address give --sha256; without it the hash of the first download is recorded and holds from then on.',
  arguments: [
    { name: 'NAME', description: 'what to call it' },
    { name: 'SOURCE', description: 'an .onnx file or an http(s) address of one' },
  ],
  options: {
    sha256: { type: 'string', placeholder: 'HEX', description: 'Hash of the model file.' },
    layer: {
      type: 'string',
      placeholder: 'NAME',
      description: 'Tensor that is the feature. [default: the only output]',
    },
    reduce: {
      type: 'choice',
      choices: ['flatten', 'mean', 'first'],
      default: 'flatten',
      description: 'How a tensor with positions becomes a vector.',
    },
    preprocessing: {
      type: 'string',
      placeholder: 'NAME|FILE.json',
      default: 'imagenet',
      description: 'One of imagenet, tensorflow, caffe, clip, unit, or a file.',
    },
    licence: { type: 'string', default: 'unknown', description: 'Licence of the weights.' },
    description: { type: 'string', default: '', description: 'A line for the list.' },
    tokenizer: {
      type: 'string',
      placeholder: 'FILE|URL',
      description: 'Makes it a text tower: its merges file or tokenizer.json.',
    },
    space: {
      type: 'string',
      placeholder: 'NAME',
      description: 'The joint space of an image-text model: the same for its two towers.',
    },
    'tokenizer-sha256': { type: 'string', placeholder: 'HEX', description: 'Hash of the tokenizer.' },
    'context-length': {
      type: 'integer',
      minimum: 3,
      default: 77,
      description: 'Tokens of one text, for a text tower.',
    },
    ...replaceOption,
  },
  examples: [
    {
      command: 'bowerbird models add vgg-fc6 vgg16.onnx --layer fc6 --preprocessing caffe',
      explanation: 'afterwards "bowerbird features birds --model vgg-fc6" uses it',
    },
  ],
  async run({ args, options, print, printJson, signal }) {
    const { addModel, builtinModels, getModel, listModels, readPreprocessing } = await import('../../vision/index.js');
    const [name, address] = args;
    const source = sourceOf(address, options.sha256, '--sha256');
    const base = {
      name,
      source,
      description: options.description || 'added by you',
      licence: options.licence,
      layer: options.layer,
      reduction: options.reduce,
      ...(options.space && { space: options.space }),
    };
    const draft: ModelEntry = options.tokenizer
      ? {
          ...base,
          kind: 'text',
          tokenizer: sourceOf(options.tokenizer, options['tokenizer-sha256'], '--tokenizer-sha256'),
          contextLength: options['context-length'],
        }
      : { ...base, kind: 'image', preprocessing: await readPreprocessing(options.preprocessing) };
    // A file is hashed now, so that a later change of it is noticed.
    const entry: ModelEntry =
      source.type === 'file' ? { ...draft, source: { ...source, sha256: (await getModel(draft)).sha256 } } : draft;
    const before = (await listModels()).find((model) => model.name === name && !builtinModels.includes(model));
    if (before && !isDeepStrictEqual(JSON.parse(JSON.stringify(entry)), before))
      await confirmReplacing(`another model is registered as ${name} already`, { replace: options.replace, signal });
    await addModel(entry);
    printJson(entry);
    print(`${name} is registered; "bowerbird features WORKSPACE --model ${name}" uses it`);
    return 0;
  },
});

function sourceOf(address: string, sha256: string | undefined, option: string) {
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new UsageError(`${option} is "${sha256}"; it must be 64 hexadecimal digits`);
  const hash = sha256?.toLowerCase();
  if (/^https?:\/\//.test(address)) return { type: 'url', url: address, sha256: hash } as const;
  if (!existsSync(address)) throw new UsageError(`there is no file ${address}`);
  return { type: 'file', path: resolve(address), sha256: hash } as const;
}
