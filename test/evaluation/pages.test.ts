import { describe, expect, it } from 'vitest';
import { combinationJobs, combinationTable } from '../../bench/combinations/trials.js';
import { disagreements } from '../../bench/paper/disagreements.js';
import { claimTitle, type PaperOfProblem } from '../../bench/paper/of-problem.js';

describe('the table of combinations', () => {
  it('has every share that a search tries, and no combination with text where there is none', () => {
    const methods = (name: 'cub-web' | 'cub-resnet50') => new Set(combinationJobs(name).map(({ method }) => method));
    expect([...methods('cub-web')]).toContain('wsdg-pi+zsl');
    expect([...methods('cub-resnet50')]).toEqual(['wsl+zsl', 'combo', 'wsl+lr']);
    const shares = combinationJobs('cub-web').flatMap(({ method, parameters: { share } }) =>
      method === 'combo' ? [share] : [],
    );
    expect(shares).toEqual([0.5, 0, 1, 0.25, 0.75]);
  });

  it('holds the whole, as it comes and with its best share, against the better part', () => {
    const shares = { 0.5: 60, 0: 63, 1: 40, 0.25: 64.5, 0.75: 50 };
    const found = new Map(
      Object.entries(shares).map(([share, y]) => [`combo/${JSON.stringify({ share: +share })}`, y]),
    );
    const table = combinationTable(new Map([['cub-web', found]]));
    expect(table).toContain('| `combo` | cub-web | 60.0 | 63.0 | 40.0 | −3.0 | +1.5 |');
    expect(table).not.toContain('wsl+zsl');
  });
});

describe('disagreements with the paper', () => {
  const rows = (here: number, verdict: string) => [
    ['standard', 'paper beats wsl+zsl', 'one model', 4.26, here, verdict],
    ['generalized', 'paper beats chao', 'best', 33.85, 1, 'holds'],
    ['standard', 'wsdg beats lr', 'noise', 2.22, -6, 'does not hold'],
  ];
  const problem = (name: PaperOfProblem['name'], here: number, verdict: string) =>
    ({
      name,
      seconds: 1,
      result: { tables: [{ title: claimTitle, columns: [], rows: rows(here, verdict) }] },
    }) as unknown as PaperOfProblem;

  it('are told where a claim does not hold, problems of the same gap together, with the reason where there is one', () => {
    const text = disagreements([problem('cub-web', -6.9, 'does not hold'), problem('cub-web-words', 5.5, 'holds')]);
    expect(text).toContain(
      '`paper` is below `wsl+zsl` here by 6.9 points (cub-web, attributes); in the paper it is 4.3',
    );
    expect(text).toContain('The zero-shot part');
    expect(text).toContain('by 6.0 points (cub-web, attributes; cub-web, words)');
    expect(text).toMatch(/`wsdg` is below.*Why is open\./);
    expect(text).not.toContain('chao');
  });
});
