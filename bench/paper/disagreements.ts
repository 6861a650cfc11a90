/** A sentence for every claim of the paper that does not hold on some of the problems. */
import { claimRows, columnOf, type PaperOfProblem } from './of-problem.js';

export function disagreements(found: readonly PaperOfProblem[]): string {
  const sentences = new Map<string, { paper: number | null; where: string[] }>();
  for (const each of found)
    for (const [setting, claim, , paper, here, verdict] of claimRows(each)) {
      if (verdict !== 'does not hold') continue;
      const name = `${claim}${setting === 'generalized' ? ' in the generalized setting' : ''}`;
      const known = sentences.get(name) ?? { paper: paper as number | null, where: [] };
      known.where.push(`${Math.abs(Number(here)).toFixed(1)} on ${columnOf(each)}`);
      sentences.set(name, known);
    }
  if (sentences.size === 0) return '';
  const lines = [...sentences].map(([claim, { paper, where }]) => {
    const [better, than] = claim.replace(' in the generalized setting', '').split(' beats ');
    const setting = claim.endsWith('setting') ? ' (generalized)' : '';
    const there = paper === null ? 'above it' : `${paper.toFixed(1)} points above it`;
    return `- \`${better}\`${setting} is below \`${than}\` here, by ${where.join(', ')} points; in the paper it is ${there}.`;
  });
  return `Where the paper is contradicted:\n\n${lines.join('\n')}`;
}
