/** Words that options of commands choose from, without the rest of the folder behind them, so that help is quick. */
export { type DatasetName, datasetNames } from './dataset/layouts.js';
export { type ExportFormat, exportFormats } from './export/formats.js';
export { parseKind, type WrittenKind } from './semantics/kinds.js';
export { stageNames } from './stage.js';
