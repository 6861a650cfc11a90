/** Words and how often they occur: counting in one pass with bounded memory, and the choice of those worth a vector. */
import { ArgumentError } from '../../errors.js';

/** Words by falling count, ties in the order of their characters; position is the word's number. */
export interface Vocabulary {
  readonly words: readonly string[];
  readonly counts: Float64Array;
}

/** A JavaScript map ends at 2²⁴ entries; before that, the rarest words are forgotten. */
const largestTable = 8_000_000;

/** Gives every word a provisional number at first sight and counts it. */
export class WordCounter {
  private readonly numbers = new Map<string, number>();
  private counts = new Float64Array(1024);
  private next = 0;
  private forgotten = 0;
  private readonly limit: number;

  constructor(limit = largestTable) {
    this.limit = limit;
  }

  /** The word's provisional number; its count rises by one. */
  add(word: string): number {
    let number = this.numbers.get(word);
    if (number === undefined) {
      if (this.numbers.size >= this.limit) this.forgetRarest();
      number = this.next++;
      if (number === this.counts.length) {
        const larger = new Float64Array(this.counts.length * 2);
        larger.set(this.counts);
        this.counts = larger;
      }
      // A slice of a larger text would keep all of that text in memory.
      this.numbers.set(Buffer.from(word).toString(), number);
    }
    this.counts[number]++;
    return number;
  }

  /**
   * The words that occur at least `minCount` times, `maxWords` of them at most, and for each provisional number the
   * final one (−1 for the others).
   */
  choose(minCount: number, maxWords = Number.POSITIVE_INFINITY): { vocabulary: Vocabulary; numbers: Int32Array } {
    const least = Math.max(minCount, this.forgotten + 1);
    const kept: [word: string, number: number][] = [];
    for (const entry of this.numbers) if (this.counts[entry[1]] >= least) kept.push(entry);
    kept.sort(([wordA, a], [wordB, b]) => this.counts[b] - this.counts[a] || (wordA < wordB ? -1 : 1));
    kept.length = Math.min(kept.length, maxWords);
    if (kept.length === 0)
      throw new ArgumentError(
        `none of the ${this.numbers.size} words of the corpus occurs ${minCount} times`,
        'Use a larger corpus or a smaller minimum count (--min-count).',
      );
    const numbers = new Int32Array(this.next).fill(-1);
    kept.forEach(([, number], final) => {
      numbers[number] = final;
    });
    const counts = Float64Array.from(kept, ([, number]) => this.counts[number]);
    return { vocabulary: { words: kept.map(([word]) => word), counts }, numbers };
  }

  /** As in the original word2vec: words seen only once go, later those seen twice, and so on. */
  private forgetRarest(): void {
    while (this.numbers.size > this.limit * 0.75) {
      this.forgotten++;
      for (const [word, number] of this.numbers) if (this.counts[number] <= this.forgotten) this.numbers.delete(word);
    }
  }
}
