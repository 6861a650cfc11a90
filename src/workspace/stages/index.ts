/** The stages of a workspace, each after those it needs. */
import type { Stage } from '../stage.js';
import { compareStage } from './compare.js';
import { crawlStage } from './crawl.js';
import { dedupeStage } from './dedupe.js';
import { featureStages } from './features.js';
import { fitStage } from './fit.js';
import { problemStage } from './problem.js';
import { reportStage } from './report.js';
import { textStage } from './text.js';
import { tuneStage } from './tune.js';
import { wordsStage } from './words.js';

export const stages: readonly Stage[] = [
  crawlStage,
  dedupeStage,
  ...featureStages,
  wordsStage,
  textStage,
  problemStage,
  tuneStage,
  fitStage,
  compareStage,
  reportStage,
];
