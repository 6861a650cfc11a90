/** Pictures to features: decoding, models, extraction, and names to vectors. */
export { builtinModels } from './builtin-models.js';
export { type DecodeLimits, decodeBytes, decodePicture, defaultLimits } from './decode.js';
export { describeFeatures } from './describe-features.js';
export { type EmbedNamesOptions, embedNames } from './embed-names.js';
export { FeatureMismatchError, ModelError, PictureError, type PictureFault, UnsupportedLayerError } from './errors.js';
export {
  defaultBatch,
  type ExtractOptions,
  type ExtractResult,
  extractFeatures,
  type FeatureModel,
  type PictureFeatures,
  pictureFeatures,
  type ShardDispatcher,
  type ShardWork,
} from './extract.js';
export {
  type FeatureMeta,
  type FeaturePart,
  readFeatureMeta,
  requireSameFeatures,
  writeFeatureMeta,
} from './feature-meta.js';
export { chooseFeature, type FeatureChoice, featureFolderName } from './feature-model.js';
export {
  clearFeatures,
  completeShards,
  featureFiles,
  readFailures,
  type ShardEntry,
  shardName,
  writeIndex,
  writeShard,
} from './feature-store.js';
export { getFile, getModel, isFetched, type ModelFile, type RegistryOptions } from './get-model.js';
export { hubPresets, isHubAddress } from './hub/address.js';
export { listLayers, type ModelLayer } from './list-layers.js';
export { type IndexedFeatures, loadFeatures, loadFeaturesOf } from './load-features.js';
export { describeSource, type ImageModelEntry, type ModelEntry, type TextModelEntry } from './model-entry.js';
export { addModel, findModel, listModels, removeModel } from './models.js';
export type { Device, Reduction } from './network.js';
export { metadataFields, OnnxBuilder } from './onnx/build.js';
export { compressWeights } from './onnx/compress.js';
export { exposeTensor, resolveLayer } from './onnx/expose.js';
export { graph, model, type OnnxGraph, readGraph } from './onnx/graph.js';
export type { ShardResult } from './pipeline.js';
export { type Preprocessing, presets, readPreprocessing } from './preprocessing.js';
export { measureRuntime, type RuntimeSpeed } from './runtime-speed.js';
export { ShardExtractor, type ShardExtractorOptions } from './shard-extractor.js';
export {
  hasPictures,
  openCatalogPictures,
  openFolderPictures,
  openPictures,
  type Picture,
  type PictureSource,
  pictureCategories,
} from './source.js';
export { convertLayersModel } from './tfjs/convert.js';
export { BpeTokenizer, readTokenizer } from './tokenizer.js';
export { fiveCrops, type ViewName, viewNames } from './views.js';
