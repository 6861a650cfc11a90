/**
 * Progress on stderr: one line with a bar, redrawn in place, on a terminal, one plain line every few seconds elsewhere,
 * nothing when quiet. Nothing appears for work that ends within half a second.
 */
import { countText, type Progress } from '../progress.js';
import { type Colour, painter } from './colour.js';

/** `estimate`: whether the time that is left can be told from the counts. @default true */
type Update = Progress & { stage: string; estimate?: boolean };

export interface ProgressLine {
  update(update: Update): void;
  /** For an `onProgress`: shows what it is told under this name, or under the one it is told. */
  during(stage: string): (progress: Progress) => void;
  /** A line that stays, for warnings. */
  note(message: string): void;
  /** A line that stays, for work that has ended; not when quiet. */
  ended(message: string): void;
  /** Clears the line; called before results are printed. */
  end(): void;
}

interface Stream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export function createProgress(stream: Stream, quiet: boolean, now: () => number = Date.now): ProgressLine {
  const live = stream.isTTY === true;
  const paint = painter(stream);
  const interval = live ? 100 : 5000;
  const begun = now();
  let lastShown = begun - interval + 500;
  let stage = '';
  let stageBegun = begun;
  let visible = false;
  const known = new Set<string>();
  let latest: Update | undefined;
  let waiting: NodeJS.Timeout | undefined;
  const forget = () => {
    clearTimeout(waiting);
    waiting = undefined;
  };
  const clear = () => {
    if (live && visible) stream.write('\r\u001b[K');
    visible = false;
  };
  const show = () => {
    forget();
    lastShown = now();
    const parts = describe(latest!, (lastShown - stageBegun) / 1000, live);
    if (live) {
      const width = Math.max(20, (stream.columns ?? 80) - 1);
      stream.write(
        `\r\u001b[K${cut(parts, width)
          .map(([text, colour]) => paint(text, colour))
          .join('')}`,
      );
    } else stream.write(`${parts.map(([text]) => text).join('')}\n`);
    visible = true;
  };
  const line: ProgressLine = {
    update(update) {
      if (quiet) return;
      latest = update;
      const time = now();
      if (update.stage !== stage) {
        stage = update.stage;
        stageBegun = time;
      }
      const first = !known.has(stage);
      known.add(stage);
      if (time - lastShown >= interval) show();
      // The first word of a stage may be its only one for a long while.
      else if (first && !waiting) waiting = setTimeout(show, Math.min(1000, lastShown + interval - time)).unref();
    },
    during: (stage) => (progress) => line.update({ ...progress, stage: progress.stage ?? stage }),
    note(message) {
      clear();
      stream.write(`${message}\n`);
    },
    ended(message) {
      if (quiet) return;
      clear();
      stream.write(`${message}\n`);
    },
    end() {
      forget();
      clear();
    },
  };
  return line;
}

type Part = [text: string, colour?: Colour];

const barWidth = 20;

function describe(update: Update, seconds: number, bar: boolean): Part[] {
  const { stage, done, total, detail, atMost, estimate = true } = update;
  const count = countText(update);
  if (!count) return [[stage, 'bold'], [' …'], [detail ? ` ${detail}` : '', 'dim']];
  const known = total !== undefined && !atMost;
  const left =
    known && estimate && done > 0 && done < total && seconds > 1
      ? `, ${duration((seconds / done) * (total - done))} left`
      : '';
  const name: Part[] =
    bar && known ? [[stage, 'bold'], [' '], ...barOf(done / total), [' ']] : [[stage, 'bold'], [': ']];
  return [...name, [count], [detail ? `, ${detail}` : '', 'dim'], [left]];
}

function barOf(share: number): Part[] {
  const full = Math.round(barWidth * Math.min(1, Math.max(0, share || 0)));
  return [
    ['━'.repeat(full), 'green'],
    ['─'.repeat(barWidth - full), 'dim'],
  ];
}

/** To a number of characters in all. */
function cut(parts: readonly Part[], width: number): Part[] {
  let left = width;
  return parts.map(([text, colour]) => {
    const shown = text.slice(0, left);
    left -= shown.length;
    return [shown, colour];
  });
}

/**
 * For work that may have to wait for others: the last update is shown again while nothing new comes, with how long that
 * has been.
 */
export async function repeating<T>(
  progress: ProgressLine,
  work: (update: ProgressLine['update']) => Promise<T>,
  now: () => number = Date.now,
): Promise<T> {
  let last: Update | undefined;
  let moment = now();
  const timer = setInterval(() => {
    const silent = Math.floor((now() - moment) / 1000);
    if (!last || silent < 5) return;
    const detail = [last.detail, `nothing new for ${duration(silent)}`].filter(Boolean).join(', ');
    progress.update({ ...last, detail });
  }, 1000);
  try {
    return await work((update) => {
      last = update;
      moment = now();
      progress.update(update);
    });
  } finally {
    clearInterval(timer);
  }
}

/** Of a run of a workspace: stages take so different times that an estimate from their number would mislead. */
export function stagesUpdate({ parts = [], done, total }: Progress): Update {
  const working = parts.map((part) => {
    const counted = [countText(part), part.detail].filter(Boolean).join(', ');
    return counted ? `${part.stage} (${counted})` : part.stage;
  });
  return { stage: 'run', done, total, unit: 'stages', estimate: false, detail: working.join('; ') };
}

/** Seconds as people say them: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 5400) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
