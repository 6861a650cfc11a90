import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress, duration, repeating, stagesUpdate } from '../../src/cli/progress.js';

/** A progress display on a clock that the test moves. */
function display(options: { isTTY?: boolean; columns?: number; quiet?: boolean } = {}) {
  let time = 0;
  const written: string[] = [];
  const stream = { isTTY: options.isTTY, columns: options.columns, write: (text: string) => written.push(text) };
  const progress = createProgress(stream, options.quiet ?? false, () => time);
  return {
    written,
    progress,
    at(milliseconds: number) {
      time = milliseconds;
      return progress;
    },
  };
}

describe('progress that does not go to a terminal', () => {
  it('is one plain line every few seconds', () => {
    const { at, written } = display();
    for (let time = 0; time <= 12_000; time += 100)
      at(time).update({ stage: 'download', done: time / 100, total: 200 });
    expect(written).toHaveLength(3);
    for (const line of written) expect(line).toMatch(/^download: \d+ of 200(, \d+ s left)?\n$/);
    expect(written.join('')).not.toContain('\u001b');
  });

  it('says nothing about work that ends within half a second', () => {
    const { at, written } = display();
    at(400).update({ stage: 'quick', done: 1, total: 2 });
    at(450).end();
    expect(written).toEqual([]);
  });

  it('estimates what is left from the pace of the stage, not of the stages before', () => {
    const { at, written } = display();
    at(100_000).update({ stage: 'first', done: 1, total: 2 });
    at(100_001).update({ stage: 'second', done: 0, total: 100 });
    at(110_001).update({ stage: 'second', done: 10, total: 100, detail: 'residual 0.1' });
    expect(written.at(-1)).toBe('second: 10 of 100, residual 0.1, 90 s left\n'.replace('90 s', '1 min 30 s'));
  });

  it('says what has ended, and warnings only when quiet', () => {
    for (const quiet of [false, true]) {
      const { progress, written } = display({ quiet });
      progress.ended('crawl: 9 pictures');
      progress.note('a name is missing');
      expect(written).toEqual([...(quiet ? [] : ['crawl: 9 pictures\n']), 'a name is missing\n']);
    }
  });

  it('counts without a total', () => {
    const { at, written } = display();
    at(1000).update({ stage: 'reading', done: 77 });
    expect(written).toEqual(['reading: 77\n']);
  });
});

describe('a stage that says nothing after its first word', () => {
  beforeEach(() => {
    vi.stubEnv('NO_COLOR', '1');
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  });

  it.each([true, false])('is shown all the same when it takes long (terminal: %s)', (isTTY) => {
    vi.useFakeTimers();
    const { at, written } = display({ isTTY });
    at(100).update({ stage: 'read', done: 0 });
    vi.advanceTimersByTime(600);
    expect(written).toHaveLength(1);
    at(3000).update({ stage: 'fit', done: 0 });
    at(3001).note('careful');
    vi.advanceTimersByTime(1000);
    expect(written.join('')).toContain('fit …');
  });

  it('is not shown any more when it has ended', () => {
    vi.useFakeTimers();
    const { at, written } = display();
    at(100).update({ stage: 'read', done: 0 });
    at(200).end();
    vi.advanceTimersByTime(10_000);
    expect(written).toEqual([]);
  });

  it('does not make stages that take turns chatter', () => {
    vi.useFakeTimers();
    const { at, written } = display();
    for (let time = 1000; time < 6000; time += 500) {
      at(time).update({ stage: time % 1000 ? 'odd' : 'even', done: time });
      vi.advanceTimersByTime(500);
    }
    expect(written).toHaveLength(2);
  });
});

describe('counts', () => {
  it.each([
    [{ done: 40, total: 40, unit: 'pictures' }, 'a: 40 of 40 pictures'],
    [{ done: 12, total: 40, unit: 'pictures', atMost: true }, 'a: 12 of at most 40 pictures'],
    [{ done: 12, unit: 'iterations' }, 'a: 12 iterations'],
    [{ done: 0, unit: 'iterations' }, 'a …'],
  ])('say what is counted: %o', (update, line) => {
    const { at, written } = display();
    at(0).update({ stage: 'a', done: 0 });
    at(10_000).update({ stage: 'a', ...update });
    expect(written.at(-1)).toBe(`${line}\n`);
  });

  it('promise no end of work that may end before', () => {
    const { at, written } = display();
    at(1000).update({ stage: 'fit', done: 1, total: 40 });
    at(7000).update({ stage: 'fit', done: 5, total: 40, atMost: true });
    at(14_000).update({ stage: 'fit', done: 5, total: 40, estimate: false });
    expect(written.join('')).not.toContain('left');
  });

  it('of a run name the stages at work and what each has done', () => {
    const parts = [
      { stage: 'crawl', done: 40, total: 100, atMost: true, unit: 'pictures', detail: '3.0/s' },
      { stage: 'words', done: 0 },
    ];
    const { at, written } = display();
    at(1000).update(stagesUpdate({ done: 2, total: 12, parts }));
    expect(written).toEqual(['run: 2 of 12 stages, crawl (40 of at most 100 pictures, 3.0/s); words\n']);
  });
});

