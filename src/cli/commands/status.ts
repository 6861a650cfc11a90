/** `bowerbird status`: what is done in a workspace, what is not, and why. */
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'status',
  summary: 'Show which stages of a workspace are done, stale or failed, and why.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {},
  examples: [{ command: 'bowerbird status birds', explanation: 'a line for each stage' }],
  async run({ args: [folder = '.'], print, printJson }) {
    const { openWorkspace, workspaceStatus } = await import('../../workspace/index.js');
    const stages = await workspaceStatus(await openWorkspace(folder));
    printJson({ stages });
    const width = Math.max(...stages.map(({ stage }) => stage.length));
    for (const { stage, state, reason, summary, hint, notes } of stages) {
      print(`${stage.padEnd(width)}  ${state.padEnd(7)}  ${reason ?? summary ?? ''}`);
      for (const line of [hint, ...notes]) if (line) print(`${' '.repeat(width)}           ${line}`);
    }
    return 0;
  },
});
