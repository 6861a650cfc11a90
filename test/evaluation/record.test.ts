/** What a run writes down of itself, what it asks of those who fit, and which folders it takes for its own. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Executor } from '../../src/distribute/index.js';
import { InterruptedError } from '../../src/errors.js';
import type { EvaluationContext, Split } from '../../src/evaluation/context.js';
import { type EvaluationSetting, evaluate, type OpenRun } from '../../src/evaluation/evaluation-run.js';
import type { MethodRun } from '../../src/evaluation/method-run.js';
import { generateProblem, problemHash } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const place = (name: string) => join(folder, name);
const problem = generateProblem({ seed: 2, dimensions: 4, semanticDimensions: 3, webPerCategory: 3 });
const needs = { validation: false, test: true };
const record = (name: string) => JSON.parse(readFileSync(join(place(name), 'run.json'), 'utf8'));

/** A setting whose jobs somebody else would run, and what was asked of them. */
function elsewhere(name: string, more: Partial<EvaluationSetting> = {}) {
  const asked = { contexts: [] as EvaluationContext[], splits: [] as Split[], closed: 0 };
  const close = async () => {
    asked.closed++;
  };
  const executor: Executor = { width: 1, run: async () => {}, close, [Symbol.asyncDispose]: close };
  const execute = async (context: EvaluationContext, splits: readonly Split[]) => {
    asked.contexts.push(context);
    asked.splits.push(...splits);
    return executor;
  };
  const source = { kind: 'generated', options: {}, validation: { seed: 2 } } as const;
  const setting: EvaluationSetting = { problem, folder: place(name), remote: { source, execute }, ...more };
  return { setting, asked, source };
}

describe('the record of a run', () => {
  it('says what was run on what, with which settings, and how long it took', async () => {
    const { setting } = elsewhere('whole', {
      ...{ seed: 7, origin: { path: 'birds.npz', semantics: 'glove' } },
      ...{ versions: { bowerbird: '1' }, configuration: { trials: 3 }, device: 'wasm' as const },
    });
    const begun = Date.now();
    const told = await evaluate('compare', setting, needs, async (open) => {
      expect(record('whole')).not.toHaveProperty('finished');
      await open.execute([{ expectedJobs: 5, ended: true, ready: 0, lines: [] } as unknown as MethodRun]);
      return open;
    });
    expect(record('whole')).toEqual({
      ...{ schema: 'bowerbird-run-1', command: 'compare', jobs: 5, configuration: { trials: 3 } },
      ...{ versions: { bowerbird: '1' }, inputs: { problem: problemHash(problem), seed: 7, validation: 'web' } },
      ...{ started: expect.any(String), finished: expect.any(String), seconds: expect.any(Number) },
      backend: { device: 'wasm', description: expect.any(String), threads: 1 },
    });
    const { started, finished, seconds } = record('whole');
    expect(Date.parse(finished) - Date.parse(started)).toBeCloseTo(1000 * seconds, 6);
    expect(seconds).toBeLessThanOrEqual((Date.now() - begun) / 1000);
    expect(told).toMatchObject({ seed: 7, generalized: false, folder: place('whole'), validation: { seed: 7 } });
    expect(told.record).toMatchObject({ path: 'birds.npz', semantics: 'glove', hash: problemHash(problem) });
    expect(readFileSync(join(place('whole'), 'run.json'), 'utf8')).toMatch(/^\{\n {2}"schema".*\}\n$/s);
  });

  it('has settings that are empty where none were given', async () => {
    const { setting } = elsewhere('plain');
    await evaluate('tune', setting, { validation: true, test: false }, async () => {});
    expect(record('plain')).toMatchObject({ configuration: {}, versions: {}, jobs: 0, inputs: { seed: 1 } });
    expect(record('plain')).not.toHaveProperty('preparation');
  });

  it('says what fits had in common, and how much of it was spared', async () => {
    const notes: string[] = [];
    const { setting } = elsewhere('spared', { onNote: (note) => notes.push(note) });
    const fit = (made: number, shared: number) => ({ outcome: { preparation: { made, shared } } });
    const run = (...lines: object[]) => ({ expectedJobs: 1, ended: true, ready: 0, lines }) as unknown as MethodRun;
    await evaluate('compare', setting, needs, ({ execute }: OpenRun) =>
      execute([run(fit(1, 0), fit(1, 3)), run(fit(1, 1))]),
    );
    expect(record('spared')).toMatchObject({ preparation: { made: 3, shared: 4 }, jobs: 2 });
    expect(notes).toEqual(['fits shared 4.0 of 7.0 s of preparation (57 %)']);
    await evaluate('compare', setting, needs, ({ execute }: OpenRun) => execute([run(fit(1, 0))]));
    expect(record('spared').preparation).toEqual({ made: 1, shared: 0 });
    expect(notes).toHaveLength(1);
  });

  it('says which trials needed no fit of their own', async () => {
    const notes: string[] = [];
    const { setting } = elsewhere('repeated', { onNote: (note) => notes.push(note) });
    const trial = (id: string, seconds: number, repeats?: string) => ({ outcome: { id, seconds, repeats } });
    const run = (...lines: object[]) => ({ expectedJobs: 1, ended: true, ready: 0, lines }) as unknown as MethodRun;
    await evaluate('tune', setting, needs, ({ execute }: OpenRun) => execute([run(trial('a', 2), trial('b', 0, 'a'))]));
    expect(record('repeated')).toMatchObject({ repeats: { trials: 1, seconds: 2 } });
    await evaluate('tune', setting, needs, ({ execute }: OpenRun) =>
      execute([run(trial('a', 2), trial('b', 0, 'a'), trial('c', 0, 'a'))]),
    );
    expect(notes).toEqual([
      '1 trial had the parameters of another one, which spared its fit (2.0 s)',
      '2 trials had the parameters of another one, which spared their fits (4.0 s)',
    ]);
  });
});