describe('colours and the bar', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  const shown = (isTTY: boolean, environment: Record<string, string> = {}) => {
    vi.stubEnv('NO_COLOR', '');
    vi.stubEnv('TERM', 'xterm');
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const { at, written } = display({ isTTY, columns: 100 });
    at(1000).update({ stage: 'features', done: 5, total: 10, unit: 'pictures' });
    return written[0];
  };

  it('are there on a terminal', () => {
    const bar = `\u001b[32m${'━'.repeat(10)}\u001b[0m\u001b[2m${'─'.repeat(10)}\u001b[0m`;
    expect(shown(true)).toBe(`\r\u001b[K\u001b[1mfeatures\u001b[0m ${bar} 5 of 10 pictures`);
  });

  it.each(['NO_COLOR=1', 'TERM=dumb'])('leave the bar alone where none are wanted: %s', (setting) => {
    expect(shown(true, Object.fromEntries([setting.split('=')]))).toBe(
      `\r\u001b[Kfeatures ${'━'.repeat(10)}${'─'.repeat(10)} 5 of 10 pictures`,
    );
  });

  it('are not where the output goes elsewhere', () => {
    expect(shown(false)).toBe('features: 5 of 10 pictures\n');
  });
});

describe('progress on a terminal', () => {
  beforeEach(() => {
    vi.stubEnv('NO_COLOR', '1');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('redraws one line, cut to the width, and clears it before results', () => {
    const { at, written, progress } = display({ isTTY: true, columns: 30 });
    at(1000).update({ stage: 'download', done: 5, total: 10, detail: 'a detail that is longer than the line' });
    at(1050).update({ stage: 'download', done: 6, total: 10 });
    expect(written).toHaveLength(1);
    expect(written[0].startsWith('\r\u001b[K')).toBe(true);
    expect(written[0].length).toBe('\r\u001b[K'.length + 29);
    progress.end();
    progress.end();
    expect(written.slice(1)).toEqual(['\r\u001b[K']);
  });

  it('keeps notes and clears the line before them', () => {
    const { at, written } = display({ isTTY: true });
    at(1000).update({ stage: 'download', done: 5 });
    at(1001).note('one file was skipped');
    expect(written.slice(1)).toEqual(['\r\u001b[K', 'one file was skipped\n']);
  });
});

describe('quiet progress', () => {
  it('shows no counts but still passes on notes', () => {
    const { at, written } = display({ quiet: true });
    at(10_000).update({ stage: 'download', done: 5 });
    at(10_000).note('careful');
    expect(written).toEqual(['careful\n']);
  });
});

describe('a duration', () => {
  it.each([
    [0.2, '1 s'],
    [45, '45 s'],
    [179.6, '3 min 0 s'],
    [200, '3 min 20 s'],
    [7199, '2 h 0 min'],
    [7500, '2 h 5 min'],
  ])('of %d seconds reads %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe('work that waits for others', () => {
  it('goes on being shown, with how long nothing new came, until it ends', async () => {
    vi.useFakeTimers();
    try {
      const written: string[] = [];
      const progress = createProgress({ write: (text: string) => written.push(text) }, false);
      const work = repeating(progress, async (update) => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        update({ stage: 'crawl', done: 3, total: 9, detail: 'of wrens' });
        await new Promise((resolve) => setTimeout(resolve, 11_000));
      });
      await vi.advanceTimersByTimeAsync(20_000);
      await work;
      await vi.advanceTimersByTimeAsync(20_000);
      expect(written).toHaveLength(3);
      expect(written[0]).toBe('crawl: 3 of 9, of wrens\n');
      expect(written[2]).toMatch(/^crawl: 3 of 9, of wrens, nothing new for 1\d s/);
    } finally {
      vi.useRealTimers();
    }
  });
});
