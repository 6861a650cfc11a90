/** Files researchers already have: numpy, MATLAB, safetensors, word vectors, CSV. */
export {
  type ArrayData,
  type ArrayDtype,
  type ArrayOrigin,
  convertReals,
  elementCount,
  fromMatrix,
  isNumeric,
  type NdArray,
  type NumericDtype,
  toInt32,
  toMatrix,
  toStrings,
} from './array.js';
export { type ArrayRows, openNpyRows } from './array-rows.js';
export { PendingFile, removeAbandoned, renameOver, writeBeside, writeFileAtomic } from './atomic.js';
export {
  type CsvMatrixOptions,
  type CsvTable,
  type CsvTableOptions,
  type CsvValue,
  csvLines,
  readCsv,
  readCsvMatrix,
  writeCsv,
} from './csv.js';
export { type CsvOptions, type CsvRecord, csvRecords } from './csv-records.js';
export { databaseFile, type MemoryDatabase, openMemoryDatabase } from './duckdb.js';
export {
  type FileSource,
  fileError,
  memoryFile,
  namedFileError,
  openFile,
  type RandomAccessFile,
  withFile,
} from './file.js';
export { halfToFloats, realsToHalves } from './float16.js';
export { gloveDimension, gloveEntries, readGlove, writeGlove } from './glove.js';
export { escapeHtml } from './html.js';
export { readMat } from './mat.js';
export {
  describeMat,
  type MatCell,
  type MatNumbers,
  type MatSparse,
  type MatStruct,
  type MatText,
  type MatValue,
  matColumns,
  matTexts,
  matToArray,
  sparseEntries,
  sparseToDense,
} from './mat-value.js';
export type { ReadMatOptions } from './mat5.js';
export { matCellOf, matColumnOf, matColumnsOf, type WriteMatOptions, writeMat } from './mat5-writer.js';
export { readNpy, readNpyHeader, writeNpy } from './npy.js';
export { NpyWriter, type NpyWriterOptions } from './npy-writer.js';
export { Npz, type OpenNpzOptions, openNpz, readNpz, type WriteNpzOptions, writeNpz } from './npz.js';
export { type Field, readFields, textOf, type WireSource, WireWriter } from './protobuf.js';
export { openSafetensors, readSafetensors, Safetensors, writeSafetensors } from './safetensors.js';
export type { ArrayHeader, ReadArrayOptions, RowRange } from './stored-array.js';
export type { WordVectorEntry } from './word-vectors.js';
export {
  type ReadWordVectorsOptions,
  readWord2vec,
  readWord2vecHeader,
  type WordVectors,
  type WriteWord2vecOptions,
  word2vecEntries,
  writeWord2vec,
} from './word2vec.js';
export { readZipDirectory } from './zip.js';
export { openMember } from './zip-member.js';
