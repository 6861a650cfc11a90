/**
 * A problem: everything a learner is given. Instances are rows. Category indices of `webLabels` and `testLabels` point
 * into the test categories, those of `auxiliaryLabels` into the auxiliary ones.
 */
import type { Matrix } from '../linalg/index.js';
import type { Block } from './blocks.js';
import { stackRows } from './rows.js';

export interface Problem {
  /** Clean labelled pictures of other categories: na×d, na, Ca×m, Ca. */
  readonly auxiliaryFeatures: Matrix;
  readonly auxiliaryLabels: Int32Array;
  readonly auxiliarySemantics: Matrix;
  readonly auxiliaryNames: readonly string[];

  /** Noisy web pictures of the test categories: nw×d, nw. */
  readonly webFeatures: Matrix;
  readonly webLabels: Int32Array;
  /** Term frequencies of titles and tags, nw×d̃. */
  readonly webText?: Matrix;
  /** The titles and tags themselves, one string a picture. */
  readonly webTexts?: readonly string[];

  /**
   * The pictures to classify: nt×d, Ct×m, Ct; labels, where known, are for scoring only, −1 for a picture known to show no
   * candidate.
   */
  readonly testFeatures: Matrix;
  readonly testLabels?: Int32Array;
  readonly testSemantics: Matrix;
  readonly testNames: readonly string[];

  /**
   * What a person said of test pictures: a candidate, −1 for one that shows none of them, `unanswered` for pictures nobody
   * was asked about. Unlike `testLabels` these are learnt from.
   */
  readonly testKnown?: Int32Array;

  /** Features of several networks beside one another. @default one block */
  readonly featureBlocks?: readonly Block[];
  /** Semantic vectors of several kinds beside one another; a row of zeros in a block is a category without a vector. @default one block */
  readonly semanticBlocks?: readonly Block[];

  /** Known shares of the candidates among the test pictures, adding up to 1. @default unknown */
  readonly testShares?: Float64Array;

  /**
   * Generalized setting: a test picture may show an auxiliary category. `testLabels` then count the test categories
   * first (0…Ct−1), the auxiliary ones after them (Ct…Ct+Ca−1), and so do predictions.
   */
  readonly generalized: boolean;

  /** Web pictures of auxiliary categories, for choosing parameters without looking at test labels. */
  readonly validationWeb?: ValidationWeb;

  /** Known truth about the web pictures (for example `clean`, `confused`), for scoring weights only. */
  readonly webKinds?: readonly string[];

  /** 1 for web pictures that a person has looked at and found to show what their label says. */
  readonly webVouched?: Uint8Array;
}

/** In `testKnown`: nobody has said anything of this picture. */
export const unanswered = -2;

export interface ValidationWeb {
  readonly features: Matrix;
  /** Into the auxiliary categories. */
  readonly labels: Int32Array;
  readonly text?: Matrix;
  readonly texts?: readonly string[];
  readonly kinds?: readonly string[];
  /** 1 for auxiliary pictures that web pictures were made from: they must not serve as validation test pictures. */
  readonly auxiliaryUsed?: Uint8Array;
  /** They are auxiliary pictures in disguise, which know nothing of the look of the web. */
  readonly madeUp?: true;
}

/** Names of the categories a prediction of this problem may take, in label order. */
export function candidateNames(problem: Problem): readonly string[] {
  return problem.generalized ? [...problem.testNames, ...problem.auxiliaryNames] : problem.testNames;
}

/** Vectors of the categories a prediction may take: test categories first, auxiliary ones too when generalized. */
export function candidateSemantics({ testSemantics, auxiliarySemantics, generalized }: Problem): Matrix<Float64Array> {
  return (generalized ? stackRows(testSemantics, auxiliarySemantics) : testSemantics).copy('float64');
}
