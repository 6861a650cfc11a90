/** `bowerbird ask`: the most useful minute of a person's time, on the terminal. */
import { createInterface } from 'node:readline/promises';
import type { AskSession, Question } from '../../ask/index.js';
import { UsageError } from '../../errors.js';
import { percent } from '../../percent.js';
import type { Workspace } from '../../workspace/index.js';
import { defineCommand } from '../command.js';
import { pictureLines, terminalPictures } from '../terminal-picture.js';

/** Where a refit is slower than this, several answers are taken up together. */
const patienceSeconds = 2;
const together = 5;

export default defineCommand({
  name: 'ask',
  summary: 'Answer the questions that teach the fit of a workspace most.',
  description:
    'Asks what pictures show, whether web pictures show what they are said to, and what groups of strangers are: first what puts ' +
    'most pictures of the folder right, and every fourth picture drawn at random, so that it is known how right the folder is. ' +
    'Answers are kept as decisions, with who and when; "bowerbird run --quick" takes them into the workspace. Reply with a ' +
    'number, the beginning of a name, y or n (no: none of these), "new: NAME" for a category that is not listed yet, s to skip, ' +
    'u to undo, q to end. With --json nothing is asked: the questions are printed.',
  arguments: [{ name: 'WORKSPACE', description: 'folder with bowerbird.yaml; here if not given', optional: true }],
  options: {
    questions: { type: 'integer', minimum: 1, default: 20, placeholder: 'N', description: 'How many to ask.' },
    by: {
      type: 'string',
      placeholder: 'NAME',
      description: 'Who answers; answers of different people are kept apart.',
    },
    check: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.25,
      placeholder: 'SHARE',
      description: 'Share of questions drawn at random to measure how right the folder is.',
    },
    repeat: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0,
      placeholder: 'SHARE',
      description: 'Share of questions that somebody else has answered.',
    },
    import: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Take labels from a CSV or Label Studio file, ask nothing.',
    },
    export: {
      type: 'string',
      placeholder: 'FILE',
      description: 'Write all answers and decisions as CSV, ask nothing.',
    },
  },
  examples: [
    { command: 'bowerbird ask birds --questions 20', explanation: 'the twenty most useful questions' },
    {
      command: 'bowerbird ask birds --by Ana --repeat 0.1',
      explanation: 'a second person, a tenth of what others answered',
    },
    { command: 'bowerbird ask birds --import labels.csv', explanation: 'columns picture and label' },
  ],
  async run({ args: [folder = '.'], options, json, print, printJson, progress, signal }) {
    const ask = await import('../../ask/index.js');
    const { agreementOf, openWorkspace, readDecisions } = await import('../../workspace/index.js');
    const workspace = await openWorkspace(folder);
    if (options.export !== undefined) {
      const lines = await ask.writeLabels(options.export, await readDecisions(workspace));
      printJson({ file: options.export, decisions: lines });
      print(`${lines} decisions written to ${options.export}`);
      return 0;
    }
    const labels = options.import === undefined ? undefined : await ask.readLabels(options.import);
    const { by, check, repeat } = options;
    const onProgress = progress.during('fit');
    const session = await ask.AskSession.open(workspace, { by, check, repeat, signal, onProgress });
    try {
      if (labels) return await importInto(workspace, session, labels, by, print, printJson);
      if (json) {
        printJson({ questions: await session.questions(options.questions), standing: session.standing() });
        return 0;
      }
      const minutes = await converse(session, options.questions, print, signal);
      print(ask.boughtText(session.standing(), minutes));
      const estimate = session.estimate();
      if (estimate) print(ask.estimateText(estimate));
      const agreement = agreementOf(await readDecisions(workspace));
      if (agreement) print(ask.agreementText(agreement));
      print(`"bowerbird run ${folder} --quick" takes the answers into the workspace.`);
      return 0;
    } finally {
      session.close();
    }
  },
});

async function importInto(
  workspace: Workspace,
  session: AskSession,
  labels: Parameters<typeof import('../../ask/index.js').importLabels>[0],
  by: string | undefined,
  print: (line: string) => void,
  printJson: (value: unknown) => void,
): Promise<number> {
  const { importLabels } = await import('../../ask/index.js');
  const { recordActs } = await import('../../workspace/index.js');
  const predicted = (id: string) => session.predicted(id);
  const { acts, unknown, unlisted } = importLabels(labels, session.pictures, session.names, predicted);
  for (const person of new Set(acts.map((one) => one.by)))
    await recordActs(
      workspace,
      acts.filter((one) => one.by === person).map(({ act }) => act),
      person ?? by,
    );
  printJson({ imported: acts.length, unknown, unlisted });
  print(`${acts.length} labels taken; "bowerbird run --quick" learns from them.`);
  if (unlisted.length > 0) print(`None of the categories, so strangers: ${unlisted.join(', ')}`);
  if (unknown.length > 0)
    print(`${unknown.length} pictures are none of the test pictures, the first of them ${unknown[0]}`);
  return unknown.length > 0 ? 3 : 0;
}

/** @returns minutes it took */
async function converse(
  session: AskSession,
  count: number,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const ask = await import('../../ask/index.js');
  const how = terminalPictures(process.env, process.stdout.isTTY === true);
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY });
  const typed = lines[Symbol.asyncIterator]();
  const begun = performance.now();
  let list: Question[] = [];
  let [asked, waiting] = [0, 0];
  try {
    while (asked < count && !signal.aborted) {
      if (list.length === 0) {
        if (waiting > 0) await session.refit();
        waiting = 0;
        list = await session.questions(Math.min(together, count - asked));
        if (list.length === 0) {
          print('There is nothing left to ask.');
          break;
        }
      }
      const [question] = list;
      const files = await Promise.all(question.ids.map((id) => session.pictureFile(question, id)));
      for (const file of files) process.stdout.write(await pictureLines(file, how, 48));
      print(`\n${asked + 1}/${count}  ${ask.questionText(question)}`);
      print(`  ${files.join('\n  ')}`);
      for (const [k, { name, chance }] of (question.choices ?? []).entries())
        print(`  ${k + 1}  ${name ?? ask.noneWords} (${percent(chance, 0)} %)`);
      process.stdout.write('> ');
      const { value, done } = await typed.next();
      if (done || value.trim().toLowerCase() === 'q') break;
      if (value.trim().toLowerCase() === 'u') {
        const back = await session.undo();
        print(back ? `Taken back: ${back.join(', ')}` : 'There is nothing to take back.');
        if (back) asked = Math.max(0, asked - 1);
        await session.refit();
        list = [];
        continue;
      }
      const reply = ask.parseReply(value, question, session.names);
      if (!reply) {
        print('Reply with a number, a name, y, n, "new: NAME", s, u or q.');
        continue;
      }
      if (await settle(session, question, reply, print)) {
        asked++;
        waiting++;
        list = list.slice(1);
        if (session.standing().refitSeconds < patienceSeconds) list = [];
      }
    }
    await session.refit();
  } finally {
    lines.close();
  }
  return (performance.now() - begun) / 60_000;
}

async function settle(
  session: AskSession,
  question: Question,
  reply: NonNullable<ReturnType<typeof import('../../ask/index.js').parseReply>>,
  print: (line: string) => void,
): Promise<boolean> {
  if (!('category' in reply)) {
    await session.answer(question, reply);
    return true;
  }
  try {
    await session.nameCategory(question, reply.category);
    print(`${reply.category} is a category now; the next "bowerbird run" looks for pictures of it.`);
    return true;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    print(`${error.message}. ${error.hint ?? ''}`);
    return false;
  }
}
