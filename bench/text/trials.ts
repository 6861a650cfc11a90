/** The settings of the study of text: the weight of the text, its ridge, and the size of the vocabulary, on validation categories. */
import type { FitJob, Parameters } from '../../src/evaluation/index.js';
import { findMethod } from '../../src/methods/index.js';
import { resolveParameters } from '../../src/parameters.js';

/** The largest takes all words there are. */
export const vocabularies = [50, 100, 200, 500, 1000];
export const textWeights = [0.01, 0.1, 1, 10];
export const textRidges = [0, 0.01, 1, 100];
export const textPenalties = [0.01, 0.1, 1, 10];

/** What the methods with text are held against. */
export const withoutText = ['paper', 'lr', 'wsdg'];

export interface TextTrial {
  /** Size of the vocabulary. */
  words: number;
  job: FitJob;
}

/** γ and ε of the learner, the penalty of SVM+ and WSDG_PI, each with every vocabulary; and the methods without text. */
export function textTrials(): TextTrial[] {
  const trials: TextTrial[] = withoutText.map((method) => ({ words: 1000, job: jobOf(method, {}, 'without text') }));
  for (const words of vocabularies) {
    for (const gamma of textWeights)
      for (const textRidge of textRidges)
        trials.push({ words, job: jobOf('paper-pi', { gamma, textRidge }, `words=${words}`) });
    for (const method of ['svm-plus', 'wsdg-pi'])
      for (const textPenalty of textPenalties)
        trials.push({ words, job: jobOf(method, { textPenalty }, `words=${words}`) });
  }
  return trials;
}

function jobOf(method: string, given: Parameters, about: string): FitJob {
  const parameters = resolveParameters(method, findMethod(method).parameters, given);
  const told = Object.entries(given).map(([name, value]) => `${name}=${value}`);
  return {
    id: [`${method}/${about}`, ...told].join(','),
    method,
    parameters,
    seed: 1,
    split: 'test',
    generalized: false,
  };
}
