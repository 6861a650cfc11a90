/** `bowerbird data answers`: what a workspace says of its test pictures, for other tools. */
import { type AnswerFormat, answerFormats } from '../../datasets/names.js';
import { UsageError } from '../../errors.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'data answers',
  summary: 'Write the answers of a finished workspace about its test pictures for other tools.',
  description:
    'csv and jsonl: answer, category, confidence, chance of showing none, runner-up and, where it is known, the truth of each picture. ' +
    'label-studio: tasks with pre-annotations, to be corrected there.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    out: { type: 'string', short: 'o', placeholder: 'DIR', description: 'Where to. [default: WORKSPACE/answers]' },
    as: {
      type: 'list',
      placeholder: 'FORMAT,…',
      default: ['csv'],
      description: `Formats: ${answerFormats.join(', ')}.`,
    },
  },
  examples: [
    { command: 'bowerbird data answers birds --as jsonl', explanation: 'birds/answers/answers.jsonl' },
    {
      command: 'bowerbird data answers birds --as label-studio --out review',
      explanation: 'review/label-studio/tasks.json',
    },
  ],
  async run({ args: [folder = '.'], options, print, printJson, progress, signal }) {
    for (const format of options.as)
      if (!(answerFormats as readonly string[]).includes(format))
        throw new UsageError(`--as ${format} is not a format`, `Formats are: ${answerFormats.join(', ')}.`);
    const { answeredPictures, openWorkspace } = await import('../../workspace/index.js');
    const { writeAnswerFiles } = await import('../../datasets/index.js');
    const workspace = await openWorkspace(folder);
    const { pictures, choices } = await answeredPictures(workspace);
    const files = await writeAnswerFiles(
      options.out ?? workspace.path('answers'),
      options.as as readonly AnswerFormat[],
      pictures,
      { choices, signal, onProgress: progress.during('write pictures') },
    );
    printJson({ files, pictures: pictures.length });
    for (const file of files) print(file);
    return 0;
  },
});
