/** The description of features that are being made: what they mean, and the versions of everything that made them. */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { type FeatureMeta, fingerprint } from './feature-meta.js';
import { runtime } from './onnxruntime.js';

export function describeFeatures(
  fields: Omit<FeatureMeta, 'format' | 'formatVersion' | 'fingerprint' | 'versions'>,
): FeatureMeta {
  return {
    format: 'bowerbird-features',
    formatVersion: 1,
    fingerprint: fingerprint(fields),
    ...fields,
    versions: versions(),
  };
}

function versions(): Record<string, string> {
  const file = new URL('../../package.json', import.meta.url);
  return {
    bowerbird: (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version,
    onnxruntime: runtime.kind === 'native' ? runtime.version : `${runtime.version} (WebAssembly)`,
    sharp: sharp.versions.sharp ?? '',
    libvips: sharp.versions.vips,
    node: process.versions.node,
  };
}
