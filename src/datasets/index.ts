/** Sets of labelled pictures as other tools keep them: read and written. */
export { type AnswerFormat, answerFormats, type DataFormat, dataFormats } from './names.js';
export type { DataPicture, Provenance } from './picture.js';
export { type WriteOptions, writeData } from './write.js';
export { type AnsweredPicture, type WriteAnswersOptions, writeAnswerFiles } from './write-answers.js';
