/** What can go wrong between a picture and its features: the picture, the model, or the two not belonging together. */
import { BowerbirdError } from '../errors.js';

export { PictureError, type PictureFault } from '../decoding/index.js';

/** A model file, entry or layer is not what it must be. */
export class ModelError extends BowerbirdError {
  constructor(message: string, hint?: string, cause?: unknown) {
    super('BOWERBIRD_MODEL', message, { hint, cause });
  }
}

/** A network uses a layer, or an option of a layer, that the importer does not translate. */
export class UnsupportedLayerError extends BowerbirdError {
  readonly layerType: string;
  readonly layerName: string;

  constructor(layerType: string, layerName: string, problem = 'this layer type is not translated') {
    super('BOWERBIRD_UNSUPPORTED_LAYER', `layer "${layerName}" of type ${layerType}: ${problem}`, {
      hint: 'Convert the network to ONNX with another tool and give the .onnx file instead.',
    });
    this.layerType = layerType;
    this.layerName = layerName;
  }
}

/** Features of different models, layers or preprocessing would be mixed. */
export class FeatureMismatchError extends BowerbirdError {
  constructor(message: string, hint?: string) {
    super('BOWERBIRD_FEATURE_MISMATCH', message, { hint });
  }
}
