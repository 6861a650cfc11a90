/** What bowerbird.yaml says, with everything it leaves out filled in. Paths are as written, relative to the workspace. */
import type { TokenizeOptions, Word2vecSettings } from '../language/index.js';
import type { ParameterValue } from '../methods/index.js';
import { currentName } from '../methods/index.js';
import type { KnownShares } from '../problem/index.js';
import { fiveCrops, type ViewName } from '../vision/index.js';
import { type SemanticKind, semanticKinds, type WrittenKind } from './semantics/kinds.js';

/** What a user may write; the JSON Schema in schema/bowerbird.schema.json checks it. */
export interface WrittenConfiguration {
  name?: string;
  seed?: number;
  categories: string | readonly (string | WrittenCategory)[];
  auxiliary: string | { folder: string; aliases?: Record<string, string[]>; validation?: string[] };
  test: string;
  answers?: Answering;
  shares?: KnownShares;
  sources?: readonly (string | SourceEntry)[];
  crawl?: Partial<CrawlSettings>;
  dedupe?: Partial<DedupeSettings>;
  model?: WrittenNetwork | readonly WrittenNetwork[];
  vectors?: string | readonly string[] | TrainingSettings;
  semantics?: WrittenKind | readonly WrittenKind[];
  /** `normalise` is how `normalize` was written before. */
  words?: Partial<WordSettings> & { normalise?: WordSettings['normalize'] };
  text?: boolean | Partial<TextSettings>;
  learner?: Partial<LearnerSettings>;
  tune?: false | Partial<TuneSettings>;
  compare?: false | { methods: readonly string[]; tune?: number; seeds?: number };
  report?: boolean;
  jobs?: number;
  truth?: TruthSettings;
  plugins?: readonly string[];
  records?: RecordSettings;
}

/** Where fits are told of. */
interface RecordSettings {
  /** A folder for event files. */
  tensorboard?: string;
  /** The address of a server. */
  mlflow?: string;
}

/** `views: five-crops` stands for the middle and the corners. */
export type WrittenNetwork =
  | string
  | (Omit<ModelSettings, 'views'> & { views?: ModelSettings['views'] | 'five-crops' });

/** Among which categories answers are chosen: those that are listed, or the auxiliary ones too. */
export type Answering = 'listed' | 'all';

interface WrittenCategory {
  name: string;
  aliases?: readonly string[];
  query?: string;
}

export interface SourceEntry {
  source: string;
  endpoint?: string;
  rate?: number;
}

export interface CrawlSettings {
  perCategory: number;
  validation: boolean;
  licences?: readonly string[];
  contact?: string;
  keys?: string;
  comments: boolean;
  minimumSide: number;
  concurrency: number;
  attempts: number;
  requestsPerSecond: number;
  robots: boolean;
  allowAddresses: readonly string[];
}

interface DedupeSettings {
  radius: number;
  likeness: number;
  leaks: 'error' | 'drop';
}

export interface ModelSettings {
  name: string;
  layer?: string;
  reduce?: 'flatten' | 'mean' | 'first';
  preprocessing?: string;
  batch?: number;
  device?: 'cpu' | 'cuda';
  workers?: number;
  /** Views of each picture. @default ['plain'] */
  views?: readonly ViewName[];
  /** What becomes of several views. @default 'mean' */
  combine?: 'mean' | 'concatenate';
}

export interface TrainingSettings {
  train: readonly string[];
  models?: readonly ('word2vec' | 'glove')[];
  dim?: number;
  window?: number;
  epochs?: number;
  minimumCount?: number;
  threads?: number;
  architecture?: Word2vecSettings['architecture'];
  negatives?: number;
  subsample?: number;
  rate?: number;
  hyphens?: TokenizeOptions['hyphens'];
}

interface WordSettings {
  missing: 'error' | 'skip' | 'mean';
  normalize: 'none' | 'l2';
}

export interface TextSettings {
  size: number;
  languages: readonly string[];
  minimumTexts: number;
}

export interface LearnerSettings {
  method: string;
  parameters: Readonly<Record<string, ParameterValue>>;
  scaling: 'l2' | 'none';
  device: 'auto' | 'wasm' | 'native' | 'cuda';
  threads?: number;
}

interface TuneSettings {
  trials: number;
  noise: number;
}

interface CompareSettings {
  methods: readonly string[];
  tune: number;
  seeds: number;
}

type TruthSettings = { wrong: string } | { file: string };

export interface CategorySettings {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly query?: string;
}

export interface Configuration {
  readonly name: string;
  readonly seed: number;
  readonly categories: readonly CategorySettings[];
  readonly auxiliary: {
    readonly folder: string;
    readonly aliases: Readonly<Record<string, readonly string[]>>;
    readonly validation?: readonly string[];
  };
  readonly test: string;
  readonly answers: Answering;
  readonly shares: KnownShares;
  readonly sources: readonly SourceEntry[];
  readonly crawl: CrawlSettings;
  readonly dedupe: DedupeSettings;
  /** The first of the networks. */
  readonly model: ModelSettings;
  /** Whose features stand beside each other. */
  readonly networks: readonly ModelSettings[];
  readonly semantics: readonly SemanticKind[];
  readonly vectors: readonly string[] | TrainingSettings;
  readonly words: WordSettings;
  readonly text: TextSettings | undefined;
  readonly learner: LearnerSettings;
  readonly tune: TuneSettings | undefined;
  readonly compare: CompareSettings | undefined;
  readonly report: boolean;
  readonly jobs: number | undefined;
  readonly truth: TruthSettings | undefined;
  /** Modules with methods or sources of the user's own. */
  readonly plugins: readonly string[];
  readonly records: RecordSettings;
  /** What its writer should know: names that are others now. */
  readonly notes: readonly string[];
}

