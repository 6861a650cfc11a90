/** What to ask a person, and what the answers do. */
export { beliefsOf, verdicts } from './beliefs.js';
export { importLabels, readLabels, writeLabels } from './labels.js';
export type { Question, Reply, Standing } from './question.js';
export { type Asking, costOf, rankQuestions } from './questions.js';
export { AskSession, type SessionOptions } from './session.js';
export { agreementText, boughtText, estimateText, noneWords, parseReply, questionText } from './words.js';