describe('those who fit', () => {
  it('are told the forms of the problem that jobs will ask for, and are let go at the end', async () => {
    const splitsOf = async (
      command: 'compare' | 'tune',
      wants: Parameters<typeof evaluate>[2],
      generalized: boolean,
    ) => {
      const { setting, asked } = elsewhere(`${command}-${Object.values(wants)}-${generalized}`, { generalized });
      await evaluate(command, setting, wants, async () => {});
      expect(asked.closed).toBe(1);
      return asked.splits;
    };
    const [test, validation] = [{ split: 'test' }, { split: 'validation' }];
    expect(await splitsOf('compare', needs, false)).toEqual([{ ...test, generalized: false }]);
    expect(await splitsOf('tune', { validation: true, test: false }, false)).toEqual([
      { ...validation, generalized: false },
    ]);
    expect(await splitsOf('compare', { validation: true, test: true, parts: true }, true)).toEqual([
      { ...validation, generalized: true },
      { ...validation, generalized: false },
      { ...test, generalized: true },
    ]);
    expect(await splitsOf('compare', { validation: true, test: true, parts: true }, false)).toHaveLength(2);
    expect(await splitsOf('compare', { validation: true, test: true, parts: false }, true)).toHaveLength(2);
    expect(await splitsOf('compare', { validation: false, test: true, parts: true }, true)).toHaveLength(1);
  });

  it('are told where the problem is, the seed, and where to compute', async () => {
    const { setting, asked, source } = elsewhere('told');
    await evaluate('compare', setting, needs, async () => {});
    const { setting: other, asked: otherAsked } = elsewhere('told-more', { seed: 3, device: 'wasm', threads: 2 });
    await evaluate('compare', other, needs, async () => {});
    expect(asked.contexts).toEqual([{ source, seed: 1, device: 'auto', threads: 1 }]);
    expect(otherAsked.contexts).toEqual([{ source, seed: 3, device: 'wasm', threads: 2 }]);
  });

  it('are let go when something goes wrong, and an interruption says that nothing is lost', async () => {
    const { setting, asked } = elsewhere('wrong');
    const fails = (error: Error) => evaluate('compare', setting, needs, () => Promise.reject(error));
    await expect(fails(new Error('odd'))).rejects.toThrow('odd');
    await expect(fails(new InterruptedError('stopped'))).rejects.toMatchObject({
      message: 'stopped',
      hint: expect.stringContaining('goes on'),
    });
    await expect(fails(new InterruptedError('stopped', 'by hand'))).rejects.toMatchObject({ hint: 'by hand' });
    expect(asked.closed).toBe(3);
    expect(record('wrong')).not.toHaveProperty('finished');
  });
});

describe('the folder of a run', () => {
  it('is continued by the same, refused to anything else, and begun anew when asked', async () => {
    const run = (more: Partial<EvaluationSetting> = {}, command: 'compare' | 'experiment' = 'compare') =>
      evaluate(command, elsewhere('mine', more).setting, needs, async () => {});
    await run();
    const left = ['outcomes.jsonl', 'chosen.json', 'table.json', 'table.csv', 'table.md', 'experiment.json'];
    for (const name of left) writeFileSync(join(place('mine'), name), '');
    await run();
    expect(left.filter((name) => existsSync(join(place('mine'), name)))).toEqual(left);
    await expect(run({ seed: 2 })).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await expect(run({}, 'experiment')).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await expect(run({ syntheticValidation: 0.3 })).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    await run({ seed: 2, restart: true }, 'experiment');
    expect(left.filter((name) => existsSync(join(place('mine'), name)))).toEqual([]);
    expect(record('mine')).toMatchObject({ command: 'experiment', inputs: { seed: 2 } });
  });

  it('is never one of a fit, not even anew, nor one whose record cannot be read', async () => {
    const { setting } = elsewhere('fitted');
    await evaluate('compare', setting, needs, async () => {});
    for (const restart of [false, true]) {
      writeFileSync(join(place('fitted'), 'run.json'), '{"method": "lr"}');
      const again = evaluate('compare', { ...setting, restart }, needs, async () => {});
      await expect(again).rejects.toMatchObject({ code: 'BOWERBIRD_USAGE' });
    }
    writeFileSync(join(place('fitted'), 'run.json'), '{"method"');
    const broken = evaluate('compare', setting, needs, async () => {});
    await expect(broken).rejects.toMatchObject({ code: 'BOWERBIRD_FORMAT' });
  });

  it('needs web pictures of validation categories only where parameters are chosen', async () => {
    const { validationWeb: _, ...bare } = problem;
    const { setting } = elsewhere('bare', { problem: bare });
    await evaluate('compare', setting, needs, async ({ validation }) =>
      expect(validation.syntheticNoise).toBeUndefined(),
    );
    const choosing = { validation: true, test: true };
    await expect(evaluate('compare', setting, choosing, async () => {})).rejects.toMatchObject({
      code: 'BOWERBIRD_PROBLEM',
    });
    const { setting: madeUp } = elsewhere('made-up', { problem: bare, syntheticValidation: 0.25 });
    const told = await evaluate('compare', madeUp, choosing, async (open) => open);
    expect(told.validation).toEqual({ syntheticNoise: 0.25, seed: 1 });
    expect(told.problem.validationWeb!.madeUp).toBe(true);
    expect(record('made-up').inputs.validation).toBe(0.25);
  });
});
