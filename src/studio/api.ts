/** What the studio's server and its page say to each other: plain JSON values, and nothing but types here. */
import type { Question, Standing } from '../ask/index.js';
import type { AccuracyEstimate, Interval } from '../fit/index.js';
import type { Progress } from '../progress.js';
import type { Agreement } from '../workspace/index.js';

export interface StageView {
  stage: string;
  needs: string[];
  state: 'done' | 'stale' | 'failed' | 'waiting' | 'omitted' | 'running';
  reason?: string;
  hint?: string;
  summary?: string;
  notes: string[];
  seconds?: number;
  finished?: string;
}

/** Sent whenever something changes in the workspace. */
export interface LiveState {
  running: boolean;
  /** Whether the run was started here, and so can be stopped here. */
  own: boolean;
  /** Finished stages of all; its parts are those at work. */
  progress?: Progress;
  /** Why the last run that was started here ended without success. */
  failure?: string;
  /** Changes when there is something new to be fetched. */
  version: string;
  /** Changes with every decision. */
  decisions: string;
  /** Changes with the questions. */
  ask: string;
}

export interface RunView {
  id: string;
  finished: string;
  method: string;
  accuracy?: number;
  meanCategoryAccuracy?: number;
  /** 95 % intervals of the two. */
  intervals: { accuracy?: Interval; meanCategoryAccuracy?: Interval };
  thetaArea?: number;
  seconds?: number;
  webPictures: number;
  droppedByHand: number;
  current: boolean;
}

export interface Overview {
  name: string;
  folder: string;
  categories: number;
  stages: StageView[];
  /** Newest first. */
  runs: RunView[];
  warnings: string[];
  decisions: { keep: number; drop: number; undoable: number };
  report: boolean;
}

export type GalleryDecision = 0 | 1 | 2 | 3;

/** The web pictures as columns: entry i of each array is one picture. */
export interface Gallery {
  categories: string[];
  /** Categories that a picture may be moved to, by name. */
  targets: string[];
  sources: string[];
  reasons: string[];
  id: string[];
  title: string[];
  /** The one it was moved to, or else the one it was found for. */
  category: number[];
  foundFor: number[];
  source: number[];
  /** θ of the last fit; null where the picture took no part in it. */
  weight: (number | null)[];
  /** Index into `reasons` of why the crawl left it out; −1 for one that was taken. */
  reason: number[];
  /** Whether there is a file to show. */
  shown: (0 | 1)[];
  /** 0 none, 1 kept, 2 dropped and 3 moved by hand. */
  decision: GalleryDecision[];
  /** Why a part is missing, in words. */
  notice?: string;
}

export interface PictureDetails {
  id: string;
  category: string;
  /** Where somebody moved it from. */
  foundFor?: string;
  source: string;
  licence: string;
  title?: string;
  tags?: string[];
  description?: string;
  comments?: string[];
  author?: string;
  /** Present only where a browser may safely follow it. */
  pageUrl?: string;
  licenceUrl?: string;
  weight?: number;
  reason?: string;
  detail?: string;
}

/** What a web picture looks like, whatever it was found for. */
export interface PictureLikeness {
  /** What the classifier says of it by itself. */
  guess?: Guess;
  nearest: (NamedPicture & { likeness: number; weight?: number })[];
}

export interface Guess {
  category: string;
  confidence?: number;
}

export interface DecisionAnswer {
  keep: number;
  drop: number;
  undoable: number;
  /** The decisions as they now stand, by picture. */
  of: Record<string, 'keep' | 'drop'>;
  /** The category that pictures were moved to; they count as kept. */
  moved: Record<string, string>;
}

export interface NamedPicture {
  set: 'web' | 'auxiliary' | 'test';
  id: string;
  label: string;
  category: string;
}

export interface MapPoint {
  x: number;
  y: number;
  category: number;
  /** −1 where the truth is not known. */
  truth: number;
  id: string;
}

export interface CategoriesView {
  names: string[];
  /** Absent where there is no fit yet. */
  map?: {
    /** Of the learnt semantic vectors, or of the scores where the method learns none. */
    kind: 'semantics' | 'scores';
    shares: [number, number];
    /** Undefined for a category that has no place. */
    categories: ({ x: number; y: number } | undefined)[];
    /** Test pictures. */
    pictures: MapPoint[];
  };
  cards: {
    name: string;
    webPictures: number;
    testPictures: number;
    accuracy?: number;
    interval?: Interval;
    /** Test pictures that are said to show it. */
    answers: number;
    /** Whether words say nothing of the name. */
    wordless: boolean;
    /** Auxiliary categories by the cosine of their word vectors, nearest first. */
    nearest: { name: string; likeness: number }[];
  }[];
  /** Rows: true category, columns: predicted one. */
  confusion?: number[][];
  /** Test pictures that probably show none of the categories; absent where the method cannot tell. */
  strangers?: {
    pictures: number;
    of: number;
    /** Largest first; pictures in no group come last, without neighbours. */
    groups: {
      count: number;
      nearestListed?: string;
      nearestAuxiliary?: string;
      pictures: (NamedPicture & { unlisted: number })[];
    }[];
  };
}

