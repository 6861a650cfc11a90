/**
 * Progress on stderr: one line redrawn in place on a terminal, one plain line every few seconds elsewhere, nothing
 * when quiet. Nothing appears for work that ends within half a second.
 */
import type { Progress } from '../progress.js';

type Update = Progress & { stage: string };

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
    const line = describe(latest!, (lastShown - stageBegun) / 1000);
    if (live) stream.write(`\r\u001b[K${line.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
    else stream.write(`${line}\n`);
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

function describe(update: Update, seconds: number): string {
  const { done, total, detail } = update;
  if (done === 0 && total === undefined) return `${update.stage} …${detail ? ` ${detail}` : ''}`;
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  const left =
    total !== undefined && done > 0 && done < total && seconds > 1
      ? `, ${duration((seconds / done) * (total - done))} left`
      : '';
  return `${update.stage}: ${count}${detail ? `, ${detail}` : ''}${left}`;
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

/** Seconds as people say them: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 5400) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
