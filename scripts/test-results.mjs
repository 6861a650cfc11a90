// Puts the results of several runs of the tests together: what each said of every test, and the sum over all.
import { relative, sep } from 'node:path';

/**
 * What became of every test in one run, from vitest's JSON report: 'passed', 'failed' or 'skipped' by file and name. A file that
 * could not be loaded, and an error outside of any test, count as a failed test.
 */
export function outcomes(report, root) {
  const found = new Map();
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = relative(root, name).split(sep).join('/');
    for (const test of assertionResults) {
      // Names need not be unique within a file.
      let key = `${file} > ${test.fullName.trim()}`;
      while (found.has(key)) key += '′';
      found.set(key, test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped');
    }
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
      found.set(`${file}: ${message.split('\n')[0]}`, 'failed');
  }
  if (!report.success && ![...found.values()].includes('failed')) found.set('an error outside of the tests', 'failed');
  return found;
}

/** Over several runs a test has failed where any failed, passed where one did, and is skipped where every run left it out. */
export function together(...runs) {
  const sum = new Map();
  const rank = { skipped: 0, passed: 1, failed: 2 };
  for (const run of runs)
    for (const [test, outcome] of run) if (!(rank[sum.get(test)] >= rank[outcome])) sum.set(test, outcome);
  return sum;
}

export function count(run) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of run.values()) counts[outcome]++;
  return counts;
}

/** Test files in which something was skipped, or failed. */
export function filesWith(outcome, run) {
  const files = [...run].flatMap(([test, one]) => (one === outcome ? (fileOf(test) ?? []) : []));
  return [...new Set(files)].sort();
}

/**
 * A run after the files with failures were run again by themselves: what they said then stands. Failures that went away are
 * unsteady: not what the change under test has broken, but a test or a program that wants mending.
 */
export function afterRepeating(first, again) {
  const files = new Set([...again.keys()].map(fileOf));
  const rest = [...first].filter(([test]) => !files.has(fileOf(test)));
  const failed = [...first.keys()].filter((test) => first.get(test) === 'failed' && files.has(fileOf(test)));
  return { outcomes: new Map([...rest, ...again]), unsteady: failed.filter((test) => again.get(test) !== 'failed') };
}

/** Undefined for an error outside of the tests. */
const fileOf = (test) => /^[^>]*?\.test\.ts/.exec(test)?.[0];

export const line = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;
