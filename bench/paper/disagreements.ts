/** A sentence for every claim of the paper that does not hold on some of the problems, and why, where a run says so. */
import { claimRows, columnOf, type PaperOfProblem } from './of-problem.js';

const nothingToAdaptTo =
  'the planted web pictures of `cub-resnet50` are photographs of the same collection, so that there is nothing to adapt to; on `cub-web` a search of 20 trials brings them within a point of each other (tables below)';

/** What runs say of a disagreement, by claim and setting; of the others the reason is open. */
const reasons: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['kmm', 'gfk', 'sa', 'tca'].map((method) => [`${method} beats lr`, nothingToAdaptTo])),
  'paper beats wsl+zsl':
    'the zero-shot part of the average is stronger here with attributes than in the paper (`zhang-saligrama`, Table I); with word vectors it is weaker, and the learner is not behind',
  'wsdg-pi+zsl beats wsl+zsl':
    'both have the same zero-shot part, and WSDG is behind `xiao`, the other part of the second (Table I)',
};

interface Disagreement {
  claim: string;
  setting: string;
  /** Points in the paper. */
  paper: number | null;
  /** Problems by the points they are short. */
  where: Map<string, string[]>;
}

export function disagreements(found: readonly PaperOfProblem[]): string {
  const told = new Map<string, Disagreement>();
  for (const each of found)
    for (const [setting, claim, , paper, here, verdict] of claimRows(each)) {
      if (verdict !== 'does not hold') continue;
      const key = `${claim}, ${setting}`;
      const known = told.get(key) ?? {
        claim: String(claim),
        setting: String(setting),
        paper: paper as number | null,
        where: new Map<string, string[]>(),
      };
      const points = Math.abs(Number(here)).toFixed(1);
      known.where.set(points, [...(known.where.get(points) ?? []), columnOf(each)]);
      told.set(key, known);
    }
  if (told.size === 0) return '';
  return `Where the paper is contradicted:\n\n${[...told.values()].map(sentence).join('\n')}`;
}

function sentence({ claim, setting, paper, where }: Disagreement): string {
  const [better, than] = claim.split(' beats ');
  const generalized = setting === 'generalized';
  const here = [...where].map(([points, columns]) => `${points} points (${columns.join('; ')})`).join(', ');
  const there = paper === null ? 'above it' : `${paper.toFixed(1)} points above it`;
  const reason = generalized ? undefined : reasons[claim];
  const why = reason ? `${reason[0].toUpperCase()}${reason.slice(1)}.` : 'Why is open.';
  return `- \`${better}\`${generalized ? ' in the generalized setting' : ''} is below \`${than}\` here by ${here}; in the paper it is ${there}. ${why}`;
}
