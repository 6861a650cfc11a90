/** `bowerbird status`: what is done in a workspace, what is not, and why. */
import { stateColour } from '../colour.js';
import { defineCommand } from '../command.js';
import { repeating } from '../progress.js';

/** Failed pictures shown of a stage; --json has all. */
const mostFailed = 5;

export default defineCommand({
  name: 'status',
  summary: 'Show which stages of a workspace are done, stale or failed, and why.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {},
  examples: [{ command: 'bowerbird status birds', explanation: 'a line for each stage' }],
  async run({ args: [folder = '.'], print, paint, printJson, progress }) {
    const { openWorkspace, workspaceStatus } = await import('../../workspace/index.js');
    const workspace = await openWorkspace(folder);
    const stages = await repeating(progress, (update) =>
      workspaceStatus(workspace, (progress) => update({ ...progress, stage: 'look at the files' })),
    );
    for (const note of workspace.configuration.notes) progress.note(note);
    printJson({ stages });
    const width = Math.max(...stages.map(({ stage }) => stage.length));
    for (const { stage, state, reason, summary, hint, notes, failed } of stages) {
      print(`${stage.padEnd(width)}  ${paint(state.padEnd(7), stateColour(state))}  ${reason ?? summary ?? ''}`);
      for (const line of [hint, ...notes, ...failed.slice(0, mostFailed), more(failed)])
        if (line) print(`${' '.repeat(width)}           ${line}`);
    }
    return 0;
  },
});

function more(failed: readonly string[]): string | undefined {
  return failed.length > mostFailed ? `and ${failed.length - mostFailed} more that failed` : undefined;
}
