/** `bowerbird classify`: pictures in, answers out. */
import { noneOfThese, verdict } from '../../fit/index.js';
import { percent } from '../../percent.js';
import type { ClassifiedPicture } from '../../workspace/index.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'classify',
  summary: 'Say what is in pictures, with the classifier of a finished workspace.',
  description:
    'Prints category, confidence and runner-up of each picture. The confidence is the chance of being right, learnt on ' +
    'auxiliary categories. A picture that more likely than not shows none of the categories is said to show none of these. ' +
    'The exit code is 3 when pictures could not be read.',
  arguments: [{ name: 'PICTURES', description: 'pictures, or folders of pictures', rest: true }],
  options: {
    workspace: {
      type: 'string',
      short: 'w',
      default: '.',
      placeholder: 'DIR',
      description: 'The workspace, after "bowerbird run".',
    },
  },
  examples: [
    { command: 'bowerbird classify garden.jpg --workspace birds', explanation: 'one picture' },
    { command: 'bowerbird classify photos/2026 -w birds --json', explanation: 'all pictures of a folder, as JSON' },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    const { classify, openWorkspace } = await import('../../workspace/index.js');
    const workspace = await openWorkspace(options.workspace);
    const { pictures, failed } = await classify(workspace, args, {
      signal,
      onNote: (message) => progress.note(message),
      onProgress: progress.during('classify'),
    });
    printJson({ pictures, failed });
    for (const answer of pictures) print(`${answer.picture}: ${inWords(answer)}`);
    if (pictures.some(({ confidence }) => confidence === undefined))
      progress.note('no confidence: there were no validation categories to learn it from');
    for (const { picture, reason } of failed) progress.note(`${picture}: ${reason}`);
    return failed.length > 0 ? 3 : 0;
  },
});

function inWords({ category, confidence, unlisted, runnerUp, runnerUpConfidence }: ClassifiedPicture): string {
  const best = `${category}${inBrackets(confidence)}`;
  if (verdict({ name: category, unlisted }) !== category) return `${noneOfThese}${inBrackets(unlisted)}; else ${best}`;
  return `${best}; else ${runnerUp}${inBrackets(runnerUpConfidence)}`;
}

/** With a digit more where a whole number would say certain or impossible. */
function inBrackets(share: number | undefined): string {
  return share === undefined ? '' : ` (${percent(share, share > 0.995 || share < 0.005 ? 1 : 0)} %)`;
}