export interface ConfusedPictures {
  truth: string;
  predicted: string;
  mistaken: (NamedPicture & { confidence?: number })[];
  /** Web pictures of the two categories with the highest weights. */
  ofTruth: NamedPicture[];
  ofPredicted: NamedPicture[];
}

/** What is said of the test pictures, as columns: entry i of each array is one picture. */
export interface AnswersView {
  names: string[];
  id: string[];
  /** Index into `names`; −1 for none of them. */
  said: number[];
  /** Chance that this is right; null where it is not known. */
  confidence: (number | null)[];
  second: number[];
  /** Where the truth is known: index into `names`, −1 for none of them; null where not. */
  truth: (number | null)[];
  /** What people answered; null where nobody did. */
  answered: (number | null)[];
}

export interface ClassifyAnswer {
  category: string;
  confidence?: number;
  /** Chance that it shows none of the categories, where the model tells. */
  unlisted?: number;
  /** Whether that is likelier than not. */
  noneOfThese: boolean;
  /** Best first. */
  candidates: { category: string; score: number; confidence?: number }[];
  web: (NamedPicture & { likeness: number; weight?: number })[];
  auxiliary: (NamedPicture & { likeness: number })[];
  /** Sentences. */
  why: string[];
  seconds: number;
}

/** What became of a picture that was classified wrongly. */
export interface Correction {
  /** Of the test picture. */
  id: string;
  /** Whether it is new in the folder. */
  added: boolean;
}

export interface MethodRowView {
  method: string;
  title: string;
  uses: string[];
  accuracy: { mean: number; low: number; high: number };
  meanCategoryAccuracy: { mean: number; low: number; high: number };
  thetaArea?: number;
  seconds: number;
  chosenBy: string;
  /** Against the reference: difference with interval, and the p value of McNemar's test. */
  against?: { method: string; difference: number; low: number; high: number; p: number };
}

export interface CurveView {
  title: string;
  x: { label: string; log: boolean };
  y: { label: string };
  series: { name: string; points: { x: number; y: number; low?: number; high?: number }[] }[];
}

export interface CompareView {
  table?: { reference: string; best: string; rows: MethodRowView[]; skipped: { method: string; reason: string }[] };
  /** Accuracy of the trials of the search against each parameter. */
  trials?: {
    method: string;
    parameters: string[];
    points: { values: Record<string, number | string>; accuracy: number }[];
  };
  experiments: CurveView[];
  trace?: Record<string, number[]>;
  runs: RunView[];
}

export interface RunsCompared {
  first: RunView;
  second: RunView;
  testPictures: number;
  /** Same answer in both. */
  agreeing: number;
  /** Where the truth is known. */
  onlyFirstRight?: number;
  onlySecondRight?: number;
  /** Two-sided McNemar test. */
  p?: number;
  categories: { name: string; first?: RunShare; second?: RunShare }[];
  /** Answers that changed; more of them than are listed. */
  changes: number;
  changed: (NamedPicture & { first: string; second: string; truth?: string })[];
  weights: { id: string; first: number; second: number }[];
  /** Web pictures whose weight changed most. */
  moves: (NamedPicture & { first: number; second: number })[];
  /** Decisions made after the first, which going back to it takes back. */
  decisionsSince: number;
}

export interface RunShare {
  share: number;
  interval?: Interval;
}

export interface ExportView {
  /** Whether there is a classifier to export. */
  ready: boolean;
  report: boolean;
  /** Why the report, or the classifier, is not what a run would make now. */
  stale: { report?: string; classifier?: string };
  formats: { name: string; description: string }[];
  files: { name: string; bytes: number }[];
}

/** Where the questions of a workspace stand. */
export interface AskView {
  /** `closed`: nobody has begun. */
  state: 'closed' | 'opening' | 'ready' | 'failed';
  /** Answers are being taken up. */
  busy: boolean;
  progress?: Progress;
  by?: string;
  /** The most valuable first. */
  questions: Question[];
  /** What an answer may be. */
  names: string[];
  categories: string[];
  pictures: number;
  answered: number;
  undoable: number;
  standing?: Standing & { moved: number };
  estimate?: AccuracyEstimate;
  agreement?: Agreement;
  failure?: { message: string; hint?: string };
}

export interface AskAnswer {
  answered: number;
  undoable: number;
  /** Pictures of the answer that was taken back. */
  ids?: string[];
}

export interface Failure {
  error: { code?: string; message: string; hint?: string };
}
