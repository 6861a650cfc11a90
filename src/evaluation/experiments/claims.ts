/** What the paper says of its tables, method against method, and whether it holds here. */
import { type PaperDataset, paperAccuracy } from '../paper-figures.js';
import type { CompareTable, ExperimentTable } from '../results.js';

interface Claim {
  better: string;
  than: string;
  setting: 'standard' | 'generalized';
  says: string;
}

const standard = (better: string, than: string, says: string): Claim => ({ better, than, says, setting: 'standard' });
const both = (better: string, than: string, says: string): Claim => ({ better, than, says, setting: 'generalized' });

const claims: readonly Claim[] = [
  ...['kmm', 'gfk', 'sa', 'tca', 'coral'].map((method) => standard(method, 'lr', 'adapting to the domain helps')),
  ...['neil', 'bergamo', 'wsdg', 'sukhbaatar', 'xiao'].map((method) => standard(method, 'lr', 'handling noise helps')),
  ...['paper-wsl', 'paper-zsl'].map((method) => standard('paper', method, 'web pictures and transfer help each other')),
  standard('paper', 'paper-sim1', 'the nuclear norm helps'),
  standard('paper', 'paper-sim2', 'matching the means helps'),
  standard('paper', 'wsl+zsl', 'one model beats an average of two'),
  standard('paper', 'combo', 'one model beats an average of its special cases'),
  standard('svm-plus', 'lr', 'text helps'),
  standard('wsdg-pi+zsl', 'wsl+zsl', 'text helps'),
  standard('paper-pi', 'paper', 'text helps'),
  ...['lr-mix', 'wsl+lr', 'chao'].map((method) => both('paper', method, 'the learner is best with all categories')),
  both('svm-plus-mix', 'lr-mix', 'text helps'),
  both('wsdg-pi+lr', 'wsl+lr', 'text helps'),
  both('paper-pi', 'paper', 'text helps'),
];

/** Differences of accuracy in points; "unclear" where the smaller lies within the interval of the larger. */
export function claimTable(inStandard: CompareTable, inGeneralized: CompareTable): ExperimentTable {
  return {
    title: 'What the paper says, and what is found here',
    columns: ['setting', 'claim', 'because', 'paper (points)', 'here (points)', 'verdict'],
    rows: claims.flatMap(({ better, than, setting, says }) => {
      const table = setting === 'generalized' ? inGeneralized : inStandard;
      const [first, second] = [better, than].map((name) => table.rows.find(({ method }) => method === name));
      if (!first || !second) return [];
      const here = 100 * (first.accuracy.mean - second.accuracy.mean);
      const [low, high] = here > 0 ? [second, first] : [first, second];
      const clear = low.accuracy.mean < high.accuracy.low;
      const verdict = clear ? (here > 0 ? 'holds' : 'does not hold') : 'unclear';
      const dataset = table.paper?.dataset as PaperDataset | undefined;
      const printed = [better, than].map((name) => dataset && paperAccuracy(dataset, name, setting === 'generalized'));
      const paper = printed.every((value) => value !== undefined) ? rounded(printed[0]! - printed[1]!) : null;
      return [[setting, `${better} beats ${than}`, says, paper, rounded(here), verdict]];
    }),
  };
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
