/** Preprocessing as the libraries of Hugging Face write it: `preprocessor_config.json`, and `pretrained_cfg` of timm. */
import { ModelError } from '../errors.js';
import { checkPreprocessing, type Preprocessing, presets } from '../preprocessing.js';

type Fields = Record<string, unknown>;

const kernels = ['nearest', 'lanczos3', 'linear', 'cubic'] as const;

/** Numbers of Pillow's filters. */
const kernelOf = (resample: unknown) => kernels[typeof resample === 'number' ? resample : 2] ?? 'linear';

type Triple = [number, number, number];

function triple(value: unknown, otherwise: Triple): Triple {
  return Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'number')
    ? (value as Triple)
    : otherwise;
}

/** A side, or height and width. */
function sides(value: unknown): [number, number] | undefined {
  if (typeof value === 'number') return [value, value];
  const { height, width } = (value ?? {}) as Fields;
  return typeof height === 'number' && typeof width === 'number' ? [height, width] : undefined;
}

/** @param where the file, for messages */
export function fromPreprocessorConfig(config: Fields, where: string): Preprocessing {
  const { size, crop_size, do_center_crop, crop_pct, do_rescale = true, rescale_factor, do_normalize = true } = config;
  const shortest = typeof size === 'number' ? size : (size as Fields | undefined)?.shortest_edge;
  const crop = do_center_crop === true || (do_center_crop === undefined && crop_size !== undefined);
  const target = (crop ? sides(crop_size) : undefined) ?? sides(size) ?? sides(shortest);
  if (!target) throw new ModelError(`${where} states no size of pictures`, 'Give a preprocessing of your own.');
  const least = Math.min(...target);
  const share = typeof crop_pct === 'number' && least < 384 ? crop_pct : 1;
  const cut = crop || (typeof shortest === 'number' && typeof size !== 'number') || share < 1;
  const shorter = crop && typeof shortest === 'number' ? shortest : Math.floor(least / share);
  return checkPreprocessing(
    {
      ...presets.imagenet,
      size: target,
      resize: cut ? 'crop' : 'stretch',
      shorterSide: Math.max(least, shorter),
      kernel: kernelOf(config.resample),
      scale: do_rescale === false ? 1 : typeof rescale_factor === 'number' ? rescale_factor : 1 / 255,
      mean: do_normalize === false ? [0, 0, 0] : triple(config.image_mean, [0.5, 0.5, 0.5]),
      deviation: do_normalize === false ? [1, 1, 1] : triple(config.image_std, [0.5, 0.5, 0.5]),
    },
    where,
  );
}

/** The field `pretrained_cfg` of a config.json of timm. */
export function fromTimmConfig(config: Fields, where: string): Preprocessing {
  const [, height, width] = triple(config.input_size, [3, 224, 224]);
  const share = typeof config.crop_pct === 'number' ? config.crop_pct : 0.875;
  const named: Record<string, Preprocessing['kernel']> = {
    bilinear: 'linear',
    bicubic: 'cubic',
    nearest: 'nearest',
    lanczos: 'lanczos3',
  };
  const least = Math.min(height, width);
  return checkPreprocessing(
    {
      ...presets.imagenet,
      size: [height, width],
      resize: config.crop_mode === 'squash' ? 'stretch' : 'crop',
      shorterSide: Math.max(least, Math.floor(least / share)),
      kernel: named[String(config.interpolation)] ?? 'cubic',
      mean: triple(config.mean, presets.imagenet.mean as unknown as Triple),
      deviation: triple(config.std, presets.imagenet.deviation as unknown as Triple),
    },
    where,
  );
}
