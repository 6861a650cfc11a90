/** A finished fit: what it says about the test pictures, what it learnt on the way, and where it comes from. */
import type { ParameterValue } from '../methods/index.js';
import type { FeatureScaling, FitDetails } from '../problem/index.js';
import type { Answers } from './answers.js';
import type { FitMetrics } from './metrics.js';
import type { Model } from './scorer.js';

export const fitSchema = 'bowerbird-fit-1';

/** Where a fit comes from: `run.json` of its folder. */
export interface FitRecord {
  readonly schema: typeof fitSchema;
  readonly method: string;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
  /** Who chose the parameters, where that is known. */
  readonly parametersFrom?: 'default' | 'tuned' | 'given';
  readonly seed: number;
  /** How the features were scaled before the fit. */
  readonly scaling: FeatureScaling;
  /** The candidate categories. */
  readonly categories: readonly string[];
  /** What the fit was asked for with, such as the options of the command. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, string>>;
  /** SHA-256 of the problem. */
  readonly inputs: { readonly problem: string };
  readonly backend: { readonly device: string; readonly description: string; readonly threads: number };
  readonly seconds: number;
  readonly iterations?: number;
  readonly converged?: boolean;
  readonly warnings?: readonly string[];
  /** How far each kind of semantic vectors was believed, from 0 to 1. */
  readonly trusts?: Readonly<Record<string, number>>;
  readonly peakMemoryBytes?: number;
}

/** A web picture and how far it was trusted. */
export interface WeightedPicture {
  row: number;
  category: string;
  weight: number;
  text: string;
}

/** Test pictures that seem to show one category that is none of the candidates. */
export interface StrangerGroup {
  group: number;
  pictures: number;
  nearestListed: string;
  nearestAuxiliary: string;
}

export interface FitResult extends Answers, Pick<FitDetails, 'trace' | 'semantics' | 'dictionary'> {
  readonly record: FitRecord;
  readonly metrics: FitMetrics;
  /** The right categories of the test pictures, where they are known. */
  readonly labels?: Int32Array;
  /** In the order of the problem; absent for a method without weights. */
  readonly web?: readonly WeightedPicture[];
  /** Groups of `groups`, largest first; absent for a method that makes none. */
  readonly strangerGroups?: readonly StrangerGroup[];
  /** For pictures that come later; absent for a method that classifies only those it was fitted with. */
  readonly model?: Model;
}
