/** Running totals of a crawl, per source, with rates. */
import type { Progress } from '../progress.js';
import type { Outcome } from './pipeline.js';

interface SourceTally {
  found: number;
  kept: number;
  dropped: number;
  failed: number;
}

export class Tally {
  readonly #begun = performance.now();
  readonly #sources = new Map<string, SourceTally>();
  readonly #wanted: number;
  #kept: number;

  /**
   * @param wanted categories times pictures asked for
   * @param kept by earlier runs
   */
  constructor(sources: readonly string[], wanted: number, kept: number) {
    for (const source of sources) this.#sources.set(source, { found: 0, kept: 0, dropped: 0, failed: 0 });
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
    if (outcome === 'kept') this.#kept++;
  }

  get progress(): Progress {
    const seconds = Math.max(0.001, (performance.now() - this.#begun) / 1000);
    const parts = Array.from(this.#sources, ([source, { found, kept, dropped, failed }]) => {
      const rate = (kept + dropped + failed) / seconds;
      const detail = `${rate.toFixed(1)}/s, ${dropped} dropped, ${failed} failed`;
      return { stage: source, done: kept, unit: 'pictures', detail, figures: { found, kept, dropped, failed, rate } };
    });
    const detail = parts.map((part) => `${part.stage} ${part.done} kept, ${part.detail}`).join('; ');
    return { stage: 'crawl', done: this.#kept, total: this.#wanted, atMost: true, unit: 'pictures', detail, parts };
  }
}
