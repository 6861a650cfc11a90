/** What every source of pictures can do. */
import type { PictureRow } from '../../catalog/index.js';
import type { Category } from '../categories.js';
import type { Keys } from '../keys.js';
import type { LicenceCode } from '../licence.js';
import type { HostGroup } from '../network/limiter.js';

/** A picture as a source lists it. */
export interface ListedPicture {
  sourceId: string;
  imageUrl: string;
  pageUrl?: string;
  author?: string;
  authorUrl?: string;
  licence: LicenceCode;
  licenceUrl?: string;
  title?: string;
  tags?: string[];
  description?: string;
  publishedAt?: string;
  takenAt?: string;
}

/** Anything that survives JSON; only the source that made it reads it. */
export type Cursor = unknown;

export interface SourcePage {
  pictures: ListedPicture[];
  /** Undefined when there is no more. */
  next?: Cursor;
  /**
   * The question was one of many that walk through the same pictures in another order: nothing new here does not mean
   * that nothing new will come.
   */
  slice?: boolean;
}

export interface Comment {
  author?: string;
  text: string;
  date?: string;
}

export interface Question {
  headers?: Record<string, string>;
  /** Sent with POST. */
  form?: Record<string, string>;
  /** Throws when an answer that HTTP calls a success is none; a passing failure is tried again. */
  validate?(answer: unknown): void;
}

/** JSON over http(s), limited and retried. */
export interface Api {
  json(url: URL, question?: Question): Promise<unknown>;
}

export interface SourceContext {
  api: Api;
  keys: Keys;
  /** What the gate will let through, for sources that can filter by licence themselves. */
  licences: ReadonlySet<LicenceCode>;
  signal?: AbortSignal;
}

export interface Source {
  /** As written after --source. */
  readonly name: string;
  /** Its API and the hosts of its pictures, limited together. */
  readonly hosts?: HostGroup;
  /** The pictures are the user's own choice: the licence gate applies only where licences are asked for explicitly. */
  readonly chosenByUser?: boolean;
  /** Fails early when a key or file is missing. */
  prepare?(context: Pick<SourceContext, 'keys' | 'signal'>): Promise<void>;
  /** The first question it would ask, without keys. */
  describe(category: Category, licences: ReadonlySet<LicenceCode>): string;
  /** The most pictures one question can bring. */
  readonly pageSize: number;
  ask(category: Category, cursor: Cursor | undefined, context: SourceContext): Promise<SourcePage>;
  comments?(picture: PictureRow, context: SourceContext): Promise<Comment[]>;
  /** For sources that hold the pictures themselves instead of naming an address. */
  read?(picture: PictureRow): AsyncIterable<Buffer>;
  /** The categories the source knows, where it is organized by category. */
  categories?(): Promise<Category[]>;
  close?(): Promise<void>;
}
