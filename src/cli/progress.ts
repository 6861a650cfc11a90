/**
 * Progress on stderr: one line redrawn in place on a terminal, one plain line every few seconds elsewhere, nothing
 * when quiet. Nothing appears for work that ends within half a second.
 */
interface ProgressUpdate {
  /** What is going on, for example `fit` or `download`. */
  stage: string;
  done: number;
  /** Unknown totals are left out. */
  total?: number;
  /** Anything worth seeing beside the count, for example residuals or a rate. */
  detail?: string;
}

export interface Progress {
  update(update: ProgressUpdate): void;
  /** A line that stays, for warnings. */
  note(message: string): void;
  /** Clears the line; called before results are printed. */
  end(): void;
}

interface Stream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export function createProgress(stream: Stream, quiet: boolean, now: () => number = Date.now): Progress {
  const live = stream.isTTY === true;
  const interval = live ? 100 : 5000;
  const begun = now();
  let lastShown = begun - interval + 500;
  let stage = '';
  let stageBegun = begun;
  let visible = false;
  const clear = () => {
    if (live && visible) stream.write('\r\u001b[K');
    visible = false;
  };
  return {
    update(update) {
      if (quiet) return;
      const time = now();
      if (update.stage !== stage) {
        stage = update.stage;
        stageBegun = time;
      }
      if (time - lastShown < interval) return;
      lastShown = time;
      const line = describe(update, (time - stageBegun) / 1000);
      if (live) stream.write(`\r\u001b[K${line.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
      else stream.write(`${line}\n`);
      visible = true;
    },
    note(message) {
      clear();
      stream.write(`${message}\n`);
    },
    end: clear,
  };
}

function describe(update: ProgressUpdate, seconds: number): string {
  const { done, total, detail } = update;
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  const left =
    total !== undefined && done > 0 && done < total && seconds > 1
      ? `, ${duration((seconds / done) * (total - done))} left`
      : '';
  return `${update.stage}: ${count}${detail ? `, ${detail}` : ''}${left}`;
}

/** For whoever opens a catalog that another process has open. */
export function showWaiting({ update }: Progress) {
  return ({ seconds, patience, holder }: { seconds: number; patience: number; holder: string }) =>
    update({ stage: `waiting for ${holder}, which has the catalog open (s)`, done: seconds, total: patience });
}

/** Seconds as people say them: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
