/**
 * The library in small: problems, fits, methods, workspaces. The rest lies in subpaths: `bowerbird/linalg`, `/formats`, `/methods`,
 * `/fit`, `/evaluation`, `/crawl`, `/catalog`, `/vision`, `/language`, `/report`, `/studio`, `/distribute`, `/workspace`.
 */
export { registerSource, type Source } from './crawl/index.js';
export { ArgumentError, BowerbirdError, FormatError, InterruptedError, ProblemError, UsageError } from './errors.js';
export {
  type Answer,
  type Answers,
  answerRows,
  classifyFeatures,
  type FitResult,
  type FitSettings,
  fit,
  readFit,
  writeFit,
} from './fit/index.js';
export { type Backend, createBackend, Matrix } from './linalg/index.js';
export { Bowerbird, findMethod, type MethodSpec, methods, registerMethod } from './methods/index.js';
export { loadPlugins, type Plugin } from './plugins/index.js';
export {
  checkProblem,
  generateProblem,
  type LoadOptions,
  loadProblem,
  type Method,
  type Problem,
  saveProblem,
} from './problem/index.js';
export type { Progress } from './progress.js';
export { classify, exportClassifier, openWorkspace, runWorkspace, type Workspace } from './workspace/index.js';
