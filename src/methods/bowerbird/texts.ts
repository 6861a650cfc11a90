/**
 * What titles and tags say about a web picture. The words of trusted pictures of a category, and those of mistrusted
 * pictures of all, are two sources the picture's own words may come from, word after word:
 * log p(words | trusted, c) − log p(words | mistrusted), each estimated from the other pictures, with the words of all
 * pictures together as the prior, worth `smoothing` words.
 */
import { ProblemError } from '../../errors.js';
import type { Matrix } from '../../linalg/index.js';

interface Words {
  readonly columns: Int32Array;
  readonly counts: Float64Array;
  readonly total: number;
}

export class TextEvidence {
  readonly #rows: readonly Words[];
  readonly #labels: Int32Array;
  readonly #categories: number;
  readonly #smoothing: number;
  /** Share of each word among the words of all pictures. */
  readonly #shares: Float64Array;

  /** @param order row of the text for each label. @default the same order */
  constructor(text: Matrix, labels: Int32Array, categories: number, smoothing: number, order?: Int32Array) {
    this.#labels = labels;
    this.#categories = categories;
    this.#smoothing = smoothing;
    this.#shares = new Float64Array(text.cols);
    this.#rows = Array.from({ length: text.rows }, (_, i) => words(text, order?.[i] ?? i));
    for (const { columns, counts } of this.#rows)
      for (let k = 0; k < columns.length; k++) this.#shares[columns[k]] += counts[k];
    const total = this.#shares.reduce((sum, count) => sum + count, 0);
    this.#shares = this.#shares.map((count) => count / Math.max(total, 1));
  }

  /** One number a picture, given how far each is trusted; 0 for a picture without words. */
  logRatios(trust: Float64Array): Float64Array {
    const width = this.#shares.length;
    const trusted = new Float64Array(this.#categories * width);
    const trustedTotals = new Float64Array(this.#categories);
    const other = new Float64Array(width);
    let otherTotal = 0;
    this.#rows.forEach(({ columns, counts, total }, i) => {
      const category = this.#labels[i];
      for (let k = 0; k < columns.length; k++) {
        trusted[category * width + columns[k]] += trust[i] * counts[k];
        other[columns[k]] += (1 - trust[i]) * counts[k];
      }
      trustedTotals[category] += trust[i] * total;
      otherTotal += (1 - trust[i]) * total;
    });
    return Float64Array.from(this.#rows, ({ columns, counts, total }, i) => {
      const category = this.#labels[i];
      let ratio = 0;
      for (let k = 0; k < columns.length; k++) {
        const prior = this.#smoothing * this.#shares[columns[k]];
        const own = counts[k];
        const here = Math.max(0, trusted[category * width + columns[k]] - trust[i] * own) + prior;
        const elsewhere = Math.max(0, other[columns[k]] - (1 - trust[i]) * own) + prior;
        ratio += own * Math.log(here / elsewhere);
      }
      const hereTotal = trustedTotals[category] - trust[i] * total + this.#smoothing;
      const elsewhereTotal = otherTotal - (1 - trust[i]) * total + this.#smoothing;
      return ratio - total * Math.log(hereTotal / elsewhereTotal);
    });
  }
}

function words(text: Matrix, i: number): Words {
  const row = text.row(i);
  const columns: number[] = [];
  let total = 0;
  for (let j = 0; j < row.length; j++) {
    if (row[j] < 0)
      throw new ProblemError(
        'web_text',
        undefined,
        `entry (${i}, ${j}) is ${row[j]}; it must be a count of words or another number of at least 0`,
        'Give term frequencies, or leave web_text out.',
      );
    if (row[j] === 0) continue;
    columns.push(j);
    total += row[j];
  }
  return { columns: Int32Array.from(columns), counts: Float64Array.from(columns, (j) => row[j]), total };
}
