// Kernels for training word vectors. All data lies in the shared memory where the host put it; each thread has its own
// instance (and so its own globals) over the same memory.
export { drawUniform, setSeed, seedHigh, seedLow } from './random';
export { configureSampler, drawWord } from './sampler';
export { configureWord2vec, continuousBag, skipGram, updateOutputs } from './word2vec';
export { configureGlove, trainRecords } from './glove';
export { clearTable, configureTable, countPairs, mergeRecords, partitionTable, tableUsed } from './cooccurrence';
