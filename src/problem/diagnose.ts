/**
 * What looks wrong about a problem without breaking a rule: things a person would want to know before trusting a
 * result. Nothing here stops a fit.
 */
import { createHash } from 'node:crypto';
import type { Matrix } from '../linalg/index.js';
import { featureArrays } from './normalize.js';
import type { Problem } from './problem.js';

export interface Finding {
  /** As the array is called in a problem file. */
  readonly array: string;
  /** One sentence. */
  readonly message: string;
}

/** Categories this many times larger than the smallest of their set are worth a remark. */
const unbalancedRatio = 10;

export function diagnose(problem: Problem): Finding[] {
  return [
    ...constantColumns(problem),
    ...scales(problem),
    ...repeatedPictures(problem),
    ...semanticVectors(problem),
    ...balance(problem),
  ];
}

function constantColumns(problem: Problem): Finding[] {
  return featureArrays(problem).flatMap(({ name, matrix }) => {
    if (matrix.rows < 2) return [];
    let constant = 0;
    for (let j = 0; j < matrix.cols; j++) {
      let i = 1;
      while (i < matrix.rows && matrix.at(i, j) === matrix.at(0, j)) i++;
      if (i === matrix.rows) constant++;
    }
    return constant === 0
      ? []
      : [{ array: name, message: `${constant} of ${matrix.cols} features are the same for every picture.` }];
  });
}

/** Features that are not of unit length are no mistake, but sets of very different length are. */
function scales(problem: Problem): Finding[] {
  const lengths = featureArrays(problem)
    .filter(({ matrix }) => matrix.rows > 0)
    .map(({ name, matrix }) => ({ name, ...rowLengths(matrix) }));
  const findings: Finding[] = [];
  const uneven = lengths.filter(({ least, most }) => most - least > 1e-3 * most);
  if (uneven.length > 0) {
    const least = Math.min(...uneven.map((set) => set.least));
    const most = Math.max(...uneven.map((set) => set.most));
    findings.push({
      array: uneven.map(({ name }) => name).join(', '),
      message: `lengths of feature vectors vary from ${short(least)} to ${short(most)}; the l2 scaling makes them 1.`,
    });
  }
  const reference = lengths[0];
  for (const { name, mean } of lengths.slice(1)) {
    const ratio = Math.max(mean / reference.mean, reference.mean / mean);
    if (ratio > 2)
      findings.push({
        array: name,
        message: `vectors have mean length ${short(mean)}, those of ${reference.name} ${short(reference.mean)}: were they extracted with the same model and settings?`,
      });
  }
  return findings;
}

function rowLengths(matrix: Matrix): { least: number; mean: number; most: number } {
  let [least, total, most] = [Number.POSITIVE_INFINITY, 0, 0];
  for (let i = 0; i < matrix.rows; i++) {
    let squares = 0;
    for (const value of matrix.row(i)) squares += value * value;
    const length = Math.sqrt(squares);
    least = Math.min(least, length);
    most = Math.max(most, length);
    total += length;
  }
  return { least, mean: total / matrix.rows, most };
}

/** A test picture that was learnt from makes every score too good. */
function repeatedPictures(problem: Problem): Finding[] {
  const findings: Finding[] = [];
  const test = rowKeys(problem.testFeatures);
  for (const { name, matrix } of featureArrays(problem)) {
    if (name === 'test_features') continue;
    const rows = [...rowKeys(matrix)].filter(([key]) => test.has(key));
    if (rows.length > 0)
      findings.push({
        array: name,
        message: `${pictures(rows.length)} also among the test pictures (row ${rows[0][1]} is test row ${test.get(rows[0][0])}).`,
      });
  }
  const distinct = rowKeys(problem.webFeatures).size;
  if (distinct < problem.webFeatures.rows)
    findings.push({
      array: 'web_features',
      message: `${problem.webFeatures.rows - distinct} web pictures repeat an earlier one.`,
    });
  return findings;
}

function pictures(count: number): string {
  return count === 1 ? '1 picture is' : `${count} pictures are`;
}

/** The first row for each distinct content. */
function rowKeys(matrix: Matrix): Map<string, number> {
  const keys = new Map<string, number>();
  for (let i = 0; i < matrix.rows; i++) {
    const row = matrix.row(i);
    const key = createHash('sha1').update(row).digest('base64');
    if (!keys.has(key)) keys.set(key, i);
  }
  return keys;
}

function semanticVectors(problem: Problem): Finding[] {
  const findings: Finding[] = [];
  const names = [...problem.auxiliaryNames, ...problem.testNames];
  const seen = new Map<string, number>();
  let category = 0;
  for (const [array, matrix] of [
    ['aux_semantics', problem.auxiliarySemantics],
    ['test_semantics', problem.testSemantics],
  ] as const)
    for (let i = 0; i < matrix.rows; i++, category++) {
      const row = matrix.row(i);
      if (row.every((value) => value === 0))
        findings.push({
          array,
          message: `the vector of "${names[category]}" (row ${i}) is zero: nothing is known of it.`,
        });
      else {
        const key = row.join();
        const same = seen.get(key);
        if (same === undefined) seen.set(key, category);
        else
          findings.push({
            array,
            message: `"${names[category]}" (row ${i}) and "${names[same]}" have the same vector and cannot be told apart by it.`,
          });
      }
    }
  return findings;
}

function balance(problem: Problem): Finding[] {
  const findings: Finding[] = [];
  const candidates = problem.generalized ? [...problem.testNames, ...problem.auxiliaryNames] : problem.testNames;
  const sets: [string, Int32Array | undefined, readonly string[]][] = [
    ['aux_labels', problem.auxiliaryLabels, problem.auxiliaryNames],
    ['web_labels', problem.webLabels, problem.testNames],
    ['test_labels', problem.testLabels, candidates],
  ];
  for (const [array, labels, names] of sets) {
    if (!labels || labels.length === 0) continue;
    const counts = new Int32Array(names.length);
    // What shows none of them has no place among the counts.
    for (const label of labels) counts[label]++;
    const least = counts.indexOf(counts.reduce((a, b) => Math.min(a, b)));
    const most = counts.indexOf(counts.reduce((a, b) => Math.max(a, b)));
    if (counts[least] === 0) {
      const empty = counts.filter((count) => count === 0).length;
      findings.push({
        array,
        message: `${empty} of ${names.length} categories have no picture, the first is "${names[least]}".`,
      });
    } else if (counts[most] > unbalancedRatio * counts[least])
      findings.push({
        array,
        message: `very unbalanced: "${names[most]}" has ${counts[most]} pictures, "${names[least]}" ${counts[least]}.`,
      });
  }
  return findings;
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
