/**
 * The problem as the pair of MATLAB files of the zero-shot benchmarks (Xian et al., CVPR 2017), with the web pictures in
 * a file beside them: `bowerbird fit res101.mat --web-file web.npz` reads it back. The format wants to know the category
 * of every test picture.
 */
import { join } from 'node:path';
import { matCellOf, matColumnOf, matColumnsOf, writeMat, writeNpz } from '../../formats/index.js';
import type { Matrix } from '../../linalg/index.js';
import type { Problem } from '../../problem/index.js';
import { stackRows } from '../../problem/index.js';

export async function writeXlsa17(folder: string, problem: Problem): Promise<string[]> {
  const { auxiliaryFeatures, auxiliaryLabels, testFeatures, testLabels, auxiliaryNames, testNames } = problem;
  const categories = auxiliaryNames.length;
  const labels = [...auxiliaryLabels.map((label) => label + 1), ...testLabels!.map((label) => categories + label + 1)];
  const location = (from: number, count: number) =>
    matColumnOf(Int32Array.from({ length: count }, (_, i) => from + i + 1));
  await writeMat(join(folder, 'res101.mat'), {
    features: matColumnsOf(stackRows(auxiliaryFeatures, testFeatures)),
    labels: matColumnOf(Int32Array.from(labels)),
  });
  await writeMat(join(folder, 'att_splits.mat'), {
    att: matColumnsOf(stackRows(problem.auxiliarySemantics, problem.testSemantics)),
    allclasses_names: matCellOf([...auxiliaryNames, ...testNames]),
    trainval_loc: location(0, auxiliaryFeatures.rows),
    test_seen_loc: location(0, 0),
    test_unseen_loc: location(auxiliaryFeatures.rows, testFeatures.rows),
  });
  const strings = (data: readonly string[]) => ({ shape: [data.length], dtype: 'string' as const, data: [...data] });
  const marks = (data: Uint8Array) => ({ shape: [data.length], dtype: 'bool' as const, data });
  const { webFeatures, webLabels, webText, webTexts, webVouched } = problem;
  await writeNpz(join(folder, 'web.npz'), [
    ['web_features', webFeatures],
    ['web_labels', { shape: [webLabels.length], dtype: 'int32', data: webLabels }],
    ['test_names', strings(testNames)],
    ...(webText ? [['web_text', webText] as [string, Matrix]] : []),
    ...(webTexts ? [['web_texts', strings(webTexts)] as [string, ReturnType<typeof strings>]] : []),
    ...(webVouched ? [['web_vouched', marks(webVouched)] as [string, ReturnType<typeof marks>]] : []),
  ]);
  return ['res101.mat', 'att_splits.mat', 'web.npz'];
}
