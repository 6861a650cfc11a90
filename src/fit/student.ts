/**
 * A classifier for pictures that come later, learnt from a fitted method: ridge regression from features to categories,
 * min over W, b of Σ w_i ‖x_i W + b − e(y_i)‖² + ρ‖W‖², over the test pictures with the method's own answers and,
 * for a method that learns from them, the web pictures with their labels and the weights the method gave them. Test pictures
 * that may show no category count by the chance that they show one. A method
 * that looks at all test pictures together is often better on them than the map it leaves behind; this keeps the gain.
 */
import type { Backend } from '../linalg/index.js';
import { labelTargets, ridgeRegression, transposedModel } from '../numerics/index.js';
import { candidateNames, type Method, type Problem, selectRows, stackRows } from '../problem/index.js';
import type { LinearScorer } from './scorer.js';

export interface StudentOptions {
  ridge: number;
  /** Test pictures to learn from. @default all */
  rows?: readonly number[];
  /** Whether the method learnt from the web pictures. */
  web: boolean;
  normalize: LinearScorer['normalize'];
  backend: Backend;
}

export function studentOf(method: Method, problem: Problem, options: StudentOptions): LinearScorer {
  const { ridge, web, normalize, backend } = options;
  const { testFeatures, webFeatures, webLabels } = problem;
  const lessons = options.rows ?? Array.from({ length: testFeatures.rows }, (_, i) => i);
  const names = candidateNames(problem);
  const theta = method.webWeights?.();
  const fromWeb = web ? webFeatures.rows : 0;
  const trusted = theta?.length === fromWeb ? theta : undefined;
  const answers = method.predict(testFeatures);
  const unlisted = method.probabilities?.(testFeatures).unlisted;
  const labels = [...lessons.map((i) => answers[i]), ...webLabels.subarray(0, fromWeb)];
  const model = ridgeRegression(
    backend,
    stackRows(selectRows(testFeatures, lessons), webFeatures.view(0, fromWeb)),
    labelTargets(labels, names.length),
    {
      ridge,
      instanceWeights: labels.map((_, k) =>
        k < lessons.length ? 1 - (unlisted?.[lessons[k]] ?? 0) : Math.max(0, trusted?.[k - lessons.length] ?? 1),
      ),
    },
  );
  return { normalize, ...transposedModel(model), names };
}
