/** Running totals of a crawl, per source, with rates and the time left. */
import type { Outcome } from './pipeline.js';

export interface SourceTally {
  source: string;
  found: number;
  kept: number;
  dropped: number;
  failed: number;
  /** Pictures finished per second in this run. */
  rate: number;
}

export interface CrawlProgress {
  /** Kept pictures, those of earlier runs included. */
  kept: number;
  /** Categories times pictures asked for. */
  wanted: number;
  sources: SourceTally[];
  secondsLeft: number | undefined;
}

export class Tally {
  readonly #begun = performance.now();
  readonly #sources = new Map<string, Omit<SourceTally, 'rate'>>();
  readonly #wanted: number;
  #kept: number;
  #keptNow = 0;

  constructor(sources: readonly string[], wanted: number, kept: number) {
    for (const source of sources) this.#sources.set(source, { source, found: 0, kept: 0, dropped: 0, failed: 0 });
    this.#wanted = wanted;
    this.#kept = kept;
  }

  found(source: string, pictures: number, dropped: number): void {
    const entry = this.#sources.get(source)!;
    entry.found += pictures;
    entry.dropped += dropped;
  }

  finished(source: string, outcome: Outcome): void {
    this.#sources.get(source)![outcome]++;
    if (outcome !== 'kept') return;
    this.#kept++;
    this.#keptNow++;
  }

  get progress(): CrawlProgress {
    const seconds = Math.max(0.001, (performance.now() - this.#begun) / 1000);
    const keptPerSecond = this.#keptNow / seconds;
    return {
      kept: this.#kept,
      wanted: this.#wanted,
      sources: [...this.#sources.values()].map((entry) => ({
        ...entry,
        rate: (entry.kept + entry.dropped + entry.failed) / seconds,
      })),
      secondsLeft: this.#keptNow > 0 ? Math.max(0, this.#wanted - this.#kept) / keptPerSecond : undefined,
    };
  }
}
