/** `bowerbird demo`: the whole way from names to answers on an aviary that is drawn for it. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InterruptedError } from '../../errors.js';
import { readStrangerGroups, type StrangerGroup } from '../../fit/index.js';
import { percent } from '../../percent.js';
import { layout, openWorkspace, runWorkspace } from '../../workspace/index.js';
import { defineCommand } from '../command.js';
import { type MethodRow, scoreMethods, scoreWeights, type WeightScores } from '../demo-scores.js';
import { fullSize, openDemoWorkspace, smallSize } from '../demo-workspace.js';
import { duration, stagesUpdate } from '../progress.js';
import { tableLines } from '../table.js';

export default defineCommand({
  name: 'demo',
  summary: 'Show the whole way from names to answers, on birds drawn for it.',
  description:
    'Draws an aviary of bird species that look like their names, some more frequent than others, with a few strangers among them, ' +
    'puts some of the pictures on a photo site on this machine, with ' +
    'wrong and off-topic ones among them, writes a small text about birds, and runs every stage of a workspace on them: crawl, ' +
    'dedupe, features, words, text, fit, compare and report. Nothing but the vision network (a package of a few megabytes) ' +
    'comes from outside. Takes a few minutes.',
  arguments: [],
  options: {
    seed: { type: 'integer', default: 1, minimum: 0, description: 'Seed of the aviary and of everything after it.' },
    out: {
      type: 'string',
      short: 'o',
      placeholder: 'FOLDER',
      description: 'Keep the workspace in this folder; given again, only what is stale runs.',
    },
    keep: { type: 'flag', description: 'Keep the workspace in its temporary folder, not the report alone.' },
    small: { type: 'flag', description: 'Few species and pictures: quick, but its figures say little.' },
  },
  examples: [
    { command: 'bowerbird demo', explanation: 'prints a table and the path of the report' },
    { command: 'bowerbird demo --out aviary', explanation: 'leaves a workspace to look around in' },
  ],
  async run({ options, print, printJson, progress, signal }) {
    const begun = performance.now();
    const kept = options.keep || options.out !== undefined;
    const folder = resolve(options.out ?? (await mkdtemp(join(tmpdir(), 'bowerbird-demo-'))));
    let finished = false;
    try {
      const { world, site } = await openDemoWorkspace(folder, options.seed, options.small ? smallSize : fullSize, {
        signal,
        onProgress: progress.during('draw the aviary'),
      });
      try {
        const workspace = await openWorkspace(folder);
        const { stages } = await runWorkspace(workspace, {
          signal,
          onNote: (message, kind) => progress[kind === 'end' ? 'ended' : 'note'](message),
          onProgress: (state) => progress.update(stagesUpdate(state)),
        });
        const result = {
          seed: options.seed,
          species: {
            auxiliary: world.auxiliary.length,
            test: world.test.length,
            unlisted: world.strangers.length,
          },
          ...(await scoreMethods(workspace, signal)),
          weights: await scoreWeights(workspace),
          groups: (await readStrangerGroups(workspace.path(layout.run))) ?? [],
          stages: stages.map(({ stage, outcome, summary, seconds }) => ({ stage, outcome, summary, seconds })),
          seconds: Math.round((performance.now() - begun) / 100) / 10,
          ...(await leave(folder, kept)),
        };
        printJson(result);
        for (const line of describeResult(result)) print(line);
        finished = true;
      } finally {
        await site.close();
      }
    } catch (error) {
      if (kept || !(error instanceof InterruptedError)) throw error;
      throw new InterruptedError('the demonstration was interrupted', 'With --out FOLDER it goes on where it stopped.');
    } finally {
      if (!kept && !finished) await rm(folder, { recursive: true, force: true });
    }
    return 0;
  },
});

/** Where report and workspace are in the end. */
async function leave(folder: string, kept: boolean): Promise<{ report?: string; workspace?: string }> {
  const report = join(folder, layout.report);
  if (kept) return { workspace: folder, ...(existsSync(report) && { report }) };
  const alone = `${folder}.html`;
  const reported = existsSync(report);
  if (reported) await cp(report, alone);
  await rm(folder, { recursive: true, force: true });
  return reported ? { report: alone } : {};
}

interface DemoResult {
  species: { auxiliary: number; test: number; unlisted: number };
  testPictures: number;
  /** Pictures that show no listed species. */
  strangers: number;
  methods: readonly MethodRow[];
  weights?: WeightScores;
  groups: readonly StrangerGroup[];
  seconds: number;
  report?: string;
  workspace?: string;
}

function describeResult(result: DemoResult): string[] {
  const { species, methods, testPictures, strangers, weights, groups, ...rest } = result;
  const rows = methods.map((row) => [
    row.method,
    row.learnsFrom,
    `${percent(row.accuracy)} %`,
    `${percent(row.low, 0)} to ${percent(row.high, 0)}`,
    row.recognized === undefined ? '–' : `${percent(row.recognized)} %`,
  ]);
  const [best] = methods;
  const columns = [
    { title: 'method' },
    { title: 'learns from' },
    { title: 'accuracy', align: 'right' },
    { title: '95 % interval', align: 'right' },
    { title: 'strangers recognized', align: 'right' },
  ] as const;
  return [
    `${testPictures - strangers} pictures of ${species.test} species nobody has labelled, in unequal numbers; ${species.auxiliary} other species were.`,
    `Among them ${strangers} strangers: ${species.unlisted} species that nobody has listed, and a few pictures of something else.`,
    '',
    ...tableLines(columns, rows),
    '',
    ...(best?.mistaken === undefined
      ? []
      : [`Of the others, ${best.method} took ${percent(best.mistaken)} % for strangers.`]),
    ...groups.map(
      ({ pictures, nearestAuxiliary }) =>
        `${pictures} pictures of one bird that is not on the list, near ${nearestAuxiliary}.`,
    ),
    ...(weights
      ? [
          `Of ${weights.wrong} wrong web pictures, ${percent(weights.wrongLow)} % got less than half the average weight from ${weights.method}; ` +
            `of ${weights.right} right ones, ${percent(weights.rightLow)} %.`,
          `A right picture outweighs a wrong one in ${percent(weights.area, 0)} of 100 pairs.`,
        ]
      : []),
    'Parameters of the other methods were chosen on auxiliary species; bowerbird is as it comes. Nobody looked at the answers.',
    ...(rest.report ? [`Report: ${rest.report}`] : []),
    ...(rest.workspace ? [`Workspace: ${rest.workspace}`] : []),
    `${duration(rest.seconds)}`,
  ];
}
