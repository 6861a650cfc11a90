/** A model of a hub as an entry of the registry: which file, which tensor, which preprocessing, as its own files say. */
import { readFile } from 'node:fs/promises';
import { FormatError } from '../../errors.js';
import type { DownloadOptions } from '../download.js';
import { ModelError } from '../errors.js';
import type { HubSource, ModelEntry } from '../model-entry.js';
import type { Reduction } from '../network.js';
import { presets } from '../preprocessing.js';
import { parseHubAddress } from './address.js';
import { HubRepository } from './files.js';
import { fromPreprocessorConfig, fromTimmConfig } from './preprocessing.js';

/** Where image models lie, the usual place first. */
const places = ['onnx/vision_model.onnx', 'onnx/model.onnx', 'model.onnx', 'vision_model.onnx'];

/** The feature of a picture, by the family of the network. */
const features: Record<string, { layer: string; reduction: Reduction }> = {
  clip: { layer: 'image_embeds', reduction: 'flatten' },
  clip_vision_model: { layer: 'image_embeds', reduction: 'flatten' },
  siglip: { layer: 'pooler_output', reduction: 'flatten' },
  siglip_vision_model: { layer: 'pooler_output', reduction: 'flatten' },
  dinov2: { layer: 'last_hidden_state', reduction: 'first' },
  dinov2_with_registers: { layer: 'last_hidden_state', reduction: 'first' },
  vit: { layer: 'last_hidden_state', reduction: 'first' },
  convnext: { layer: 'pooler_output', reduction: 'flatten' },
};

type Fields = Record<string, unknown>;

/** Asks the hub, or the cache; the network itself is fetched later, by `getModel`. */
export async function hubEntry(name: string, options: DownloadOptions = {}): Promise<ModelEntry> {
  const address = parseHubAddress(name);
  const repository = await HubRepository.open(address, options);
  const { commit, files, licence } = repository;
  const file = address.file ?? places.find((place) => files.includes(place));
  const models = files.filter((path) => path.endsWith('.onnx'));
  if (file === undefined || !files.includes(file))
    throw new ModelError(
      `hf:${address.repository} has no ${file ?? 'ONNX model in a usual place'}`,
      models.length > 0
        ? `Name one of its files: hf:${address.repository}/${models[0]}${models.length > 1 ? ` (or ${models.slice(1, 6).join(', ')})` : ''}.`
        : 'Export it to ONNX (optimum-cli export onnx) and register it: bowerbird models add NAME FILE.onnx.',
    );
  const json = async (path: string): Promise<Fields | undefined> => {
    const found = await repository.file(path);
    if (found === undefined) return undefined;
    try {
      return (JSON.parse(await readFile(found, 'utf8')) as Fields | null) ?? undefined;
    } catch (error) {
      throw new FormatError(found, undefined, `is not JSON: ${(error as Error).message}`);
    }
  };
  const config = (await json('config.json')) ?? {};
  const source: HubSource = { type: 'hub', repository: address.repository, commit, file };
  const family = String(config.model_type ?? '');
  const base = {
    name: name.replace(/^(hf|timm):/, '').replace(/[^A-Za-z0-9._-]+/g, '--'),
    description: `${config.architecture ?? (family || 'a model')} of ${address.repository}, commit ${commit.slice(0, 12)}`,
    ...{ source, licence },
  };
  const joint = { space: `hf:${address.repository}` };
  if (/text_model[^/]*\.onnx$/.test(file)) {
    const { max_position_embeddings } = (config.text_config ?? config) as Fields;
    return {
      ...{ ...base, ...joint, kind: 'text', reduction: 'flatten' },
      layer: family.startsWith('siglip') ? 'pooler_output' : 'text_embeds',
      tokenizer: { ...source, file: 'tokenizer.json' },
      contextLength:
        typeof max_position_embeddings === 'number' ? max_position_embeddings : family.startsWith('siglip') ? 64 : 77,
    };
  }
  const written = await json('preprocessor_config.json');
  const timm = config.pretrained_cfg as Fields | undefined;
  const where = `hf:${address.repository}`;
  const preprocessing = written
    ? fromPreprocessorConfig(written, `${where}/preprocessor_config.json`)
    : timm
      ? fromTimmConfig(timm, `${where}/config.json`)
      : presets.imagenet;
  const feature = features[family] ?? { reduction: 'flatten' as const };
  return { ...base, ...(/^(clip|siglip)/.test(family) && joint), kind: 'image', ...feature, preprocessing };
}

/** The file of a hub's source on this machine. */
export async function hubFile({ repository, commit, file }: HubSource, options: DownloadOptions): Promise<string> {
  const found = await HubRepository.at(repository, commit, [file], options).file(file);
  if (found === undefined) throw new ModelError(`hf:${repository} at ${commit} has no ${file}`);
  return found;
}
