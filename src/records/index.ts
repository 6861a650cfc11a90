/** Records of fits in the tools where people keep their experiments. */
export { logRun, RecordError } from './mlflow.js';
export type { RunRecord } from './run-record.js';
export { writeEvents } from './tensorboard.js';
