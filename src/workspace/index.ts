/** Workspaces: one folder from names to answers. */
export { type ClassifiedPicture, type ClassifyOptions, type ClassifyResult, classify } from './classify.js';
export type { Configuration, WrittenConfiguration } from './configuration.js';
export { type DatasetOptions, type DatasetSummary, datasetWorkspace } from './dataset/dataset.js';
export { DatasetError, type DatasetName, datasetNames } from './dataset/layouts.js';
export { exportClassifier } from './export/export.js';
export { type ExportFormat, exportFormats } from './export/formats.js';
export { ConfigurationError, configurationFile, readConfiguration } from './read-configuration.js';
export { type RunOptions, type RunProgress, type RunReport, runWorkspace, type StageReport } from './run.js';
export { type StageName, stageNames } from './stage.js';
export { type StageStatus, workspaceStatus } from './status.js';
export { configurationText, createWorkspace } from './template.js';
export { layout, openWorkspace, type Workspace } from './workspace.js';
