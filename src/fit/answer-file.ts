/** Answers as a table, in memory and as a CSV file; cells that are not known stay empty. */
import { readCsv, writeCsv } from '../formats/index.js';
import { type Answer, type Answers, answerRow } from './answers.js';

const columns: Readonly<Record<string, (answer: Answer) => string | number | undefined>> = {
  name: ({ name }) => name,
  category: ({ category }) => category,
  score: ({ score }) => score,
  confidence: ({ confidence }) => confidence,
  unlisted: ({ unlisted }) => unlisted,
  runner_up: ({ runnerUp }) => runnerUp,
  runner_up_confidence: ({ runnerUpConfidence }) => runnerUpConfidence,
  margin: ({ margin }) => margin,
  group: ({ group }) => group,
  truth: ({ truth }) => truth,
};
/** Of use to those who have the other files at hand. */
const ofRows: readonly string[] = ['category', 'score'];

/** Answers as a table, row after row: by number, or, for people, by the pictures' names. */
export function answerTable(answers: Answers, options: { labels?: Int32Array; pictures?: readonly string[] } = {}) {
  const { labels, pictures } = options;
  const shown = Object.keys(columns).filter((name) => !pictures || !ofRows.includes(name));
  function* rows() {
    for (let row = 0; row < answers.predictions.length; row++) {
      const answer = answerRow(answers, row, labels);
      yield [pictures?.[row] ?? row, ...shown.map((name) => columns[name](answer))];
    }
  }
  return { header: [pictures ? 'picture' : 'row', ...shown], rows: rows() };
}

export async function writeAnswers(
  path: string,
  answers: Answers,
  options: { labels?: Int32Array; pictures?: readonly string[] } = {},
): Promise<void> {
  const { header, rows } = answerTable(answers, options);
  await writeCsv(path, rows, { header });
}

/** What `writeAnswers` wrote by row. */
export async function readAnswerFile(path: string): Promise<Answer[]> {
  const { header = [], rows } = await readCsv(path);
  const at = Object.fromEntries(header.map((name, c) => [name, c]));
  return rows.map((cells): Answer => {
    const text = (name: string) => cells[at[name]] || undefined;
    const number = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
    const [confidence, unlisted, group, truth] = [
      number('confidence'),
      number('unlisted'),
      number('group'),
      text('truth'),
    ];
    const runnerUpConfidence = number('runner_up_confidence');
    return {
      row: Number(text('row')),
      name: text('name') ?? '',
      category: Number(text('category')),
      score: Number(text('score')),
      ...(confidence !== undefined && { confidence }),
      ...(unlisted !== undefined && { unlisted }),
      runnerUp: text('runner_up') ?? '',
      ...(runnerUpConfidence !== undefined && { runnerUpConfidence }),
      margin: number('margin') ?? Number.NaN,
      ...(group !== undefined && { group }),
      ...(truth !== undefined && { truth }),
    };
  });
}
