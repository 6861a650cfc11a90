/** What to ask a person, and what the answers do. */
export { beliefsOf, verdicts } from './beliefs.js';
export { importLabels, readLabels, writeLabels } from './labels.js';
export { actOf, type Question, type Reply, type Standing } from './question.js';
export { type Asking, costOf, rankQuestions } from './questions.js';
export { AskSession, type SessionOptions } from './session.js';
export { AskThread, type AskThreadState } from './thread.js';
export { agreementText, boughtText, estimateText, noneWords, parseReply, questionText } from './words.js';
