/** Sets of labelled pictures as other tools keep them: read and written. */
export type { AddressedPicture, DataSet, ReadOptions } from './data-set.js';
export { type ImportOptions, type ImportSummary, importData } from './import.js';
export { type AnswerFormat, answerFormats, type DataFormat, dataFormats } from './names.js';
export type { DataPicture, Provenance } from './picture.js';
export { mayBeData, readData } from './read.js';
export { type DataSummary, summarizeData } from './summary.js';
export { type WriteOptions, writeData } from './write.js';
export { type AnsweredPicture, type WriteAnswersOptions, writeAnswerFiles } from './write-answers.js';
