/** Word vectors of category names, their training, and term frequencies of the texts of web pictures. */
export { type PictureText, pictureWords, type TokenizeOptions, termFrequencies, tokenize } from '../text/index.js';
export { type CorpusFormat, type ReadCorpusOptions, readCorpus } from './corpus/corpus.js';
export {
  describeMissing,
  type MissingPolicy,
  MissingVectorsError,
  type NameReport,
  type NameVectorOptions,
  type NameVectors,
  nameVectors,
} from './names/lookup.js';
export { type CategoryName, readNames } from './names/names.js';
export {
  cosine,
  evaluateSimilarity,
  type SimilarityPair,
  type SimilarityResult,
  spearman,
} from './similarity.js';
export { readAttributeTable } from './tables/attributes.js';
export { type NamedVectors, nameKey, vectorsOfNames } from './tables/match.js';
export { readTaxonomy } from './tables/taxonomy.js';
export { readVectorTable, type VectorTableOptions } from './tables/vector-table.js';
export { type ReadTextsOptions, readTexts } from './text/read-texts.js';
export { stopWordLanguages, stopWords } from './text/stop-words.js';
export {
  chooseWords,
  readVocabulary,
  type VocabularyOptions,
  writeVocabulary,
} from './text/vocabulary.js';
export { type CooccurrenceOptions, type CooccurrenceRecords, countCooccurrences } from './train/cooccurrence.js';
export { type EncodedCorpus, type EncodeOptions, encodeCorpus } from './train/encode.js';
export { type GloveSettings, gloveDefaults, trainGlove } from './train/glove.js';
export type { TrainControl } from './train/schedule.js';
export { type TrainedWords, type TrainWordsOptions, trainWords, type WordsModel } from './train/train-words.js';
export { trainWord2vec, type Word2vecSettings, word2vecDefaults } from './train/word2vec.js';
export { CompactVectors, CompactWriter, type VectorsDescription } from './vectors/compact.js';
export {
  type FetchReadyOptions,
  fetchReadyVectors,
  type ReadyVectors,
  readyVectors,
  readyVectorsPath,
} from './vectors/ready.js';
export { openVectors, type VectorSource, type VectorsKind } from './vectors/source.js';
export { vectorExtensions, vectorsExtension, writeVectors } from './vectors/write.js';
