import { expect, it } from 'vitest';
import { summarize } from '../../src/problem/summary.js';
import { smallProblem } from './small-problem.js';

it('a problem in numbers has the sizes of its sets and of their smallest and largest categories', () => {
  const { sets, ...rest } = summarize(
    smallProblem({
      testLabels: Int32Array.of(0, -1),
      webKinds: ['photo', 'photo'],
      webTexts: ['a', 'b'],
      webVouched: Uint8Array.of(1, 1),
    }),
  );
  expect(sets).toEqual([
    { name: 'auxiliary', pictures: 3, categories: 2, fewest: 1, most: 2 },
    { name: 'web', pictures: 2, categories: 2, fewest: 1, most: 1, kinds: { photo: 2 } },
    { name: 'test', pictures: 2, categories: 2, fewest: 0, most: 1 },
  ]);
  expect(rest).toMatchObject({ features: 2, semanticDimensions: 2, generalized: false, webTexts: true, webVouched: 2 });
  expect(summarize(smallProblem())).toMatchObject({
    webTexts: false,
    webVouched: undefined,
    textDimensions: undefined,
  });
  const unlabelled = summarize(smallProblem({ testLabels: undefined })).sets.find(({ name }) => name === 'test');
  expect(unlabelled).toEqual({ name: 'test', pictures: 2, categories: 2 });
});
