/** The table of learnt ranges as a module, and what the trials say as tables of Markdown. */
import { writeFileSync } from 'node:fs';
import { describeParameters } from '../../src/evaluation/index.js';
import { markdownTable } from '../shared/document.js';
import { expectedBest, type Learnt, saturation } from './learn.js';

const points = [1, 2, 5, 10, 20];

/** What the defaults are short of, and the setting that would be better. */
export function defaultsTable(found: readonly Learnt[]): string {
  return markdownTable(
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
}

/** Accuracy on validation categories against trials, and the fewest that come within half a point of all. */
export function saturationTable(found: readonly Learnt[]): string {
  const most = Math.max(...found.map(({ settings }) => settings.length));
  const shown = [...points.filter((count) => count < most), most];
  return markdownTable(
    ['method', 'problems', ...shown.map((count) => `${count} trial${count === 1 ? '' : 's'}`), 'trials needed'],
    found.map(({ method, problems, settings }) => [
      `\`${method}\``,
      String(problems.length),
      ...shown.map((count) => expectedBest(settings, count).toFixed(1)),
      String(saturation(settings)),
    ]),
  );
}

export function writeRanges(found: readonly Learnt[]): void {
  const word = (value: number | string) => (typeof value === 'number' ? String(value) : `'${value}'`);
  const key = (name: string) => (/^[a-z]\w*$/i.test(name) ? name : `'${name}'`);
  const lines = found.flatMap(({ method, ranges }) => [
    `  ${key(method)}: {`,
    ...Object.entries(ranges).map(([name, values]) => `    ${key(name)}: [${values.map(word).join(', ')}],`),
    '  },',
  ]);
  const { problems, settings } = found.reduce((most, each) =>
    each.problems.length > most.problems.length ? each : most,
  );
  writeFileSync(
    new URL('../../src/methods/learnt-ranges.ts', import.meta.url),
    `/**
 * Ranges learnt from ${settings.length} settings of each method on the validation categories of ${problems.join(', ')},
 * made by \`npm run bench -- ranges --write\`; not to be edited by hand.
 */
import type { LearntRange } from './searched-ranges.js';

export const learntRanges: Readonly<Record<string, Readonly<Record<string, LearntRange>>>> = {
${lines.join('\n')}
};
`,
  );
}
