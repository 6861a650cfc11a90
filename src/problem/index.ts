/** Problems: the type, making, reading, checking and splitting them. */

export { openArrays } from './array-source.js';
export {
  type Block,
  besideEachOther,
  blockArrays,
  blocksFromArrays,
  columnsOf,
  type ImageTextPair,
  imageTextPair,
  type SemanticPart,
  semanticParts,
} from './blocks.js';
export { brokenRules, type CheckOptions, checkProblem } from './check.js';
export { diagnose, type Finding } from './diagnose.js';
export { generalize } from './generalize.js';
export { type GenerateOptions, generateProblem } from './generate.js';
export type { WebKind } from './generate-pictures.js';
export { problemHash, streamedHash } from './hash.js';
export { type LoadOptions, loadProblem, readProblem } from './load.js';
export {
  doubtAfter,
  type FitDetails,
  type FitOptions,
  type FolderAnswers,
  type KnownAnswers,
  type LinearDecision,
  type Method,
  type NearestPictures,
  notFitted,
  type Probabilities,
  requireLearnable,
  rowMaxima,
  type StrangerDecision,
  type StrangerGroups,
  type Sureness,
  sameRows,
  unlistedChance,
} from './method.js';
export {
  type FeatureScaling,
  featureScalings,
  type NormalizeOptions,
  normalize,
  scaleToUnitLength,
} from './normalize.js';
export { type PlantedPicture, type PlantOptions, plantWeb } from './plant-web.js';
export { candidateNames, candidateSemantics, type Problem, unanswered, type ValidationWeb } from './problem.js';
export { type PictureSet, semanticsOf } from './read-arrays.js';
export {
  drawFolder,
  drawRows,
  type Folder,
  type FolderOptions,
  type Shares,
  sharesByName,
  withWrongShare,
} from './regimes.js';
export { rowsWhere, selectIntegers, selectRows, selectStrings, stackRows } from './rows.js';
export { type SaveOptions, saveProblem } from './save.js';
export { type KnownShares, withShares } from './shares.js';
export {
  type FeatureRows,
  featureBytes,
  openStreamedProblem,
  readableByBlocks,
  type StreamedProblem,
  type StreamedRows,
} from './streamed.js';
export {
  type CategoryChoice,
  keepAuxiliary,
  keepTest,
  keepValidationWeb,
  keepWeb,
  restrictToCategories,
  rowsByCategory,
  subsetWeb,
  topWeb,
} from './subset.js';
export { type ProblemSummary, type SetSummary, summarize } from './summary.js';
export {
  type SyntheticWebOptions,
  syntheticValidationWeb,
  validationCategoryCount,
  validationSplit,
} from './validation.js';
export { isXlsa17 } from './xlsa17.js';
