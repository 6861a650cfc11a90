/** Workspaces: one folder from names to answers. */
export { addCategory } from './add-category.js';
export { type Agreement, agreementOf, estimateFromAnswers } from './answer-estimate.js';
export type { ProblemRows } from './assemble.js';
export { chosenParameters } from './chosen-parameters.js';
export { type Classifier, openClassifier, UnfinishedError } from './classifier.js';
export {
  type ClassifiedPicture,
  type ClassifyOptions,
  type ClassifyResult,
  classify,
  classifyPictures,
} from './classify.js';
export type { Configuration, WrittenConfiguration } from './configuration.js';
export { type DatasetOptions, type DatasetSummary, datasetWorkspace } from './dataset/dataset.js';
export { DatasetError, type DatasetName, datasetNames } from './dataset/layouts.js';
export {
  type Act,
  type Asked,
  agreedLabel,
  type Decision,
  type Decisions,
  type PersonAnswer,
  readDecisions,
  recordActs,
  recordDecision,
  type StandingAct,
  undoDecision,
  webDuplicates,
} from './decisions.js';
export { answeredPictures, cleanedPictures } from './export/cleaned.js';
export { exportClassifier } from './export/export.js';
export { type ExportFormat, exportFormats } from './export/formats.js';
export { modelCard } from './export/model-card.js';
export { pixelModel } from './export/pixel-model.js';
export { openFeatureModel, soleNetwork } from './feature-model.js';
export { workIsOn } from './lock.js';
export { scaleParts } from './looks.js';
export {
  auxiliaryCategories,
  listSource,
  openTestPictures,
  unlistedFolder,
  type WebPicture,
  webPictures,
} from './pictures.js';
export { ConfigurationError, configurationFile, readConfiguration } from './read-configuration.js';
export { type RunOptions, type RunReport, runWorkspace, type StageReport } from './run.js';
export { picturesOfRun, resultFolders } from './run-pictures.js';
export { resultOf, type StageName, stageNames } from './stage.js';
export { featureFolder, type PictureSet } from './stages/features.js';
export { stages } from './stages/index.js';
export { workspacePictures } from './stages/report.js';
export { type StageRecord, StageStates } from './state.js';
export { type StageStatus, workspaceStatus } from './status.js';
export { configurationText, createWorkspace } from './template.js';
export { layout, openWorkspace, type Workspace } from './workspace.js';
