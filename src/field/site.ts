/** What an exported site says about itself: `site.json`, written by the export and read by the page. */
import type { Preprocessing } from '../vision/index.js';

export const precisions = ['float32', 'float16', 'int8'] as const;
/** How the weights of the network are stored; they are computed with as float32. */
export type Precision = (typeof precisions)[number];

/** A file with its content's hash in its name, and how large it is. */
export interface SiteFile {
  /** Relative to the site. */
  path: string;
  bytes: number;
  sha256: string;
}

/** What a smaller network costs, measured on test pictures of the workspace. */
export interface Loss {
  pictures: number;
  /** Share of pictures with the same answer as the full network's. */
  agreement: number;
  largestConfidenceChange?: number;
  /** Where answers are known: share right before, and after. */
  accuracyBefore?: number;
  accuracyAfter?: number;
}

/** A picture that is shown, small, with what its licence asks for. */
export interface GalleryPicture {
  set: 'web' | 'auxiliary';
  category: string;
  /** Relative to the site. */
  file: string;
  title?: string;
  author: string;
  /** As people write it: CC BY-SA 4.0. */
  licence: string;
  licenceUrl?: string;
  page?: string;
}

export type CardBlock = { heading: string } | { text: string } | { list: string[] } | { table: string[][] };

/** What somebody sees who looks at a category closely, where categories are described by named attributes. */
export interface Attributes {
  names: string[];
  /** A row for each category, in the order of `categories`; empty where nothing is known of it. */
  values: number[][];
}

export interface Site {
  schema: 'bowerbird-field-1';
  name: string;
  /** Changes with every difference of content. */
  version: string;
  categories: string[];
  preprocessing: Preprocessing;
  network: { name: string; licence: string; precision: Precision; distilled: boolean; loss?: Loss };
  /** Whether chances are known, and the chance of none of the categories. */
  confidence: boolean;
  strangers: boolean;
  model: SiteFile;
  gallery: GalleryPicture[];
  /** A row of int8 for each picture of the gallery, its feature vector with the largest value at 127. */
  galleryFeatures?: SiteFile & { columns: number };
  attributes?: Attributes;
  card: CardBlock[];
  /** The engine's files, of which a browser fetches those of one variant. */
  engine: Record<'wasm' | 'webgpu', { script: string; glue: string; binary: SiteFile }>;
}
