import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FitJob } from '../../src/evaluation/index.js';
import { Journal } from '../../src/evaluation/journal.js';
import { readNpy } from '../../src/formats/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();

const job: FitJob = {
  id: 'lr/seed-1',
  method: 'lr',
  parameters: { ridge: 0.1 },
  seed: 1,
  split: 'test',
  generalized: false,
  wants: ['predictions'],
};
const outcome = { id: job.id, accuracy: 0.5, seconds: 1, predictions: [2, 0, 1] };

describe('the journal', () => {
  it('gives back what was written, predictions from a file of their own', async () => {
    const path = join(folder, 'a', 'outcomes.jsonl');
    await (await Journal.open(path)).append({ job, outcome });
    const again = await Journal.open(path);
    expect(await again.finished(job)).toEqual({ job, outcome });
    expect([...(await readNpy(join(folder, 'a', 'predictions', 'lr-1.npy'))).data]).toEqual([2, 0, 1]);
    expect(readFileSync(path, 'utf8')).not.toContain('predictions":[');
  });

  it('knows nothing of a job with other parameters, nor of one that failed', async () => {
    const path = join(folder, 'b.jsonl');
    const journal = await Journal.open(path);
    await journal.append({ job, failure: { id: job.id, name: 'Error', message: 'the thread died' } });
    expect(await (await Journal.open(path)).finished(job)).toBeUndefined();
    await journal.append({ job, outcome });
    expect(await journal.finished({ ...job, parameters: { ridge: 0.2 } })).toBeUndefined();
    expect(await journal.finished(job)).toBeDefined();
  });

  it('drops half a line left by a kill and goes on behind the last whole one', async () => {
    const path = join(folder, 'c.jsonl');
    const plain = { ...job, wants: undefined };
    await (await Journal.open(path)).append({ job: plain, outcome: { id: job.id, seconds: 1 } });
    const whole = readFileSync(path, 'utf8');
    appendFileSync(path, '{"job":{"id":"lr/se');
    const again = await Journal.open(path);
    expect(readFileSync(path, 'utf8')).toBe(whole);
    await again.append({ job: { ...plain, id: 'x' }, outcome: { id: 'x', seconds: 2 } });
    expect(readFileSync(path, 'utf8').trim().split('\n').length).toBe(2);
  });

  it('refuses a file that is something else', async () => {
    const path = join(folder, 'd.jsonl');
    for (const text of ['hello\n', 'null\n', '{"name": "something"}\n', '{"job": {"id": 5}}\n']) {
      writeFileSync(path, text);
      await expect(Journal.open(path)).rejects.toMatchObject({ code: 'BOWERBIRD_FORMAT' });
      await expect(Journal.open(path)).rejects.toThrow('line 1 is not the record of a job');
    }
  });
});
