// Mutants that change nothing anybody could notice, each with its reason. They are named by their file, the text before and
// after, and, where the same change can be made at several places of the file, which of them (counted from 1).
export const equivalent = [
  {
    file: 'learner/theta/projected-gradient.ts',
    before: 'Math.abs(gradient[i]) + own + Math.abs(problem.linear[i])',
    after: 'Math.abs(gradient[i]) + own - Math.abs(problem.linear[i])',
    reason: 'an estimate of rounding that only says when to stop; the other estimate beside it is as large',
  },
  {
    file: 'learner/theta/projected-gradient.ts',
    before: 'Math.abs(next - square) <= 1e-4 * next && k > 2',
    after: 'false',
    reason: 'stops a power iteration that has converged; without it the bound is the same to 1e-4, later',
  },
  {
    file: 'learner/span.ts',
    before: 'remaining[i] > remaining[pivot]',
    after: 'remaining[i] >= remaining[pivot]',
    reason: 'which of two equally long vectors is the pivot; the space spanned is the same',
  },
  {
    file: 'learner/web-scalars.ts',
    before: 'length * mu > lambda4',
    after: 'length * mu >= lambda4',
    reason: 'where both sides are equal the factor is zero either way',
  },
  {
    file: 'linalg/wasm/layout.ts',
    before: '64 * kib',
    after: '64 / kib',
    which: [3, 4],
    reason: 'where a region of memory begins; what lies before it ends at a multiple of 16 KiB anyway',
  },
  {
    file: 'methods/blocks/whitened-space.ts',
    before: '(1e-12 * total) / degrees',
    after: '1e-12 * total * degrees',
    reason: 'a bound somewhere between rounding and any real difference',
  },
  {
    file: 'methods/blocks/whitened-space.ts',
    before: "' '",
    after: '""',
    reason: 'separates numbers whose lengths vary little, two of them hashes',
  },
  {
    file: 'methods/bowerbird/trust.ts',
    before: 'energy.reduce((sum, value, k) => sum + value / variances[k], 0) / energy.length',
    after: 'energy.reduce((sum, value, k) => sum + value / variances[k], 0) * energy.length',
    reason: 'a constant factor inside a logarithm of which only differences are used',
  },
  {
    file: 'methods/bowerbird/bowerbird.ts',
    before: 'j < listed.rows',
    after: 'j <= listed.rows',
    which: [1, 2],
    reason: 'the row after the last is empty',
  },
  {
    file: 'methods/bowerbird/shares.ts',
    before: 'Math.abs(next - alpha) < 1e-5 * alpha',
    after: 'Math.abs(next - alpha) <= 1e-5 * alpha',
    reason: 'when to stop; both sides are never equal to the last digit',
  },
  {
    file: 'methods/bowerbird/likelihood.ts',
    before: '1 - 1e-12',
    after: '1 + 1e-12',
    reason: 'some doubt is always left, so that no answer of several is as sure as that, and one of one is right',
  },
  {
    file: 'problem/regimes.ts',
    before: 'v > 0',
    after: 'v >= 0',
    reason: 'at 0 the logarithm beside it is −∞ and the comparison fails anyway',
  },
  {
    file: 'problem/normalize.ts',
    before: 'j < row.length',
    after: 'j <= row.length',
    which: [9],
    reason: 'a row of numbers has no place behind its last one, and what is written there is gone',
  },
  {
    file: 'distribute/own-thread.ts',
    before: 'close?.()',
    after: 'close()',
    reason: 'what goes wrong in closing, as calling nothing would, is thrown away',
  },
];
