/** What a person is asked, what they may reply, and where things stand: plain values that a page or a pipe can carry. */
import type { AccuracyEstimate } from '../fit/index.js';
import type { Act, Asked } from '../workspace/index.js';

/** Pictures by id: test pictures, or for `web` the catalog's. */
export interface Question {
  readonly key: string;
  /** Which category a picture shows; whether a web picture shows `category`; whether pictures belong together and what they are. */
  readonly kind: 'picture' | 'web' | 'group';
  readonly ids: readonly string[];
  /** Likeliest first; null is none of the categories. */
  readonly choices?: readonly { readonly name: string | null; readonly chance: number }[];
  readonly category?: string;
  /** What the fit says now. */
  readonly predicted?: string | null;
  readonly confidence: number;
  /** Of a group: the categories that look most like it. */
  readonly nearestListed?: string;
  readonly nearestAuxiliary?: string;
  /** Pictures that the answer puts right, on average. */
  readonly gain: number;
  readonly why: Asked['why'];
  readonly drawn?: Asked['drawn'];
}

/** `label`: what the pictures show, null for none of the categories; `right`: whether a web picture shows what it is said to. */
export type Reply = { readonly label: string | null } | { readonly right: boolean } | { readonly unsure: true };

export interface Standing {
  readonly pictures: number;
  /** In all, and since the session began. */
  readonly answered: number;
  readonly answeredNow: number;
  /** Share of the folder that is right as the fit sees it, when the session began and now. */
  readonly expectedBefore: number;
  readonly expected: number;
  /** Pictures whose answer changed since then: first those that nobody was asked about. */
  readonly moves: readonly {
    readonly id: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly confidence: number;
    readonly said: boolean;
  }[];
  readonly refitSeconds: number;
  readonly estimate?: AccuracyEstimate;
}

/** The line that an answer becomes. */
export function actOf(question: Question, reply: Reply): Act {
  const { ids } = question;
  if ('unsure' in reply) return { ids, unsure: true };
  if ('right' in reply) return { ids, decision: reply.right ? 'keep' : 'drop' };
  if (question.kind === 'web') return reply.label === null ? { ids, decision: 'drop' } : { ids, move: reply.label };
  const { why, predicted, drawn } = question;
  return { ids, label: reply.label, asked: { why, predicted, ...(drawn && { drawn }) } };
}
