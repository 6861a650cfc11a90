/**
 * What an exported graph says about itself, as `metadata_props` of ONNX: everything that a program needs besides the graph
 * to answer as `bowerbird classify` does. Values are JSON; keys begin with `bowerbird.`, so that they never meet those of
 * the network.
 */
import { noneOfThese } from '../../fit/index.js';
import { unlistedChance } from '../../problem/index.js';
import { versions } from '../../versions.js';
import type { FeatureMeta } from '../../vision/index.js';
import type { ExportedModel } from './scorer-graph.js';

/** By key. */
export type GraphMetadata = Readonly<Record<string, string>>;

/** @param features how the features were made that the classifier was fitted with */
export function graphMetadata(model: ExportedModel, features: FeatureMeta): GraphMetadata {
  const { scorer, sharpness, strangers } = model;
  const { name, sha256, licence } = features.model;
  const facts = {
    version: versions().bowerbird,
    /** In the order of the scores. */
    categories: scorer.names,
    preprocessing: features.preprocessing,
    /** confidences = (1 − doubt) softmax(scores/(temperature · spread)) + doubt/C; the graph does it already. */
    calibration: sharpness ?? null,
    /** A picture whose `unlisted` is above shows none of the categories. */
    unlisted: strangers ? { above: unlistedChance, answer: noneOfThese } : null,
    network: { name, sha256, licence, layer: features.layer, reduction: features.reduction },
  };
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [`bowerbird.${key}`, JSON.stringify(value)]));
}
