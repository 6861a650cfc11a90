/** How right the folder of a workspace is, by what people said of some of its pictures, and how far people agree. */
import { type AccuracyEstimate, type AnsweredQuestion, estimateAccuracy } from '../fit/index.js';
import { agreedLabel, type Decisions, type PersonAnswer } from './decisions.js';

/** @param pictures number of test pictures; undefined is the answer where no picture was drawn to be checked */
export function estimateFromAnswers({ answers }: Decisions, pictures: number): AccuracyEstimate | undefined {
  const first = [...answers.values()].map((said) => ({ said, ...earliest(said) }));
  first.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const questions = first.flatMap(({ said, asked }): AnsweredQuestion[] =>
    asked?.predicted === undefined
      ? []
      : [{ right: asked.predicted === agreedLabel(said), ...(asked.drawn && { drawn: asked.drawn }) }],
  );
  return estimateAccuracy(questions, answers.size, pictures);
}

function earliest(said: readonly PersonAnswer[]): PersonAnswer {
  return said.reduce((first, answer) => (answer.at < first.at ? answer : first));
}

export interface Agreement {
  readonly people: readonly string[];
  /** Pictures that at least two people answered. */
  readonly pictures: number;
  /** Share of pairs of answers to one picture that say the same. */
  readonly agreeing: number;
  /** Cohen's κ over all pairs: agreement beyond what chance would give. */
  readonly kappa: number;
  readonly disputed: readonly { readonly id: string; readonly answers: readonly PersonAnswer[] }[];
}

/** Undefined where no picture was answered by two people. */
export function agreementOf({ answers }: Pick<Decisions, 'answers'>): Agreement | undefined {
  const people = new Set<string>();
  const shared = [...answers].filter(([, said]) => said.length > 1);
  for (const said of answers.values()) for (const { by } of said) people.add(by);
  if (shared.length === 0) return undefined;
  let [pairs, same] = [0, 0];
  const uses = new Map<string | null, number>();
  for (const [, said] of shared)
    for (const [k, one] of said.entries())
      for (const other of said.slice(k + 1)) {
        pairs++;
        if (one.label === other.label) same++;
        for (const { label } of [one, other]) uses.set(label, (uses.get(label) ?? 0) + 1);
      }
  const chance = [...uses.values()].reduce((sum, count) => sum + (count / (2 * pairs)) ** 2, 0);
  const agreeing = same / pairs;
  return {
    people: [...people].sort(),
    pictures: shared.length,
    agreeing,
    kappa: chance === 1 ? 1 : (agreeing - chance) / (1 - chance),
    disputed: shared
      .filter(([, said]) => said.some(({ label }) => label !== said[0].label))
      .map(([id, said]) => ({ id, answers: said })),
  };
}
