/** What the registry knows about a model. */
import type { Reduction } from './network.js';
import type { Preprocessing } from './preprocessing.js';

/** Weights published inside an npm package in TensorFlow.js layers format; read as data, nothing is installed or run. */
export interface NpmSource {
  readonly type: 'npm';
  readonly name: string;
  readonly version: string;
  /** `sha512-…` of the tarball. */
  readonly integrity: string;
  readonly bytes: number;
  /** Path of model.json in the tarball; its weights lie beside it. */
  readonly topology: string;
}

/** A file on the web. */
export interface UrlSource {
  readonly type: 'url';
  readonly url: string;
  /** In hexadecimal. Where it is absent, the hash of the first download is recorded and holds from then on. */
  readonly sha256?: string;
  readonly bytes?: number;
}

/** A file on this machine. */
export interface FileSource {
  readonly type: 'file';
  readonly path: string;
  /** Of the file when it was added, in hexadecimal. */
  readonly sha256?: string;
}

/** A file of a model hub of Hugging Face, in its cache. */
export interface HubSource {
  readonly type: 'hub';
  /** `owner/name`. */
  readonly repository: string;
  readonly commit: string;
  readonly file: string;
}

interface EntryBase {
  readonly name: string;
  readonly description: string;
  readonly source: NpmSource | UrlSource | FileSource | HubSource;
  readonly licence: string;
  /** The tensor that is the feature. @default the model's only output */
  readonly layer?: string;
  readonly reduction: Reduction;
  /** The joint space of an image-text model: its two towers bear the same name here. */
  readonly space?: string;
  /** Where it is known beforehand. */
  readonly dimension?: number;
}

export interface ImageModelEntry extends EntryBase {
  readonly kind: 'image';
  readonly preprocessing: Preprocessing;
}

/** A text tower: names become vectors in the same space as the pictures of its image tower. */
export interface TextModelEntry extends EntryBase {
  readonly kind: 'text';
  /** Merges (`bpe_simple_vocab…txt`, plain or gzipped) or a `tokenizer.json`. */
  readonly tokenizer: UrlSource | FileSource | HubSource;
  /** Tokens of one text, markers included. */
  readonly contextLength: number;
}

export type ModelEntry = ImageModelEntry | TextModelEntry;

export function describeSource(source: ModelEntry['source']): string {
  if (source.type === 'npm') return `npm:${source.name}@${source.version}`;
  if (source.type === 'hub') return `hf:${source.repository}@${source.commit}/${source.file}`;
  return source.type === 'url' ? source.url : source.path;
}