/** The method of a workspace that names none. */
export const defaultMethod = 'bowerbird';

const crawlDefaults: CrawlSettings = {
  perCategory: 100,
  validation: true,
  comments: false,
  minimumSide: 64,
  concurrency: 16,
  attempts: 5,
  requestsPerSecond: 1,
  robots: true,
  allowAddresses: [],
};
const textDefaults: TextSettings = { size: 2000, languages: ['eng'], minimumTexts: 1 };
/** Of made-up validation web pictures. */
export const defaultNoise = 0.3;
const tuneDefaults: TuneSettings = { trials: 20, noise: defaultNoise };

/** @param categories those of the file that `categories` names, where it names one */
export function completeConfiguration(
  written: WrittenConfiguration,
  categories: readonly CategorySettings[] | undefined,
  folderName: string,
): Configuration {
  const sources = (written.sources ?? ['openverse']).map((entry) =>
    typeof entry === 'string' ? { source: entry } : entry,
  );
  const networks = networksOf(written.model);
  return {
    name: written.name ?? folderName,
    seed: written.seed ?? 1,
    categories:
      categories ??
      (written.categories as readonly (string | WrittenCategory)[]).map((entry) =>
        typeof entry === 'string' ? { name: entry, aliases: [] } : { aliases: [], ...entry },
      ),
    auxiliary: {
      aliases: {},
      ...(typeof written.auxiliary === 'string' ? { folder: written.auxiliary } : written.auxiliary),
    },
    test: written.test,
    answers: written.answers ?? 'listed',
    shares: written.shares ?? 'unknown',
    sources,
    crawl: { ...crawlDefaults, ...written.crawl },
    dedupe: { radius: 10, likeness: 0.8, leaks: 'drop', ...written.dedupe },
    model: networks[0],
    networks,
    semantics: semanticKinds(written.semantics),
    vectors: vectorsOf(written.vectors ?? 'glove-100'),
    words: wordsOf(written.words),
    text: textOf(written.text, sources),
    learner: {
      ...{ parameters: {}, scaling: 'l2', device: 'auto', ...written.learner },
      method: currentName(written.learner?.method ?? defaultMethod),
    },
    tune: tuneOf(written),
    compare: written.compare
      ? { tune: 0, seeds: 1, ...written.compare, methods: written.compare.methods.map(currentName) }
      : undefined,
    report: written.report ?? true,
    jobs: written.jobs,
    truth: written.truth,
    plugins: written.plugins ?? [],
    records: written.records ?? {},
    notes: renamed([written.learner?.method ?? defaultMethod, ...((written.compare || undefined)?.methods ?? [])]),
  };
}

function networksOf(written: WrittenConfiguration['model'] = 'resnet50'): ModelSettings[] {
  return [written].flat().map((one: WrittenNetwork) => {
    if (typeof one === 'string') return { name: one };
    const { views, ...rest } = one;
    return { ...rest, ...(views && { views: views === 'five-crops' ? fiveCrops : views }) };
  });
}

function wordsOf({ normalise, ...written }: NonNullable<WrittenConfiguration['words']> = {}): WordSettings {
  return { missing: 'skip', normalize: normalise ?? 'l2', ...written };
}

function renamed(methods: readonly string[]): string[] {
  const old = new Set(methods.filter((name) => currentName(name) !== name));
  return [...old].map((name) => `the method ${name} is now called ${currentName(name)}: change it in bowerbird.yaml`);
}

/**
 * The default method learns on the auxiliary categories by itself. A search on the same ones, all equally frequent and
 * without strangers, knows less of a folder than that, so there is none unless it is asked for.
 */
function tuneOf({ tune, learner }: WrittenConfiguration): TuneSettings | undefined {
  const searched = tune ?? currentName(learner?.method ?? defaultMethod) !== defaultMethod;
  return searched === false ? undefined : { ...tuneDefaults, ...(typeof searched === 'object' && searched) };
}

function vectorsOf(written: NonNullable<WrittenConfiguration['vectors']>): Configuration['vectors'] {
  return typeof written === 'string' ? [written] : (written as Configuration['vectors']);
}

/** File names in a folder say little about a picture, and may say too much. */
function textOf(written: WrittenConfiguration['text'], sources: readonly SourceEntry[]): TextSettings | undefined {
  const worded = sources.some(({ source }) => !source.startsWith('folder:'));
  if (written === false || (written === undefined && !worded)) return undefined;
  return { ...textDefaults, ...(typeof written === 'object' && written) };
}
