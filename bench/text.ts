/**
 * What the text of web pictures is worth, and how much of it: γ, ε and the size of the vocabulary on validation categories of `cub-web`.
 *
 * On the small form of these categories that ranges are learnt on: the learner with text (`paper-pi`) with every weight γ and ridge ε, SVM+ and WSDG_PI with every penalty, each with vocabularies of 50 to
 * 2,000 words, and the methods without text beside them; test labels play no part. Fits that were made are kept in `--out DIR` and not made again.
 * Options: `--data DIR`, `--out DIR`, `--report` (fit nothing), `--write` (into docs/results.md).
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Journal } from '../src/evaluation/journal.js';
import { smallProblem } from './ranges/small-problem.js';
import { markdownTable } from './shared/document.js';
import { accuraciesOf, fitMissing } from './shared/fit-missing.js';
import { writeResults } from './shared/results.js';
import { textPenalties, textRidges, textTrials, textWeights, vocabularies, withoutText } from './text/trials.js';

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: '../shared/data' },
      out: { type: 'string', default: 'scratch/text' },
      report: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const journal = await Journal.open(join(values.out, 'text.jsonl'));
  const trials = textTrials();
  const folders = { data: values.data, made: values.out };
  if (!values.report)
    for (const words of vocabularies) {
      const jobs = trials.filter((trial) => trial.words === words).map(({ job }) => job);
      const problem = () => smallProblem(folders, 'cub-web', words);
      await fitMissing({ name: `${words} words`, jobs, journal, problem, width: 1 });
    }
  const found = await accuraciesOf(
    trials.map(({ job }) => job),
    journal,
  );
  const text = textTables(found);
  console.log(text);
  if (values.write) writeResults('text', text);
}

/** Rows are vocabularies; the learner has a table for each ridge. */
export function textTables(found: ReadonlyMap<string, number>): string {
  const figure = (id: string) => found.get(id)?.toFixed(1) ?? '–';
  const base = withoutText.map((method) => `\`${method}\` ${figure(`${method}/without text`)}`).join(', ');
  const learner = textRidges.map((ridge) =>
    [
      `\`paper-pi\`, ε = ${ridge}:`,
      markdownTable(
        ['words', ...textWeights.map((gamma) => `γ ${gamma}`)],
        vocabularies.map((words) => [
          String(words),
          ...textWeights.map((gamma) => figure(`paper-pi/words=${words},gamma=${gamma},textRidge=${ridge}`)),
        ]),
      ),
    ].join('\n\n'),
  );
  const machines = markdownTable(
    ['words', ...['svm-plus', 'wsdg-pi'].flatMap((name) => textPenalties.map((each) => `\`${name}\` ${each}`))],
    vocabularies.map((words) => [
      String(words),
      ...['svm-plus', 'wsdg-pi'].flatMap((name) =>
        textPenalties.map((each) => figure(`${name}/words=${words},textPenalty=${each}`)),
      ),
    ]),
  );
  return [
    'Mean per-category accuracy in percent on the validation categories of `cub-web` in their small form, with attributes. Command: `npm run bench -- text`.',
    `Without text: ${base}.`,
    ...learner,
    'SVM+ and WSDG_PI by the penalty on the slack function of the text:',
    machines,
  ].join('\n\n');
}
