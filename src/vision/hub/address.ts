/**
 * Addresses of models on a hub of Hugging Face: `hf:owner/name`, with `@revision` and the path of a file where they are not the
 * usual ones: `hf:owner/name@v2/onnx/model_fp16.onnx`. `timm:name` is `hf:timm/name`.
 */
import { UsageError } from '../../errors.js';

export interface HubAddress {
  /** `owner/name`. */
  readonly repository: string;
  /** A branch, tag or commit. */
  readonly revision: string;
  /** @default the usual place of an image model */
  readonly file?: string;
}

/** Well-known models by short names. */
export const hubPresets: Readonly<Record<string, string>> = {
  'dinov2-base': 'hf:Xenova/dinov2-base',
  'dinov2-large': 'hf:Xenova/dinov2-large',
  'siglip-base': 'hf:Xenova/siglip-base-patch16-224',
  'siglip-base-text': 'hf:Xenova/siglip-base-patch16-224/onnx/text_model.onnx',
};

export function isHubAddress(name: string): boolean {
  return /^(hf|timm):/.test(name) || Object.hasOwn(hubPresets, name);
}

const segment = '[A-Za-z0-9][A-Za-z0-9._-]{0,95}';
const pattern = new RegExp(`^hf:(${segment}/${segment})(?:@([A-Za-z0-9][A-Za-z0-9._-]{0,95}))?(?:/(.+))?$`);

export function parseHubAddress(name: string): HubAddress {
  const address = (hubPresets[name] ?? name).replace(/^timm:/, 'hf:timm/');
  const [, repository, revision = 'main', file] = pattern.exec(address) ?? [];
  // The path becomes one in the cache.
  const steps = file?.split('/') ?? [];
  if (repository === undefined || steps.some((step) => step === '' || /^\.+$/.test(step) || /[\\\p{Cc}]/u.test(step)))
    throw new UsageError(
      `"${name}" is no address of a model`,
      'Write hf:owner/name, hf:owner/name@revision/path/model.onnx, or timm:name.',
    );
  return { repository, revision, ...(file !== undefined && { file }) };
}
