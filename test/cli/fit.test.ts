import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { readNpy, writeNpy } from '../../src/formats/index.js';
import { generateProblem, saveProblem } from '../../src/problem/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { catchOutput } from './output.js';

const folder = temporaryFolder();
const file = (...names: string[]) => join(folder, ...names);
const problem = generateProblem({ seed: 3, noise: 0.6, scaling: 'none' });
const parameters = ['--method', 'paper', '--lambda1', '10', '--lambda2', '0.1', '--threads', '1', '--quiet'];

const printed = catchOutput();
beforeAll(async () => {
  await saveProblem(file('problem.npz'), problem);
});

describe('bowerbird fit', () => {
  it('writes predictions, weights, trace, scores, configuration and a model that predict and weights read', async () => {
    expect(await run(['fit', file('problem.npz'), '--out', file('run'), ...parameters, '--json'])).toBe(0);
    const result = JSON.parse(printed.out) as { metrics: { accuracy: number; thetaArea: number }; converged: boolean };
    expect(result.converged).toBe(true);
    expect(result.metrics.accuracy).toBeGreaterThan(0.5);
    const names = [
      'predictions.csv',
      'semantics.npy',
      'weights.npy',
      'dictionary.npy',
      'trace.csv',
      'metrics.json',
      'run.json',
      'model.safetensors',
    ];
    for (const name of names) expect(existsSync(file('run', name)), name).toBe(true);
    expect(existsSync(file('run', 'checkpoint.npz'))).toBe(false);
    const predictions = readFileSync(file('run', 'predictions.csv'), 'utf8').trim().split('\n');
    expect(predictions[0]).toBe(
      'row,name,category,score,confidence,unlisted,runner_up,runner_up_confidence,margin,group,truth',
    );
    expect(predictions.length).toBe(problem.testFeatures.rows + 1);
    expect((await readNpy(file('run', 'weights.npy'))).shape).toEqual([problem.webFeatures.rows]);
    expect((await readNpy(file('run', 'dictionary.npy'))).shape).toEqual([
      problem.testFeatures.cols,
      problem.testSemantics.cols,
    ]);

    printed.out = '';
    await writeNpy(file('new.npy'), problem.testFeatures.view(0, 5).copy());
    expect(await run(['predict', file('run'), file('new.npy'), '--json'])).toBe(0);
    expect((JSON.parse(printed.out) as { predictions: unknown[] }).predictions.length).toBe(5);

    printed.out = '';
    expect(await run(['weights', file('run'), '--top', '1'])).toBe(0);
    expect(printed.out).toContain(problem.testNames[0]);
  });

  it('takes parameters from a file and lets options overrule them', async () => {
    const text = JSON.stringify({ parameters: { lambda1: 10, lambda2: 0.1, bound: 2 } });
    // With the mark that some programs put before every text.
    writeFileSync(file('parameters.json'), `\ufeff${text}`);
    const words = ['fit', file('problem.npz'), '--out', file('tuned'), '--params', file('parameters.json')];
    words.push('--method', 'paper');
    expect(await run([...words, '--bound', '3', '--max-iterations', '3', '--json', '--quiet'])).toBe(0);
    const { configuration } = JSON.parse(printed.out) as { configuration: Record<string, number> };
    expect([configuration.lambda1, configuration.bound]).toEqual([10, 3]);
    expect(printed.errors).toContain('did not converge in 3 iterations');
  });

  it('refuses the parameters of another method', async () => {
    writeFileSync(file('chosen.json'), JSON.stringify({ method: 'paper-zsl', parameters: { lambda1: 10 } }));
    expect(await run(['fit', file('problem.npz'), '--out', file('x'), '--params', file('chosen.json')])).toBe(2);
    expect(printed.errors).toContain('Add --method paper-zsl.');
  });

  it('fits the default method, whose model predict and weights read, and any other', async () => {
    const words = ['fit', file('problem.npz'), '--threads', '1', '--quiet', '--json'];
    expect(await run([...words, '--out', file('own'), '--set', 'sharpness=3,neighbourWeight=1'])).toBe(0);
    const { configuration, metrics } = JSON.parse(printed.out) as {
      configuration: { method: string; parameters: unknown };
      metrics: { accuracy: number };
    };
    expect(configuration.method).toBe('bowerbird');
    expect(configuration.parameters).toEqual({ sharpness: 3, neighbourWeight: 1 });
    expect(metrics.accuracy).toBeGreaterThan(0.5);
    printed.out = '';
    expect(await run(['predict', file('own'), file('problem.npz'), '--json'])).toBe(0);
    const again = (JSON.parse(printed.out) as { metrics: { accuracy: number } }).metrics.accuracy;
    expect(Math.abs(again - metrics.accuracy)).toBeLessThan(0.05);
    expect(await run(['weights', file('own'), '--top', '1'])).toBe(0);
    expect(await run([...words, '--out', file('lr'), '--method', 'lr'])).toBe(0);
    expect(existsSync(file('lr', 'model.safetensors'))).toBe(true);
  });

  it('says whose parameter an option is', async () => {
    const words = ['fit', file('problem.npz'), '--out', file('x')];
    expect(await run([...words, '--lambda1', '10'])).toBe(2);
    expect(printed.errors).toContain('Add --method paper');
    printed.errors = '';
    expect(await run([...words, '--set', 'lambda1=10'])).toBe(2);
    expect(printed.errors).toContain('bowerbird has no parameter "lambda1"');
    printed.errors = '';
    expect(await run([...words, '--set', 'sharpness'])).toBe(2);
    expect(printed.errors).toContain('NAME=VALUE');
  });

  it.each([
    ['paper', parameters.slice(2)],
    ['bowerbird', []],
    ['bowerbird', ['--generalized']],
  ])('gives the streamed fit of %s %j the answer of the fit in memory', async (method, given) => {
    const results = [];
    for (const [k, extra] of [[], ['--stream'], ['--memory-limit', '0']].entries()) {
      printed.out = '';
      const out = file(`${method}${given.length}${k}`);
      expect(
        await run(['fit', file('problem.npz'), '--out', out, '--json', '--method', method, ...given, ...extra]),
      ).toBe(0);
      results.push((JSON.parse(printed.out) as { metrics: { accuracy: number } }).metrics);
    }
    if (method === 'paper') expect(results[1]).toEqual(results[0]);
    else expect(results[1].accuracy).toBe(results[0].accuracy);
    expect(results[2]).toEqual(results[1]);
  });

  it('writes the same whether features are read by blocks or, being compressed, loaded first', async () => {
    await saveProblem(file('compressed.npz'), problem, { compress: true });
    const shares = file('shares.json');
    writeFileSync(shares, JSON.stringify(Object.fromEntries(problem.testNames.map((name, c) => [name, 1 + (c % 3)]))));
    const words = ['--threads', '1', '--quiet', '--shares', shares];
    expect(await run(['fit', file('problem.npz'), '--out', file('blocks'), ...words])).toBe(0);
    expect(await run(['fit', file('compressed.npz'), '--out', file('loaded'), ...words])).toBe(0);
    const names = readdirSync(file('loaded')).sort();
    expect(readdirSync(file('blocks')).sort()).toEqual(names);
    for (const name of names.filter((each) => each !== 'run.json'))
      expect(readFileSync(file('blocks', name)).equals(readFileSync(file('loaded', name))), name).toBe(true);
    const records = ['blocks', 'loaded'].map((name) => JSON.parse(readFileSync(file(name, 'run.json'), 'utf8')));
    const [{ inputs, warnings, trusts, categories }, record] = records;
    expect(record).toMatchObject({ inputs, trusts, categories });
    expect(record.warnings).toEqual(warnings);
  });

  it('explains the likely mistakes', async () => {
    expect(await run(['fit', file('problem.npz')])).toBe(2);
    expect(printed.errors).toContain('--out is missing');
    printed.errors = '';
    expect(await run(['fit', file('problem.npz'), '--out', file('x'), '--semantics', 'colours'])).toBe(1);
    expect(printed.errors).toContain('colours');
    printed.errors = '';
    expect(await run(['weights', file('nowhere')])).toBe(2);
    expect(printed.errors).toContain('bowerbird fit');
  });
});

describe('bowerbird methods', () => {
  it('explains one method and its parameters', async () => {
    expect(await run(['methods', 'paper'])).toBe(0);
    expect(printed.out).toMatch(/^paper: /);
    expect(printed.out).toMatch(/^ {2}bound +2\.5 +a number of at least 1 +1\.5 to 5 +\S/m);
    printed.out = '';
    expect(await run(['methods', 'paper', '--json'])).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject({ name: 'paper', parameters: { bound: { default: 2.5 } } });
    expect(await run(['methods', 'eszl'])).toBe(2);
    expect(printed.errors).toContain('Did you mean "eszsl"?');
  });

  it('lists every method with what it uses', async () => {
    expect(await run(['methods', '--json'])).toBe(0);
    const listed = JSON.parse(printed.out) as { name: string; uses: string[]; citation: string }[];
    expect(listed.map(({ name }) => name)).toContain('eszsl');
    expect(listed.every(({ uses, citation }) => uses.length > 0 && citation.length > 0)).toBe(true);
  });
});
