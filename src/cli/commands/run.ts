/** `bowerbird run`: brings a workspace up to date. */
import { stageNames } from '../../workspace/names.js';
import { stateColour } from '../colour.js';
import { defineCommand } from '../command.js';
import { requireQueueAddress } from '../executor.js';
import { duration, repeating, stagesUpdate } from '../progress.js';
import { queuedDownloads } from '../queued-downloads.js';
import { queuedShards } from '../queued-features.js';

/** Lines of what failed that are shown. */
const mostFailed = 20;

export default defineCommand({
  name: 'run',
  summary: 'Run every stage of a workspace that is not up to date.',
  description:
    'Crawls, removes duplicates, extracts features, looks up words, counts texts, puts the problem together, chooses ' +
    'parameters, fits, compares and reports; only what is stale, side by side where possible. It can be stopped or killed at ' +
    'any moment: the next run goes on. The exit code is 3 when some pictures failed.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    until: { type: 'choice', choices: stageNames, placeholder: 'STAGE', description: 'Stop after this stage.' },
    again: {
      type: 'choice',
      choices: stageNames,
      placeholder: 'STAGE',
      description: 'Run this stage though it is up to date; "crawl" retries what failed.',
    },
    queue: {
      type: 'string',
      placeholder: 'URL',
      description:
        'Pictures are fetched and features extracted by the machines of "bowerbird worker --queue URL" (redis://…).',
    },
    quick: {
      type: 'flag',
      description: 'Keep parameters chosen before, though the problem has changed, and compare nothing anew.',
    },
  },
  examples: [
    { command: 'bowerbird run birds', explanation: 'everything that is needed' },
    { command: 'bowerbird run birds --until problem', explanation: 'up to the problem file' },
  ],
  async run({ args: [folder = '.'], options, print, paint, printJson, progress, signal }) {
    const { openWorkspace, runWorkspace } = await import('../../workspace/index.js');
    if (options.queue) requireQueueAddress(options.queue);
    const begun = performance.now();
    const workspace = await openWorkspace(folder);
    const report = await repeating(progress, (update) =>
      runWorkspace(workspace, {
        until: options.until,
        again: options.again,
        ...(options.queue && {
          extractElsewhere: (work) => queuedShards({ ...work, queue: options.queue!, progress }),
          downloadElsewhere: queuedDownloads({ queue: options.queue, workspace: folder, progress }),
        }),
        quick: options.quick,
        signal,
        onNote: (message, kind) => progress[kind === 'end' ? 'ended' : 'note'](message),
        onProgress: (state) => update(stagesUpdate(state)),
      }),
    );
    printJson(report);
    const width = Math.max(...report.stages.map(({ stage }) => stage.length));
    for (const { stage, outcome, summary, reason } of report.stages)
      print(`${stage.padEnd(width)}  ${paint(outcome.padEnd(9), stateColour(outcome))}  ${summary ?? reason ?? ''}`);
    const ran = report.stages.filter(({ outcome }) => outcome === 'ran').length;
    print(`${ran} of ${report.stages.length} stages ran, ${duration((performance.now() - begun) / 1000)}`);
    if (report.failed.length === 0) return 0;
    progress.note('What failed:');
    for (const line of report.failed.slice(0, mostFailed)) progress.note(`  ${line}`);
    if (report.failed.length > mostFailed)
      progress.note(`  and ${report.failed.length - mostFailed} more; --json lists all`);
    if (report.stages.some(({ stage, failed }) => stage === 'crawl' && failed.length > 0))
      progress.note('"--again crawl" tries again what may succeed later.');
    return 3;
  },
});
