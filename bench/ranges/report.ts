/** The table of learnt ranges as a module, and what the trials say as tables of Markdown. */
import { writeFileSync } from 'node:fs';
import { describeParameters } from '../../src/evaluation/index.js';
import { markdownTable } from '../shared/document.js';
import { expectedBest, type Learnt, saturation } from './learn.js';
import type { Draw } from './trials.js';

const points = [1, 2, 3, 5, 10, 20];

/** What the defaults are short of, and the setting that would be better. */
export function defaultsTable(found: readonly Learnt[]): string {
  const table = markdownTable(
    ['method', 'problems', 'settings', 'defaults below the best, points', 'best setting', 'parameters'],
    found.map(({ method, problems, settings, defaultRegret, best }) => [
      `\`${method}\``,
      String(problems.length),
      String(settings.length),
      defaultRegret.toFixed(1),
      best.regret.toFixed(1),
      best.trial === 0 ? 'the defaults' : describeParameters(best.parameters),
    ]),
  );
  return `How far a setting stays below the best of its problem, mean over the problems, in points: for the defaults and for the best setting on average. Command: \`npm run bench -- ranges\`.\n\n${table}`;
}

/** Accuracy on validation categories against trials, and the fewest that come within half a point of all. */
export function saturationTable(found: readonly Learnt[], draw: Draw): string {
  const most = Math.max(...found.map(({ settings }) => settings.length));
  const shown = [...points.filter((count) => count < most), most];
  const from = draw === 'outer' ? 'far beyond the declared ranges' : 'the learnt ranges';
  const table = markdownTable(
    ['method', 'problems', ...shown.map((count) => `${count} trial${count === 1 ? '' : 's'}`), 'trials needed'],
    found.map(({ method, problems, settings }) => [
      `\`${method}\``,
      String(problems.length),
      ...shown.map((count) => expectedBest(settings, count).toFixed(1)),
      String(saturation(settings)),
    ]),
  );
  return `Mean per-category accuracy in percent to expect after so many trials, the defaults first and the others drawn from ${from}, mean over the problems; the last column: the fewest trials that come within half a point of all.\n\n${table}`;
}

export function writeRanges(found: readonly Learnt[]): void {
  const key = (name: string) => (/^[a-z]\w*$/i.test(name) ? name : `'${name}'`);
  const lines = found.flatMap(({ method, ranges }) => {
    const entries = Object.entries(ranges).map(([name, [low, high]]) => `    ${key(name)}: [${low}, ${high}],`);
    return entries.length === 0 ? [] : [`  ${key(method)}: {`, ...entries, '  },'];
  });
  writeFileSync(
    new URL('../../src/methods/learnt-ranges.ts', import.meta.url),
    `/** Ranges that trials on validation categories have widened, made by \`npm run bench -- ranges --write\`; not to be edited by hand. */
import type { LearntRange } from './searched-ranges.js';

export const learntRanges: Readonly<Record<string, Readonly<Record<string, LearntRange>>>> = {
${lines.join('\n')}
};
`,
  );
}
